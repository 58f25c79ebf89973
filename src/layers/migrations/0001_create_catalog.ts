import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/*
 * Primary keys and unique indexes of what belongs to a store start with the store, so that the schema distributes by
 * store. `access_tokens` is the one exception: a token is looked up before its store is known.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // RFC 9562, section 6.2, method 3: the clock's microseconds fill the 12 bits behind the milliseconds, so that of two
  // different microseconds the later one has the greater id. `uuidv7()` of PostgreSQL 18 takes no clock of ours.
  yield* sql`
    create function uuid_v7(micros bigint) returns uuid language sql volatile parallel safe as $$
      select (
        lpad(to_hex(micros / 1000), 12, '0')
        || '7' || lpad(to_hex((micros % 1000) * 4096 / 1000), 3, '0')
        || right(gen_random_uuid()::text, 17)
      )::uuid
    $$
  `
  yield* sql`
    create function clock_micros() returns bigint language sql volatile parallel safe as $$
      select (extract(epoch from clock_timestamp()) * 1000000)::bigint
    $$
  `

  yield* sql`
    create table plans (
      name text primary key,
      product_limit integer not null check (product_limit >= 0)
    )
  `
  yield* sql`
    insert into plans (name, product_limit)
    values ('free', 100), ('starter', 1000), ('growth', 10000), ('scale', 100000)
  `

  // id_clock: the microseconds in the newest id made for this store. It only rises, whatever the clock does, and it is
  // raised under the row's lock, so inside one store the order of ids is the order of commits.
  yield* sql`
    create table stores (
      id uuid primary key,
      name text not null check (name <> ''),
      plan text not null references plans,
      currency_code text not null check (currency_code ~ '^[A-Z]{3}$'),
      product_count integer not null default 0 check (product_count >= 0),
      id_clock bigint not null default 0,
      created_at timestamptz not null default now(),
      deleted_at timestamptz
    ) with (fillfactor = 50)
  `

  yield* sql`
    create table apps (
      id uuid primary key,
      name text not null check (name <> ''),
      scopes text[] not null,
      created_at timestamptz not null default now()
    )
  `
  yield* sql`
    create table installations (
      store_id uuid not null references stores on delete cascade,
      id uuid not null,
      app_id uuid not null references apps,
      scopes text[] not null,
      is_active boolean not null default true,
      created_at timestamptz not null default now(),
      primary key (store_id, id)
    )
  `
  yield* sql`create index installations_by_id on installations (id)`

  yield* sql`
    create table access_tokens (
      token_hash bytea primary key,
      store_id uuid not null,
      installation_id uuid not null,
      expires_at timestamptz not null,
      foreign key (store_id, installation_id) references installations on delete cascade
    )
  `
  yield* sql`create index access_tokens_by_installation on access_tokens (store_id, installation_id)`

  // hits: microseconds of the last 100 admitted requests, oldest first. The row is made at install and only updated:
  // an upsert locks on refusal too, which cost nine tenths of the rate on a hot installation.
  yield* sql`
    create table rate_windows (
      store_id uuid not null,
      installation_id uuid not null,
      hits bigint[] not null default '{}',
      primary key (store_id, installation_id),
      foreign key (store_id, installation_id) references installations on delete cascade
    ) with (fillfactor = 50)
  `

  yield* sql`
    create table idempotency_records (
      store_id uuid not null,
      installation_id uuid not null,
      key text not null,
      fingerprint bytea not null,
      status smallint,
      body text,
      etag text,
      expires_at timestamptz not null,
      primary key (store_id, installation_id, key)
    )
  `
  // Rows arrive in the order of their end, so a few pages of BRIN find the expired ones at no cost to a write.
  yield* sql`create index idempotency_records_by_end on idempotency_records using brin (expires_at)`

  // The document is the API's representation, exactly as it is returned; what constraints need is generated from it.
  // facets, description and terms are what rules ask of the product (domain/catalog/Facets). toast_tuple_target keeps
  // a product of usual size in its row: compressing it would cost more than reading it.
  yield* sql`
    create table products (
      store_id uuid not null references stores on delete cascade,
      id uuid not null generated always as ((document ->> 'id')::uuid) stored,
      version integer not null generated always as ((document ->> 'version')::integer) stored,
      price numeric not null generated always as ((facets ->> 'price')::numeric) stored check (price >= 0),
      stock numeric not null generated always as ((facets ->> 'stock')::numeric) stored check (stock >= 0),
      slug text collate "C" not null generated always as (facets ->> 'slug') stored,
      terms integer[] not null,
      facets jsonb not null,
      description text collate "C",
      document json not null,
      primary key (store_id, id),
      unique (store_id, slug)
    ) with (toast_tuple_target = 8160)
  `
  // Without its pending list, which every read would have to search.
  yield* sql`create index products_by_terms on products using gin (terms) with (fastupdate = off)`

  yield* sql`
    create table collections (
      store_id uuid not null references stores on delete cascade,
      id uuid not null generated always as ((document ->> 'id')::uuid) stored,
      version integer not null generated always as ((document ->> 'version')::integer) stored,
      slug text collate "C" not null generated always as (document ->> 'slug') stored,
      document json not null,
      primary key (store_id, id),
      unique (store_id, slug)
    ) with (toast_tuple_target = 8160)
  `
  // The number of the first free choice of a slug: 1 is the slug itself, 2 is `slug-2`, and so on. Volatile, and called
  // under the store's lock: such a function sees what was committed while its statement waited for the lock.
  for (const [name, table] of [
    ["free_product_slug", "products"],
    ["free_collection_slug", "collections"]
  ] as const) {
    yield* sql`
      create function ${sql.literal(name)}(store uuid, wished text) returns integer language plpgsql volatile as $$
        declare
          choice integer := 1;
        begin
          while exists (
            select 1 from ${sql.literal(table)} t
            where t.store_id = store and t.slug = case choice when 1 then wished else wished || '-' || choice end
          ) loop
            choice := choice + 1;
          end loop;
          return choice;
        end
      $$
    `
  }

  // What a manual collection holds. The foreign keys take a deleted product out of every collection.
  yield* sql`
    create table collection_members (
      store_id uuid not null,
      collection_id uuid not null,
      position integer not null,
      product_id uuid not null,
      primary key (store_id, collection_id, product_id),
      foreign key (store_id, collection_id) references collections on delete cascade,
      foreign key (store_id, product_id) references products on delete cascade
    )
  `
  yield* sql`create index collection_members_by_product on collection_members (store_id, product_id)`

  // The outbox: a row of the same transaction as the write it tells of. Like the records above it has no foreign key:
  // the transaction holds the rows that one would check, and the check costs as much as the insert.
  yield* sql`
    create table events (
      store_id uuid not null,
      id uuid not null,
      kind text not null,
      occurred_at timestamptz not null,
      actor_type text not null check (actor_type in ('app', 'merchant', 'agent')),
      origin_installation_id uuid check ((actor_type = 'app') = (origin_installation_id is not null)),
      resource_id uuid not null,
      resource_version integer not null,
      payload text not null,
      primary key (store_id, id)
    ) with (toast_tuple_target = 8160)
  `
})
