import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { InstallationNotFound, InstallationSuspended } from "../../domain/access/Installations.ts"
import { Tokens } from "../../domain/access/Tokens.ts"
import type { StoreId } from "../../domain/Store.ts"
import { revokeTokensOfInstallation } from "../oauth/Revocation.ts"
import { purgeExpired } from "../sql/Purging.ts"
import { sha256, newToken } from "../Secrets.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowCount } from "../sql/Transaction.ts"
import { INSTALLED } from "./InstallationState.ts"

const decodeExpiry = Schema.decodeUnknownEffect(Schema.Struct({ expiresAt: Schema.DateTimeUtcFromDate }))

export const TokensLive = Layer.effect(
  Tokens,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return Tokens.of({
      // The shared lock makes an uninstall wait, which then deletes the token, or prevents it.
      issue: Effect.fn("Tokens.issue")(function* ({ id, storeId }) {
        const token = newToken()
        const [issued] = yield* sql`
          insert into access_tokens (token_hash, store_id, installation_id, expires_at)
          select ${sha256(token)}, store_id, id, clock_timestamp() + interval '1 hour'
          from installations i where i.store_id = ${storeId} and i.id = ${id} and i.is_active for share
          returning expires_at as "expiresAt"
        `
        if (issued !== undefined) return { token, ...(yield* decodeExpiry(issued)) }
        const installed = yield* sql`
          select 1 from installations i where i.store_id = ${storeId} and i.id = ${id} and ${INSTALLED}
        `
        return yield* installed.length > 0 ? new InstallationSuspended() : new InstallationNotFound({ id })
      }, orDefect),

      revoke: Effect.fn("Tokens.revoke")(function* (id) {
        const [installation] = yield* sql<{ readonly storeId: StoreId }>`
          select store_id as "storeId" from installations where id = ${id}
        `
        if (installation === undefined) return yield* new InstallationNotFound({ id })
        return yield* sql.withTransaction(revokeTokensOfInstallation(sql, installation.storeId, id))
      }, orDefect),

      purge: orDefect(rowCount(sql`${purgeExpired({ table: "access_tokens", key: ["token_hash"] })}`))
    })
  })
)
