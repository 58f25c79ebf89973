import { type Fragment, sql, type Statement } from "../database/Statement.ts"

/** Rows that one purge deletes at most, so that it never holds many locks. */
const BATCH = sql.literal("1000")

const purge = (table: string, key: string, until: Fragment, others: Fragment): Statement => sql`
  with ended as materialized (
    select * from ${sql(table)} where expires_at <= ${until} order by expires_at limit ${BATCH} for update skip locked
  )${others}
  delete from ${sql(table)} t using ended where t.${sql(key)} = ended.${sql(key)}
`

/** A grant goes with the last code or refresh token that it had. */
const GRANTS = sql.literal(`, grants as (
  delete from oauth_grants g using (select distinct store_id, grant_id from ended) e
  where g.store_id = e.store_id and g.id = e.grant_id and not exists (
    select from refresh_tokens r where r.store_id = g.store_id and r.grant_id = g.id and r.expires_at > now()
  )
)`)

const NOW = sql.literal("now()")

/** Each deletes a batch of what has ended. A code is kept for a day more, to know it when it is presented again. */
export const PURGES: ReadonlyArray<Statement> = [
  purge("authorization_codes", "code_hash", sql.literal("now() - interval '1 day'"), GRANTS),
  purge("refresh_tokens", "token_hash", NOW, GRANTS),
  purge("agent_tokens", "token_hash", NOW, sql.literal(""))
]
