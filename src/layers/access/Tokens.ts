import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { hash, randomBytes } from "node:crypto"
import { InstallationNotFound } from "../../domain/access/Installations.ts"
import { Tokens } from "../../domain/access/Tokens.ts"
import { Database } from "../database/Postgres.ts"
import { sql } from "../database/Statement.ts"

/** Tokens that one purge deletes at most, so that it never holds many locks. */
const PURGE_BATCH = 1000

export const TokensLive = Layer.effect(
  Tokens,
  Effect.map(Database, ({ count, first, one }) => {
    const expiryOf = one(Schema.Struct({ expiresAt: Schema.DateTimeUtcFromDate }))
    const goodOf = first(Schema.Struct({ good: Schema.Int }))
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
        const revoked = yield* goodOf(sql`
          with installation as (
            select store_id, id from installations where id = ${id}
          ), ended as (
            delete from access_tokens t using installation i
            where t.store_id = i.store_id and t.installation_id = i.id
            returning t.expires_at > clock_timestamp() as good
          )
          select (select count(*)::integer from ended where good) as good from installation
        `)
        return Option.isSome(revoked) ? revoked.value.good : yield* new InstallationNotFound({ id })
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
