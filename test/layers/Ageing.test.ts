import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Idempotency } from "../../src/domain/Idempotency.ts"
import { Installations } from "../../src/domain/Installations.ts"
import { Webhooks } from "../../src/domain/webhooks/Webhooks.ts"
import { IdempotencyLive } from "../../src/layers/Idempotency.ts"
import { InstallationsLive } from "../../src/layers/Installations.ts"
import { MigrationsLive } from "../../src/layers/Migrations.ts"
import { postgres } from "../../src/layers/Postgres.ts"
import { WebhooksLive } from "../../src/layers/webhooks/Webhooks.ts"
import { makeStore } from "../support/Api.ts"
import { freshDatabase } from "../support/Postgres.ts"

/** On one connection: what a statement read is counted in its session, and told when that is asked to tell. */
const Live = Layer.unwrapScoped(
  Effect.map(freshDatabase, (url) =>
    Layer.mergeAll(IdempotencyLive, InstallationsLive, WebhooksLive).pipe(
      Layer.provideMerge(MigrationsLive),
      Layer.provideMerge(postgres({ url, maxConnections: 1 }))
    )
  )
).pipe(Layer.orDie)

const DAYS = 10

/** Rows that are there on each day. */
const ROWS = 4000

const installed = Effect.gen(function* () {
  const { createApp, install } = yield* Installations
  const appId = yield* createApp({ name: "An app", scopes: [] })
  return { appId, ...(yield* install({ storeId: yield* makeStore(), appId, scopes: [] })) }
})

type Owner = Effect.Effect.Success<typeof installed>

interface Table {
  readonly name: string
  /** When a row may go. */
  readonly end: string
  /** Makes a row for each of `made (at)` that may go at that time. */
  readonly insert: (owner: Owner) => string
}

const TABLES: ReadonlyArray<Table> = [
  {
    name: "idempotency_records",
    end: "expires_at",
    insert: ({ id, storeId }) => `
      insert into idempotency_records (store_id, installation_id, key, fingerprint, status, body, expires_at)
      select '${storeId}', '${id}', gen_random_uuid(), '', 200, repeat('x', 500), at from made
    `
  },
  {
    name: "access_tokens",
    end: "expires_at",
    insert: ({ id, storeId }) => `
      insert into access_tokens (token_hash, store_id, installation_id, expires_at)
      select sha256(gen_random_uuid()::text::bytea), '${storeId}', '${id}', at from made
    `
  },
  {
    name: "deliveries",
    end: "finished_at + interval '30 days'",
    insert: ({ appId, id, storeId }) => `
      insert into deliveries (store_id, event_id, installation_id, app_id, outcome, finished_at)
      select '${storeId}', gen_random_uuid(), '${id}', '${appId}', 'delivered', at - interval '30 days' from made
    `
  },
  {
    name: "events",
    end: "occurred_at + interval '30 days'",
    insert: ({ storeId }) => `
      insert into events (store_id, id, kind, occurred_at, actor_type, resource_id, resource_version, payload)
      select '${storeId}', gen_random_uuid(), 'catalog.product.updated.v1', at - interval '30 days', 'merchant',
        gen_random_uuid(), 1, repeat('x', 500)
      from made
    `
  }
]

/** Half days of which each takes as many rows as it brings, and vacuum finds the room. None that is left may go yet. */
const age = Effect.fn(function* ({ end, insert, name }: Table, owner: Owner) {
  const sql = yield* SqlClient.SqlClient
  const halfDays = Array.from({ length: 2 * DAYS }, (_, index) => 2 * DAYS - index)
  for (const ago of halfDays) {
    yield* sql.unsafe(`delete from ${name} where ${end} <= now() - ${ago} * interval '12 hours'`)
    yield* sql.unsafe(`vacuum (analyze) ${name}`)
    yield* sql.unsafe(`
      with made as (
        select now() + (2 - ${ago} + n / ${ROWS / 2}.0) * interval '12 hours' as at from generate_series(1, ${ROWS / 2}) n
      ) ${insert(owner)}
    `)
  }
  yield* sql.unsafe(`delete from ${name} where ${end} <= now() + interval '1 minute'`)
  yield* sql.unsafe(`vacuum (analyze) ${name}`)
})

/** What `work` answers, and how many pages of the service's tables and indexes it looked at. */
const pagesOf = Effect.fn(function* <A>(work: Effect.Effect<A>) {
  const sql = yield* SqlClient.SqlClient
  const seen = Effect.gen(function* () {
    yield* sql`select pg_stat_force_next_flush()`
    const [row] = yield* sql<{ readonly pages: number }>`
      select sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0))::integer as pages
      from pg_statio_user_tables
    `
    return row?.pages ?? 0
  })
  const before = yield* seen
  const answer = yield* work
  return { answer, pages: (yield* seen) - before }
})

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("A purge", (it) => {
  it.scoped("that finds nothing reads a few pages, however long the service has lived", () =>
    Effect.gen(function* () {
      const owner = yield* installed
      for (const table of TABLES) yield* age(table, owner)
      for (const { purge } of [yield* Idempotency, yield* Installations, yield* Webhooks]) {
        const { answer, pages } = yield* pagesOf(purge)
        assert.strictEqual(answer, 0)
        assert.isAtMost(pages, 40)
      }
    })
  )

  it.scoped("comes upon an old event that a delivery needs longer only once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { purge } = yield* Webhooks
      const { appId, id, storeId } = yield* installed
      yield* sql`delete from events`
      yield* sql`delete from deliveries`
      // Of a webhook that was resumed yesterday after three weeks.
      yield* sql`
        with made as (
          insert into events (store_id, id, kind, occurred_at, actor_type, resource_id, resource_version, payload)
          select ${storeId}, gen_random_uuid(), 'catalog.product.updated.v1', now() - interval '31 days', 'merchant',
            gen_random_uuid(), 1, '{}'
          from generate_series(1, 2500)
          returning id
        )
        insert into deliveries (store_id, event_id, installation_id, app_id, outcome, finished_at)
        select ${storeId}, id, ${id}, ${appId}, 'delivered', now() - interval '1 day' from made
      `
      const purged = [yield* purge, yield* purge, yield* purge]
      assert.deepStrictEqual(purged, [1000, 1000, 500])
      yield* sql.unsafe("vacuum (analyze) events")
      const { answer, pages } = yield* pagesOf(purge)
      assert.strictEqual(answer, 0)
      assert.isAtMost(pages, 40)

      assert.lengthOf(yield* sql`select 1 from events`, 2500)
      yield* sql`update deliveries set finished_at = now() - interval '30 days'`
      yield* sql`update events set needed_at = now() - interval '30 days'`
      yield* Effect.repeat(purge, { while: (changed) => changed > 0 })
      assert.lengthOf(yield* sql`select 1 from events union all select 1 from deliveries`, 0)
    })
  )
})
