import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ExternalId } from "../../../src/domain/imports/Put.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { termOf } from "../../../src/layers/catalog/Terms.ts"
import { MERCHANT } from "../data/Writes.ts"

/** Imported external ids, and the import that deletes their resources. */
export const IMPORTED_IDS = Array.from({ length: 20 }, (_, n) => ExternalId.make(`Brought ${n}`))
export const deleteImported = (store: StoreId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      delete from products where store_id = ${store} and id in (
        select resource_id from external_ids where store_id = ${store} and external_id like 'Brought %'
      )
    `
  )

/** Numbers of seeded rows. */
interface Size {
  readonly stores: number
  readonly apps: number
  /** Products of the tested store. Each other store has five. */
  readonly products: number
}

/** An order without line items. */
export const ORDER = { placedAt: "2026-01-31T09:30:00Z", lineItems: [] }
const onSale = { field: "tags", relation: "equals", value: "sale" }

/** Rules with several kinds of conditions. */
export const RULES = {
  "by a tag": [onSale],
  "by tag and title": [onSale, { field: "title", relation: "contains", value: "up" }],
  "by price": [{ field: "price", relation: "less_than", value: 5 }]
}

/** SQL that adds copies to a store with a product and collections, and seeds other stores. */
const filling = (store: StoreId, { apps, products, stores }: Size) => `
  insert into stores (id, name, plan, currency_code, product_count)
  select gen_random_uuid(), 'A store', 'scale', 'EUR', 5 from generate_series(1, ${stores});

  insert into apps (id, name, scopes) select gen_random_uuid(), name, scopes from (select * from apps limit 1) a, generate_series(1, ${apps});
  insert into webhooks (app_id, url, kinds, secret, paused_at, pause_reason)
  select id, url, kinds, secret, paused.at, case when paused.at is not null then 'operator' end
  from (select id, row_number() over () as n from apps) a, (select * from webhooks limit 1) w,
    lateral (select case when n % 50 = 0 then now() end as at) as paused
  on conflict do nothing;

  insert into installations (store_id, id, app_id, scopes)
  select s.id, gen_random_uuid(), a.id, scopes
  from (select id, row_number() over () as n from stores) s
  join (select id, scopes, row_number() over () as n from apps) a on a.n % 150 = s.n % 150
  on conflict do nothing;
  insert into rate_windows (store_id, installation_id)
  select store_id, id from installations on conflict do nothing;
  insert into access_tokens (token_hash, store_id, installation_id, expires_at)
  select sha256(id::text::bytea), store_id, id, now() + interval '1 hour' from installations
  on conflict do nothing;

  insert into client_secrets (app_id, id, secret_hash) select id, id, sha256(id::text::bytea) from apps on conflict do nothing;
  insert into agent_clients (client_id, name, redirect_uris, ends_at)
  select gen_random_uuid(), 'A client', '{}', case when n % 2 = 0 then now() + interval '1 day' end
  from generate_series(1, ${stores}) n;
  insert into oauth_grants (store_id, id, client_id, installation_id, merchant_id)
  select i.store_id, i.id, app_id, i.id, m.id from installations i, (select id from merchants limit 1) m
  on conflict do nothing;
  insert into authorization_codes (code_hash, store_id, grant_id, client_id, redirect_uri, challenge, expires_at, used_at)
  select sha256(id::text::bytea), store_id, id, client_id, '', '', now(), now() from oauth_grants on conflict do nothing;
  insert into refresh_tokens (token_hash, store_id, grant_id, expires_at)
  select sha256((id::text || n)::bytea), store_id, id, now() + interval '90 days' from oauth_grants, generate_series(1, 3) n
  on conflict do nothing;

  with copied as materialized (select * from agents limit 1)
  insert into agents (store_id, id, token_hash, name, scopes, budget, requests, proposals_only, created_by)
  select s.id, gen_random_uuid(), sha256((s.id::text || n)::bytea), copied.name, scopes, budget, requests, proposals_only, created_by
  from copied, stores s, generate_series(1, 2) n;
  insert into agent_windows (store_id, agent_id) select store_id, id from agents on conflict do nothing;
  insert into agent_tokens (token_hash, store_id, agent_id, grant_id, expires_at)
  select sha256(id::text::bytea), store_id, id, id, now() + interval '1 hour' from agents on conflict do nothing;
  insert into proposals (store_id, id, agent_id, procedure, payload, ground, status, created_at, expires_at)
  select store_id, uuid_v7(clock_micros()), id, 'products.create', '{}', '[]', case n % 5 when 0 then 'pending' else 'approved' end,
    now(), now() + interval '7 days'
  from agents, generate_series(1, 5) n;

  insert into app_data (store_id, installation_id, namespace, key, value, bytes, created_at, updated_at, expires_at)
  select i.store_id, i.id, 'settings', 'key-' || n, '1', 1, now(), now(), case n % 2 when 1 then now() + interval '1 hour' end
  from installations i, generate_series(1, case store_id when '${store}' then ${products / 20} else 2 end) n
  on conflict do nothing;
  insert into app_data_usage (store_id, installation_id, entries, bytes)
  select store_id, installation_id, count(*), count(*) from app_data group by store_id, installation_id
  on conflict do nothing;

  with copied as materialized (select * from products where store_id = '${store}' limit 1)
  insert into products (store_id, id, slug, document, bytes, version, bytes_of, facets, description)
  select
    made.store, made.id, made.id, (document::jsonb || jsonb_build_object('id', made.id))::json, bytes, 1, 1, facets,
    description
  from copied, (
    select id as store, n, uuid_v7(clock_micros()) as id
    from stores, generate_series(1, case id when '${store}' then ${products} else 5 end) n
  ) as made;
  insert into product_keys (store_id, id, price, stock, terms)
  select store_id, id, n % 500, n, array[case n % 100 when 0 then '${termOf(store, "tags", "sale")}' else md5('tag' || n % 50) end]::uuid[]
  from (select *, row_number() over () as n from products) p
  on conflict do nothing;
  insert into search_words (store_id, word, term)
  select id, 'word' || n, gen_random_uuid() from stores, generate_series(1, case id when '${store}' then ${products} else 5 end) n;
  update stores set product_count = product_count + ${products} where id = '${store}';

  with copied as materialized (
    select document, row_number() over (order by id) as place from collections where store_id = '${store}' order by id limit 4
  ), made as materialized (
    select store, uuid_v7(clock_micros()) as id, document from (
      select s.id as store, document, n, place
      from copied, stores s, generate_series(1, case s.id when '${store}' then ${products / 40} else 1 end) n
      order by s.id, n, place offset 0
    ) as sorted
  )
  insert into collections (store_id, document, bytes, bytes_of)
  select store, (document::jsonb || jsonb_build_object('id', id, 'slug', id, 'version', 1))::json, 500, 1 from made;
  insert into collection_members (store_id, collection_id, position, product_id)
  select c.store_id, c.id, p.n, p.id
  from collections c join (
    select *, row_number() over (partition by store_id order by id) as n from products
  ) p on p.store_id = c.store_id and p.n <= 5
  where c.document ->> 'type' = 'manual' on conflict do nothing;

  insert into orders (store_id, id, changed_at, opening, personal, bytes, personal_bytes)
  select p.store_id, p.id, n, o.opening, o.personal, o.bytes, o.personal_bytes
  from (select *, row_number() over (order by id) as n from products) p, (select * from orders limit 1) o
  on conflict do nothing;

  insert into events (store_id, id, kind, occurred_at, actor_type, resource_id, resource_version, payload)
  select store_id, uuid_v7(clock_micros()), 'catalog.product.updated.v1', now(), 'merchant', id, 1, repeat('x', 500)
  from installations, generate_series(1, 5) n order by n, store_id;
  insert into deliveries (store_id, event_id, installation_id, app_id, outcome, finished_at)
  select store_id, e.id, i.id, app_id, case when n % 5 < 3 then 'delivered' end, case when n % 5 < 3 then now() end
  from (select *, row_number() over () as n from events) e join installations i using (store_id)
  where n % 2 = 0 or i.id = e.resource_id on conflict do nothing;
  insert into delivery_attempts (store_id, event_id, installation_id, attempt, started_at)
  select store_id, event_id, installation_id, 1, now() from deliveries where finished_at is not null on conflict do nothing;

  insert into journal (
    store_id, id, part, at, actor_type, actor_id, surface, hops, resource, resource_id, version, before, after, omitted
  )
  select
    store_id, uuid_v7(micros), micros / 1000 / 2592000000 % 16, now(), 'merchant',
    case n % 50 when 0 then '${MERCHANT.id}' else md5((n % 50)::text)::uuid end, 'rpc', 0, 'product', id, 2,
    '{"price":1}', '{"price":2}', '{}'
  from (select store_id, id, row_number() over () as n from products) p, lateral (
    select clock_micros() - (n % 400) * 86400000000 as micros
  ) as made;
  insert into app_plans (id, app_id, name, price, currency_code, period)
  select gen_random_uuid(), id, 'Plan ' || n, 9.9, 'EUR', 'month' from apps, generate_series(1, 3) n
  on conflict do nothing;
  insert into subscriptions (
    store_id, id, installation_id, plan_id, plan_name, price, currency_code, period, started_at, cancelled_at, ends_at
  )
  select i.store_id, uuid_v7(clock_micros()), i.id, p.id, p.name, price, currency_code, period, now(), now(), now()
  from (select * from installations limit 3000) i join lateral (
    select * from app_plans p where p.app_id = i.app_id limit 1
  ) p on true, generate_series(1, case i.store_id when '${store}' then ${products / 10} else 2 end) n;
  insert into recent_requests (store_id, installation_id, requests)
  select store_id, id, '[]' from installations on conflict do nothing;

  insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
  select store_id, id, gen_random_uuid(), '', repeat('x', 200), now() + interval '1 day'
  from installations, generate_series(1, 5) n order by n, store_id;
  insert into large_responses (store_id, actor_id, key, bytes, expires_at)
  select store_id, id, 'large', 20000, now() + interval '1 day' from installations
  on conflict do nothing;
`

/** SQL that makes a few hundred rows of each kind expire. */
const outdating = `
  insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
  select store_id, id, gen_random_uuid(), '', '', now() - interval '1 second' from installations limit 100;
  insert into large_responses (store_id, actor_id, key, bytes, expires_at)
  select store_id, id, gen_random_uuid(), 20000, now() - interval '1 second' from installations limit 100;
  insert into access_tokens (token_hash, store_id, installation_id, expires_at)
  select sha256(gen_random_uuid()::text::bytea), store_id, id, now() - interval '1 second' from installations limit 100;
  insert into refresh_tokens (token_hash, store_id, grant_id, expires_at)
  select sha256(gen_random_uuid()::text::bytea), store_id, id, now() - interval '1 second' from oauth_grants limit 100;
  insert into authorization_codes (code_hash, store_id, grant_id, client_id, redirect_uri, challenge, expires_at)
  select sha256(gen_random_uuid()::text::bytea), store_id, id, client_id, '', '', now() - interval '2 days'
  from oauth_grants limit 100;
  with made as (
    insert into events (store_id, id, kind, occurred_at, actor_type, resource_id, resource_version, payload)
    select store_id, gen_random_uuid(), 'catalog.product.updated.v1', now() - interval '31 days', 'merchant', id, 1, ''
    from installations limit 100
    returning store_id, id, resource_id
  ), sent as (
    insert into deliveries (store_id, event_id, installation_id, app_id, next_at, outcome, finished_at)
    select m.store_id, m.id, i.id, app_id, now() - interval '31 days', 'delivered', now() - interval '31 days'
    from made m join installations i on i.store_id = m.store_id and i.id = m.resource_id
    returning store_id, event_id, installation_id
  )
  insert into delivery_attempts (store_id, event_id, installation_id, attempt, started_at)
  select *, 1, now() - interval '31 days' from sent;
  insert into deliveries (store_id, event_id, installation_id, app_id, next_at)
  select store_id, gen_random_uuid(), id, app_id, now() - interval '31 days'
  from installations join webhooks using (app_id) where paused_at is not null limit 100;
`

/** PostgreSQL counts the work of the session when it flushes its statistics. */
const FLUSH = "select pg_stat_force_next_flush()"

const runAll = (statements: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach([...statements.split(";\n"), FLUSH], (statement) => sql.unsafe(statement), { discard: true })
  )

/** Seeds the tables around a store without analyzing them. */
export const seedTables = (store: StoreId, size: Size) => runAll(filling(store, size))

/** Makes rows expire for every purge. */
export const expireRows = runAll(outdating)
