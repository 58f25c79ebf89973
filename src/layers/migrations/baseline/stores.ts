import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates stores and plans. */
export const createStores = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Limits of stores. Operators can add plans.
  yield* sql`
    create table plans (
      name text primary key,
      product_limit integer not null check (product_limit >= 0),
      collection_limit integer not null default 10000 check (collection_limit >= 0)
    )
  `
  yield* sql`
    insert into plans (name, product_limit, collection_limit)
    values ('free', 100, 50), ('starter', 1000, 500), ('growth', 10000, 2000), ('scale', 100000, 10000)
  `

  // Tenants and their settings. Deletion only sets deleted_at.
  // id_clock: microseconds of the newest id of the store. It rises under the row's lock, even if the system clock is
  // set back, so ids of a store are in commit order.
  yield* sql`
    create table stores (
      id uuid primary key,
      name text not null check (name <> ''),
      plan text not null references plans,
      currency_code text not null check (currency_code ~ '^[A-Z]{3}$'),
      domain text,
      timezone text not null default 'UTC',
      locale text not null default 'en',
      country text,
      weight_unit text not null default 'kg',
      product_count integer not null default 0 check (product_count >= 0),
      id_clock bigint not null default 0,
      created_at timestamptz not null default now(),
      deleted_at timestamptz
    ) with (fillfactor = 50)
  `
})
