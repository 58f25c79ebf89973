import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates invitations to stores and links that reset a password. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

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
})
