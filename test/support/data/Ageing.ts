import { LISTED_DAYS } from "../../../src/domain/access/Agents.ts"
import { PENDING_DAYS, READABLE_DAYS } from "../../../src/domain/access/Proposals.ts"

/** Days that are simulated. */
const DAYS = 10

/** Owner of the rows. */
export interface Owner {
  readonly appId: string
  readonly storeId: string
  /** Id of the installation. */
  readonly id: string
}

/** A table with rows that expire. */
export interface Ageing {
  readonly name: string
  /** Expression of the time at which a row expires. */
  readonly end: string
  /** Days until a row expires. */
  readonly life: number
  /** Statement for expired rows. Deletes them by default. */
  readonly going?: (rows: string) => string
  /** Inserts a row for each instant of `made (at)`, at which that row expires. */
  readonly insert: (owner: Owner) => string
}

/** Merchant `by`, who creates the agents. */
const MERCHANT = `
  merchant as (
    insert into merchants (id, email, name, password_hash)
    select id, id || '@example.com', 'Ada', '' from (select gen_random_uuid() as id) as new returning id as by
  )
`
const AGENT = "store_id, id, token_hash, name, scopes, budget, requests, proposals_only, created_by"

export const AGEING = [
  {
    name: "idempotency_records",
    end: "expires_at",
    life: 1,
    insert: ({ id, storeId }) => `
      insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
      select '${storeId}', '${id}', uuid_v7(clock_micros()), '', repeat('x', 200), at from made
    `
  },
  {
    name: "access_tokens",
    end: "expires_at",
    // The real window is an hour. Ten days make the same picture with a 240th of the work.
    life: 10,
    insert: ({ id, storeId }) => `
      insert into access_tokens (token_hash, store_id, installation_id, expires_at)
      select sha256(gen_random_uuid()::text::bytea), '${storeId}', '${id}', at from made
    `
  },
  {
    name: "app_data",
    end: "expires_at",
    life: 10,
    insert: ({ id, storeId }) => `
      insert into app_data (store_id, installation_id, namespace, key, value, bytes, created_at, updated_at, expires_at)
      select '${storeId}', '${id}', 'n', uuid_v7(clock_micros()), '"x"', 3, now(), now(), at from made
    `
  },
  {
    name: "installations",
    end: "uninstalled_at + interval '48 hours'",
    life: 2,
    going: (rows) => `update installations set emptied_for = uninstalled_at where emptied_for is null and ${rows}`,
    insert: ({ storeId }) => `
      , gone_apps as (
        insert into apps (id, name, scopes) select uuid_v7(clock_micros()), 'Gone', '{}' from made returning id
      )
      insert into installations (store_id, id, app_id, scopes, is_active, uninstalled_at)
      select '${storeId}', id, id, '{}', false, at - interval '48 hours'
      from (select id, row_number() over () as n from gone_apps) a
      join (select at, row_number() over () as n from made) m using (n)
    `
  },
  {
    name: "agents",
    end: `revoked_at + interval '${LISTED_DAYS} days'`,
    life: 30,
    insert: ({ storeId }) => `
      , ${MERCHANT}
      insert into agents (${AGENT}, revoked_at)
      select '${storeId}', gen_random_uuid(), '', 'Gone', '{}', 0, 1, true, by, at - interval '${LISTED_DAYS} days'
      from made, merchant
    `
  },
  {
    name: "proposals",
    // Most of them are decided, which does not shorten their life.
    end: `expires_at + interval '${READABLE_DAYS - PENDING_DAYS} days'`,
    life: 30,
    insert: ({ storeId }) => `
      , ${MERCHANT}, agent as (
        insert into agents (${AGENT})
        select '${storeId}', gen_random_uuid(), '', 'Proposes', '{}', 0, 1, true, by from merchant returning id
      )
      insert into proposals (
        store_id, id, agent_id, procedure, payload, based_on, status, decided_at, created_at, expires_at
      )
      select '${storeId}', gen_random_uuid(), agent.id, 'products.update', '{}', '[]', 'approved', now(),
        at - interval '${READABLE_DAYS} days', at - interval '${READABLE_DAYS - PENDING_DAYS} days'
      from made, agent
    `
  },
  {
    name: "deliveries",
    end: "finished_at + interval '30 days'",
    life: 30,
    insert: ({ appId, id, storeId }) => `
      insert into deliveries (store_id, event_id, installation_id, app_id, outcome, finished_at)
      select '${storeId}', gen_random_uuid(), '${id}', '${appId}', 'delivered', at - interval '30 days' from made
    `
  },
  {
    name: "events",
    end: "occurred_at + interval '30 days'",
    life: 30,
    insert: ({ storeId }) => `
      insert into events (store_id, id, kind, occurred_at, actor_type, resource_id, resource_version, payload)
      select '${storeId}', gen_random_uuid(), 'catalog.product.updated.v1', at - interval '30 days', 'merchant',
        gen_random_uuid(), 1, repeat('x', 200)
      from made
    `
  }
] as const satisfies ReadonlyArray<Ageing>

/**
 * Statements that fill a table with `rows` rows and simulate ten days. Each half day inserts as many rows as it
 * deletes, and vacuum frees the space. No remaining row is expired.
 */
export const agedBy = (
  { end, insert, life, name, going = (rows) => `delete from ${name} where ${rows}` }: Ageing,
  owner: Owner,
  rows: number
): ReadonlyArray<string> => {
  /** Inserts the rows of the half days that end `ago` half days before now. */
  const created = (halfDays: number, ago: number) => {
    const count = Math.round((rows * halfDays) / (2 * life))
    return `
      with made as (
        select now() + (${2 * life - ago} - ${halfDays} * n / ${count}.0) * interval '12 hours' as at
        from generate_series(${count - 1}, 0, -1) n
      ) ${insert(owner)}
    `
  }
  const gone = (ago: number) => going(`${end} <= now() - ${ago} * interval '12 hours' + interval '1 minute'`)
  const vacuum = `vacuum (analyze) ${name}`
  const halfDays = Array.from({ length: 2 * DAYS }, (_, index) => 2 * DAYS - 1 - index)
  return [
    created(2 * life, 2 * DAYS),
    vacuum,
    ...halfDays.flatMap((ago) => [gone(ago), vacuum, created(1, ago)]),
    gone(0),
    vacuum
  ]
}
