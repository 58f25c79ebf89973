import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates accounts, memberships, invitations, links that reset a password, and sessions. */
export const createAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Accounts of merchants and developers.
  // is_claimed: true for an account from sign-up, whose address nobody has verified.
  yield* sql`
    create table merchants (
      id uuid primary key,
      email text not null unique,
      name text not null check (name <> ''),
      password_hash text not null,
      is_claimed boolean not null default false,
      created_at timestamptz not null default now()
    )
  `

  // Rolling windows of the calls of accounts. A separate table, because other statements lock the row of the account.
  // hits: times of the last admitted calls in microseconds, oldest first. The row is inserted with its account, and
  // then only updated.
  yield* sql`
    create table merchant_call_windows (
      merchant_id uuid primary key references merchants on delete cascade,
      hits bigint[] not null default '{}'
    ) with (fillfactor = 50)
  `

  // Memberships of accounts in stores.
  yield* sql`
    create table members (
      store_id uuid not null references stores (id),
      merchant_id uuid not null references merchants (id),
      role text not null check (role in ('owner', 'staff')),
      created_at timestamptz not null default now(),
      primary key (store_id, merchant_id)
    )
  `
  // Lists the stores of an account.
  yield* sql`create index members_by_merchant on members (merchant_id)`

  // Invitations to stores.
  yield* sql`
    create table invitations (
      store_id uuid not null references stores (id),
      id uuid not null,
      token_hash bytea not null unique,
      email text not null,
      role text not null check (role in ('owner', 'staff')),
      created_by uuid not null references merchants (id),
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      accepted_at timestamptz,
      revoked_at timestamptz,
      primary key (store_id, id)
    )
  `
  // Finds expired rows for the purge.
  yield* sql`create index invitations_by_expiry on invitations (expires_at)`

  // An account has one reset link. store_id and created_by: the store and the owner who created it; null for one of an
  // operator.
  yield* sql`
    create table password_resets (
      merchant_id uuid primary key references merchants (id),
      token_hash bytea not null unique,
      store_id uuid references stores (id),
      created_by uuid references merchants (id),
      expires_at timestamptz not null,
      check ((store_id is null) = (created_by is null))
    )
  `
  // Finds expired rows for the purge.
  yield* sql`create index password_resets_by_expiry on password_resets (expires_at)`

  // Browser sessions.
  // ends_at: end of the session without further use. Each use extends it, up to last_end.
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
  // Lists the sessions of an account.
  yield* sql`create index sessions_by_merchant on sessions (merchant_id, id)`
  // Finds expired rows for the purge.
  yield* sql`create index sessions_by_end on sessions (ends_at)`

  // Failed sign-ins, for the throttle. The subject is a hash, so the table reveals neither addresses nor accounts.
  yield* sql`
    create table sign_in_attempts (
      subject bytea primary key,
      attempts timestamptz[] not null,
      ends_at timestamptz not null
    )
  `
  // Finds expired rows for the purge.
  yield* sql`create index sign_in_attempts_by_end on sign_in_attempts (ends_at)`
})
