import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table merchants (
      id uuid primary key,
      email text not null unique,
      name text not null check (name <> ''),
      password_hash text not null,
      created_at timestamptz not null default now()
    )
  `
  yield* sql`
    create table members (
      store_id uuid not null references stores (id),
      merchant_id uuid not null references merchants (id),
      role text not null check (role in ('owner', 'staff')),
      created_at timestamptz not null default now(),
      primary key (store_id, merchant_id)
    )
  `
  yield* sql`create index members_by_merchant on members (merchant_id)`

  // Its end is the earlier one of two: the idle one, which is moved as it is used, and the last, which is not.
  yield* sql`
    create table sessions (
      token_hash bytea primary key,
      id uuid not null,
      merchant_id uuid not null references merchants (id),
      address text not null,
      user_agent text,
      created_at timestamptz not null,
      seen_at timestamptz not null,
      ends_at timestamptz not null,
      last_end timestamptz not null
    )
  `
  yield* sql`create index sessions_by_merchant on sessions (merchant_id, id)`
  yield* sql`create index sessions_by_end on sessions (ends_at)`

  // Of whom attempts are counted is a hash: no list of addresses, and of accounts that there may not be.
  yield* sql`
    create table sign_in_attempts (
      subject bytea primary key,
      attempts timestamptz[] not null,
      ends_at timestamptz not null
    )
  `
  yield* sql`create index sign_in_attempts_by_end on sign_in_attempts (ends_at)`
})
