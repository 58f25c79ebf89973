import { Effect, Layer, Option, Schema } from "effect"
import { type InstallationId, InstallationNotFound, InstallationSuspended } from "../../domain/access/Installations.ts"
import { Tokens } from "../../domain/access/Tokens.ts"
import { StoreId } from "../../domain/Store.ts"
import { Database } from "../sql/Postgres.ts"
import { sql } from "../sql/Statement.ts"
import { revokeTokensOfInstallation } from "../oauth/Revocation.ts"
import { purgeOf } from "../Purging.ts"
import { hashOf, newToken } from "../Secrets.ts"
import { INSTALLED } from "./InstallationState.ts"
import { column } from "../sql/Column.ts"

/** The row of the installation is shared with its uninstall, which finds the token, or makes that there is none. */
const insertToken = (tokenHash: Buffer, store: StoreId, installation: InstallationId) => sql`
  insert into access_tokens (token_hash, store_id, installation_id, expires_at)
  select ${tokenHash}, store_id, id, clock_timestamp() + interval '1 hour'
  from installations i where i.store_id = ${store} and i.id = ${installation} and i.is_active for share
  returning expires_at as "expiresAt"
`

const selectInstalled = (store: StoreId, installation: InstallationId) => sql`
  select from installations i where i.store_id = ${store} and i.id = ${installation} and ${INSTALLED}
`

export const TokensLive = Layer.effect(
  Tokens,
  Effect.map(Database, ({ count, first, perform }) => {
    const expiryOf = first(column("expiresAt", Schema.DateTimeUtcFromDate))
    const storeOf = first(column("storeId", Schema.toType(StoreId)))
    return Tokens.of({
      issue: Effect.fn("Tokens.issue")(function* ({ id, storeId }) {
        const token = newToken()
        const issued = yield* expiryOf(insertToken(hashOf(token), storeId, id))
        if (Option.isSome(issued)) return { token, expiresAt: issued.value }
        return yield* (yield* count(selectInstalled(storeId, id))) > 0
          ? new InstallationSuspended()
          : new InstallationNotFound({ id })
      }),

      revoke: Effect.fn("Tokens.revoke")(function* (id) {
        const found = yield* storeOf(sql`select store_id as "storeId" from installations where id = ${id}`)
        const storeId = yield* Effect.mapError(Effect.fromOption(found), () => new InstallationNotFound({ id }))
        return yield* perform(revokeTokensOfInstallation(storeId, id))
      }),

      purge: count(purgeOf({ table: "access_tokens", key: ["token_hash"] }))
    })
  })
)
