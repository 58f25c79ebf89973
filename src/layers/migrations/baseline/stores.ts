import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates stores and plans. */
export const createStores = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const gibibytes = (count: number) => sql.literal(String(count * 1024 ** 3))

  // Limits of stores. Operators can add plans.
  // media_limit: bytes of files.
  yield* sql`
    create table plans (
      name text primary key,
      product_limit integer not null check (product_limit >= 0),
      collection_limit integer not null default 10000 check (collection_limit >= 0),
      media_limit bigint not null default ${gibibytes(1)}
    )
  `
  yield* sql`
    insert into plans (name, product_limit, collection_limit, media_limit)
    values
      ('free', 100, 50, ${sql.literal(String(200 * 1024 ** 2))}),
      ('starter', 1000, 500, ${gibibytes(1)}),
      ('growth', 10000, 2000, ${gibibytes(10)}),
      ('scale', 100000, 10000, ${gibibytes(100)})
  `

  // Tenants and their settings. Deletion only sets deleted_at.
  // id_clock: microseconds of the newest id of the store. It rises under the row's lock, even if the system clock is
  // set back, so ids of a store are in commit order. moved_at: time at which the store went to another cell. What this
  // database still has of it is out of date.
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
      deleted_at timestamptz,
      moved_at timestamptz
    ) with (fillfactor = 50)
  `
})
