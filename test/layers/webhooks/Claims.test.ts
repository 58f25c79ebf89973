import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Installations } from "../../../src/domain/Installations.ts"
import { InstallationsLive } from "../../../src/layers/Installations.ts"
import { MigrationsLive } from "../../../src/layers/Migrations.ts"
import { postgres } from "../../../src/layers/Postgres.ts"
import { makeQueue } from "../../../src/layers/webhooks/Queue.ts"
import { makeStore } from "../../support/Api.ts"
import { freshDatabase } from "../../support/Postgres.ts"

/** On one connection, which keeps its plans, and whose session tells what it read when it is asked to. */
const Live = Layer.unwrapScoped(
  Effect.map(freshDatabase, (url) =>
    InstallationsLive.pipe(Layer.provideMerge(MigrationsLive), Layer.provideMerge(postgres({ url, maxConnections: 1 })))
  )
).pipe(Layer.orDie)

const DELIVERIES = 10_000
const CLAIMS = 10

/** One delivery of each event, to one of `apps` apps. */
const fill = Effect.fn(function* (apps: number) {
  const sql = yield* PgClient.PgClient
  const { createApp, install } = yield* Installations
  const storeId = yield* makeStore()
  for (let n = 0; n < apps; n++) {
    const appId = yield* createApp({ name: "An app", scopes: [] })
    yield* install({ storeId, appId, scopes: [] })
    yield* sql`insert into webhooks (app_id, url, kinds, secret) values (${appId}, 'https://example.com/', '{any}', '')`
  }
  yield* sql`
    with made as (
      insert into events (store_id, id, kind, occurred_at, actor_type, resource_id, resource_version, payload)
      select ${storeId}, uuid_v7(clock_micros() + n), 'any', now(), 'merchant', gen_random_uuid(), 1, repeat('x', 500)
      from generate_series(1, ${DELIVERIES / apps}::integer) n
      returning id
    )
    insert into deliveries (store_id, event_id, installation_id, app_id)
    select i.store_id, made.id, i.id, i.app_id from made cross join installations i where i.store_id = ${storeId}
  `
})

/** Rows of the queue's tables that this session has read, from the tables or by an index. */
const rowsRead = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`select pg_stat_force_next_flush()`
  const [row] = yield* sql<{ readonly rows: number }>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows from pg_stat_user_tables
    where relname in ('deliveries', 'delivery_attempts', 'events', 'installations', 'stores', 'webhooks')
  `
  return row?.rows ?? 0
})

for (const [state, apps] of [
  ["new", 1],
  ["new", 10],
  ["vacuumed", 1],
  ["vacuumed", 10]
] as const) {
  it.scopedLive(
    `a claim first made on empty tables, ${state}, reads no table whole when ${apps} apps have a backlog`,
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const claim = makeQueue(sql).claim(32, new Map())
        // Autovacuum would have the plan made anew.
        for (const table of ["deliveries", "delivery_attempts", "events"]) {
          yield* sql.unsafe(`alter table ${table} set (autovacuum_enabled = off)`)
        }
        if (state === "vacuumed") yield* sql.unsafe("vacuum (analyze)")
        yield* Effect.repeatN(claim, CLAIMS)
        yield* fill(apps)
        const before = yield* rowsRead
        const claimed = yield* Effect.replicateEffect(claim, CLAIMS)
        assert.isAtLeast(claimed.flat().length, CLAIMS * 30)
        // A dozen for each delivery that was claimed.
        assert.isAtMost((yield* rowsRead) - before, 12 * CLAIMS * 32)
      }).pipe(Effect.provide(Live))
  )
}
