import { Effect, Layer, Option, Schema } from "effect"
import { InstallationNotFound, InstallationSuspended } from "../../domain/access/Installations.ts"
import { Tokens } from "../../domain/access/Tokens.ts"
import { StoreId } from "../../domain/Store.ts"
import { Database } from "../database/Postgres.ts"
import { sql, statement } from "../database/Statement.ts"
import { endInstallation } from "../oauth/Ending.ts"
import { purgeOf } from "../Purging.ts"
import { hashOf, newToken } from "../Secrets.ts"
import { INSTALLED } from "./InstallationState.ts"
import { column } from "../database/Column.ts"

/** The row of the installation is shared with its uninstall, which finds the token, or makes that there is none. */
const insertToken = statement(`
  insert into access_tokens (token_hash, store_id, installation_id, expires_at)
  select $1, store_id, id, clock_timestamp() + interval '1 hour'
  from installations i where i.store_id = $2 and i.id = $3 and i.is_active for share
  returning expires_at as "expiresAt"
`)

const selectInstalled = statement(`
  select from installations i where i.store_id = $1 and i.id = $2 and ${INSTALLED}
`)

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
        return yield* perform(endInstallation(storeId, id))
      }),

      purge: count(purgeOf({ table: "access_tokens", key: ["token_hash"] }))
    })
  })
)
