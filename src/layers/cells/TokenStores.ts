import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoreId } from "../../domain/Store.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { rowsReader } from "../sql/Rows.ts"
import { sql as fragment } from "../sql/Statement.ts"

/*
 * Stores of tokens, in `main`. Tokens of earlier releases do not name their store, and a hash does not tell which do. So all
 * tokens of a store are recorded when it leaves `main`, or is adopted in another cell.
 */

/** Tokens that one statement records. */
const BATCH = 1000

const readTokens = rowsReader(Schema.Struct({ hash: Schema.String, expiresAt: Schema.String }))

const tokensOf = (store: StoreId) => fragment`
  select token_hash, store_id, expires_at from access_tokens where store_id = ${store}
  union all select token_hash, store_id, expires_at from agent_tokens where store_id = ${store}
  union all select code_hash, store_id, expires_at from authorization_codes where store_id = ${store}
  union all select token_hash, store_id, expires_at from refresh_tokens where store_id = ${store}
  union all select token_hash, store_id, coalesce(ends_at, 'infinity') from agents
  where store_id = ${store} and token_hash is not null and revoked_at is null
`

/** Records the tokens of a store whose rows are in `main`. Few are left for the second call. */
export const recordTokens = Effect.fn("TokenStores.record")(
  (main: SqlClient.SqlClient, store: StoreId) => main`
    insert into token_stores (token_hash, store_id, expires_at)
    select token_hash, store_id, expires_at from (${tokensOf(store)}) t
    where not exists (select from token_stores known where known.token_hash = t.token_hash)
    on conflict do nothing
  `
)

/** Records the tokens of a store whose rows are in another cell. */
export const copyTokens = Effect.fn("TokenStores.copy")(function* (
  cell: SqlClient.SqlClient,
  main: SqlClient.SqlClient,
  store: StoreId
) {
  const tokens = yield* readTokens(cell`
    select encode(token_hash, 'hex') as hash, expires_at::text as "expiresAt" from (${tokensOf(store)}) t
  `)
  for (let start = 0; start < tokens.length; start += BATCH) {
    const some = tokens.slice(start, start + BATCH)
    yield* main`
      insert into token_stores (token_hash, store_id, expires_at)
      select decode(hash, 'hex'), ${store}, expires_at
      from unnest(${textArray(some.map(({ hash }) => hash))}::text[], ${textArray(some.map(({ expiresAt }) => expiresAt))}::timestamptz[])
        as t (hash, expires_at)
      on conflict do nothing
    `
  }
})
