import { Effect, Layer, Redacted, Schema } from "effect"
import { hash, randomBytes } from "node:crypto"
import { InstallationNotFound } from "../../domain/access/Installations.ts"
import { Tokens } from "../../domain/access/Tokens.ts"
import { StoreId } from "../../domain/Store.ts"
import { Database } from "../database/Postgres.ts"
import { sql } from "../database/Statement.ts"
import { endInstallation } from "../oauth/Ending.ts"

/** Tokens that one purge deletes at most, so that it never holds many locks. */
const PURGE_BATCH = 1000

export const TokensLive = Layer.effect(
  Tokens,
  Effect.map(Database, ({ count, first, one, perform }) => {
    const expiryOf = one(Schema.Struct({ expiresAt: Schema.DateTimeUtcFromDate }))
    const storeOf = first(Schema.Struct({ storeId: Schema.typeSchema(StoreId) }).pipe(Schema.pluck("storeId")))
    return Tokens.of({
      issue: Effect.fn("Tokens.issue")(function* ({ id, storeId }) {
        const token = randomBytes(32).toString("base64url")
        const { expiresAt } = yield* expiryOf(sql`
          insert into access_tokens (token_hash, store_id, installation_id, expires_at)
          values (${hash("sha256", token, "buffer")}, ${storeId}, ${id}, clock_timestamp() + interval '1 hour')
          returning expires_at as "expiresAt"
        `)
        return { token: Redacted.make(token), expiresAt }
      }),

      revoke: Effect.fn("Tokens.revoke")(function* (id) {
        const storeId = yield* Effect.mapError(
          yield* storeOf(sql`select store_id as "storeId" from installations where id = ${id}`),
          () => new InstallationNotFound({ id })
        )
        return yield* perform(endInstallation(storeId, id))
      }),

      purge: count(
        sql`
          with ended as materialized (
            select token_hash from access_tokens
            where expires_at <= now() order by expires_at limit ${sql.literal(String(PURGE_BATCH))}
            for update skip locked
          )
          delete from access_tokens t using ended where t.token_hash = ended.token_hash returning 1
        `
      )
    })
  })
)
