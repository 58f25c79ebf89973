import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { NO_GRANTS } from "../../src/domain/access/AccessRule.ts"
import { Agents } from "../../src/domain/access/Agents.ts"
import { Installations } from "../../src/domain/access/Installations.ts"
import { Proposals } from "../../src/domain/access/Proposals.ts"
import { Tokens } from "../../src/domain/access/Tokens.ts"
import { Idempotency } from "../../src/domain/Idempotency.ts"
import { AppData } from "../../src/domain/records/AppData.ts"
import { Webhooks } from "../../src/domain/webhooks/Webhooks.ts"
import { IdempotencyLive } from "../../src/layers/Idempotency.ts"
import { AccessLive } from "../../src/layers/access/Access.ts"
import { AppDataLive } from "../../src/layers/records/AppData.ts"
import { WebhooksLive } from "../../src/layers/webhooks/Webhooks.ts"
import { WritesLive } from "../../src/layers/Writes.ts"
import { agedBy, AGEING } from "../support/data/Ageing.ts"
import { makeApp, makeStore } from "../support/http/Api.ts"
import { pagesOf } from "../support/postgres/Pages.ts"
import { OneConnectionTest, withoutAutovacuum } from "../support/postgres/PostgresTest.ts"
import { waitUntil } from "../support/process/Process.ts"
import { installing } from "../support/data/Writes.ts"
import { RepositoriesLive } from "../../src/layers/Domain.ts"

const Live = Layer.mergeAll(IdempotencyLive, AccessLive, AppDataLive, WebhooksLive, WritesLive).pipe(
  Layer.provide(RepositoriesLive),
  Layer.provideMerge(Layer.tap(OneConnectionTest, (context) => Effect.provide(withoutAutovacuum, context)))
)

const installed = Effect.gen(function* () {
  const { install } = yield* installing
  const appId = yield* makeApp()
  return { appId, ...(yield* install({ storeId: yield* makeStore(), appId, ...NO_GRANTS })) }
})

/**
 * Vacuums a table, with its partitions, and returns how many dead rows it has kept. Replication that a test of another database
 * starts makes the server keep them for a moment.
 */
const vacuum = Effect.fn(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select pg_stat_force_next_flush()`
  yield* sql`vacuum (analyze) ${sql(table)}`
  const [row] = yield* sql<{ readonly dead: string }>`
    select sum(n_dead_tup) as dead from pg_stat_user_tables where relname = ${table} or starts_with(relname, ${table} || '_')
  `
  return Number(row?.dead)
})

/** The service that purges each table. */
const PURGED = {
  idempotency_records: Idempotency,
  access_tokens: Tokens,
  app_data: AppData,
  installations: Installations,
  agents: Agents,
  proposals: Proposals,
  deliveries: Webhooks,
  events: Webhooks
} as const

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("Purges", (it) => {
  it.effect.each(AGEING)(
    "a purge of $name that finds nothing reads at most 41 pages, whatever the age of the database",
    (table) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const owner = yield* installed
        for (const statement of agedBy({ ...table, life: 1 }, owner, 4000)) yield* sql.unsafe(statement)
        yield* waitUntil(vacuum(table.name), (dead) => dead === 0)
        const { answer, pages } = yield* pagesOf((yield* PURGED[table.name]).purge)
        assert.strictEqual(answer, 0)
        assert.isAtMost(pages, 41)
      })
  )

  it.effect("a purge visits an old event that a delivery still needs only once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { purge } = yield* Webhooks
      const { appId, id, storeId } = yield* installed
      yield* sql`delete from events`
      yield* sql`delete from deliveries`
      // Events of a webhook that was resumed yesterday after a pause of three weeks.
      yield* sql`
        with made as (
          insert into events (store_id, id, kind, occurred_at, actor_type, resource_id, resource_version, payload)
          select ${storeId}, uuid_v7(clock_micros()), 'catalog.product.updated.v1', now() - interval '31 days', 'merchant',
            gen_random_uuid(), 1, '{}'
          from generate_series(1, 2500)
          returning id
        )
        insert into deliveries (store_id, event_id, installation_id, app_id, outcome, finished_at)
        select ${storeId}, id, ${id}, ${appId}, 'delivered', now() - interval '1 day' from made
      `
      const purged = [yield* purge, yield* purge, yield* purge]
      assert.deepStrictEqual(purged, [1000, 1000, 500])
      for (const name of ["deliveries", "events"]) yield* waitUntil(vacuum(name), (dead) => dead === 0)
      const { answer, pages } = yield* pagesOf(purge)
      assert.strictEqual(answer, 0)
      assert.isAtMost(pages, 41)

      assert.lengthOf(yield* sql`select 1 from events`, 2500)
      yield* sql`update deliveries set finished_at = now() - interval '30 days'`
      yield* sql`update events set needed_at = now() - interval '30 days'`
      yield* Effect.repeat(purge, { while: (changed) => changed > 0 })
      assert.lengthOf(yield* sql`select 1 from events union all select 1 from deliveries`, 0)
    })
  )

  it.effect("sessions disable JIT compilation and sequential scans", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const settings = yield* sql`select current_setting('jit') as jit, current_setting('enable_seqscan') as scans`
      assert.deepStrictEqual(settings, [{ jit: "off", scans: "off" }])
    })
  )
})
