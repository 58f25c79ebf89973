import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { InstallationNotFound, InstallationSuspended } from "../../domain/access/Installations.ts"
import { formatStoreToken } from "./StoreTokens.ts"
import { Tokens } from "../../domain/access/Tokens.ts"
import { StoreId } from "../../domain/Store.ts"
import { Revocation } from "../oauth/Revocation.ts"
import { purgeExpired } from "../sql/Purging.ts"
import { sha256 } from "../Secrets.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowReader } from "../sql/Rows.ts"
import { rowCount } from "../sql/Transaction.ts"
import { INSTALLED } from "./InstallationState.ts"

const readExpiry = rowReader(Schema.Struct({ expiresAt: Schema.DateTimeUtcFromDate }))

const readStore = rowReader(Schema.Struct({ storeId: Schema.toType(StoreId) }))

export const TokensLive = Layer.effect(
  Tokens,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { revokeTokensOfInstallation } = yield* Revocation

    return Tokens.of({
      // The shared lock makes an uninstall wait, which then deletes the token, or prevents it.
      issue: Effect.fn("Tokens.issue")(function* ({ id, storeId }) {
        const token = formatStoreToken("pa_", storeId)
        const issued = yield* readExpiry(sql`
          insert into access_tokens (token_hash, store_id, installation_id, expires_at)
          select ${sha256(token)}, store_id, id, clock_timestamp() + interval '1 hour'
          from installations i where i.store_id = ${storeId} and i.id = ${id} and i.is_active for share
          returning expires_at as "expiresAt"
        `)
        if (Option.isSome(issued)) return { token, ...issued.value }
        const installed = yield* sql`
          select 1 from installations i where i.store_id = ${storeId} and i.id = ${id} and ${INSTALLED}
        `
        return yield* installed.length > 0 ? new InstallationSuspended() : new InstallationNotFound({ id })
      }, orDefect),

      revoke: Effect.fn("Tokens.revoke")(function* (id) {
        const installation = yield* readStore(sql`
          select store_id as "storeId" from installations where id = ${id}
        `)
        if (Option.isNone(installation)) return yield* new InstallationNotFound({ id })
        return yield* sql.withTransaction(revokeTokensOfInstallation(installation.value.storeId, id))
      }, orDefect),

      purge: rowCount(sql`${purgeExpired({ table: "access_tokens", key: ["token_hash"] })}`).pipe(
        orDefect,
        Effect.withSpan("Tokens.purge")
      )
    })
  })
)
