import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { migrations } from "../../src/layers/Migrations.ts"
import { start } from "../support/postgres/Migrations.ts"
import { freshDatabase } from "../support/postgres/Postgres.ts"
import { connection, rowsOf } from "../support/process/Process.ts"

const STORE = "01890a5d-ac96-774b-bcce-b302099a8057"

const insertEvent = (id: string) => `
  insert into events (store_id, id, kind, occurred_at, actor_type, resource_id, resource_version, payload)
  values ('${STORE}', ${id}, 'catalog.product.updated.v1', now(), 'merchant', '${STORE}', 1, '{}')
  returning tableoid::regclass::text as partition, hops
`

it.live("the table of events becomes the first partition, with its rows, checks, indexes and storage parameters", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const entries = Object.entries(migrations)
    const before = entries.findIndex(([key]) => key === "0030_events")
    yield* start(url, Object.fromEntries(entries.slice(0, before)))
    const client = yield* connection(Redacted.value(url))
    const far = "uuid_v7(clock_micros() + 30 * 86400000000)"
    for (const id of [`'${STORE}'`, "uuid_v7(clock_micros())", far]) yield* rowsOf(client, insertEvent(id))
    const [table] = yield* rowsOf(client, "select 'events'::regclass::oid::integer as oid")
    yield* start(url)

    const week = Math.floor(Date.now() / 604_800_000) + 1
    const [first, other] = [`events_${week}`, "events_default"]
    assert.deepStrictEqual(yield* rowsOf(client, `select '${first}'::regclass::oid::integer as oid`), [table])
    const rows = yield* rowsOf(
      client,
      "select tableoid::regclass::text as partition, count(*)::integer as count from events group by 1 order by 1"
    )
    assert.deepStrictEqual(rows, [
      { partition: first, count: 2 },
      { partition: other, count: 1 }
    ])
    const inserted = [
      yield* rowsOf(client, insertEvent("uuid_v7(clock_micros())")),
      yield* rowsOf(client, insertEvent(far))
    ]
    assert.deepStrictEqual(inserted.flat(), [
      { partition: first, hops: 0 },
      { partition: other, hops: 0 }
    ])
    const tables = yield* rowsOf(
      client,
      `select relname as name, reloptions::text as storage, (
         select array_agg(pg_get_constraintdef(oid) order by pg_get_constraintdef(oid)) from pg_constraint where conrelid = c.oid and contype <> 'n'
       )::text as constraints, (select count(*)::integer from pg_index where indrelid = c.oid) as indexes
       from pg_class c where relname in ('events', '${first}', '${other}') order by relname`
    )
    const [whole, ...parts] = tables
    assert.match(String(whole?.["constraints"]), /hops >= 0/)
    for (const part of parts) {
      assert.deepInclude(part, { constraints: whole?.["constraints"], indexes: 2 })
      assert.match(String(part["storage"]), /toast_tuple_target=8160,autovacuum_vacuum_scale_factor=0.01/)
    }
  })
)
