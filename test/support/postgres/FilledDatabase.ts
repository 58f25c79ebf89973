import { Effect, Fiber, type Redacted } from "effect"
import type pg from "pg"
import { SqlClient } from "effect/sql"
import { migrations } from "../../../src/layers/Migrations.ts"
import { buildIndex, OutsideTransaction } from "../../../src/layers/sql/IndexMigration.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { migrateTo } from "./Migrations.ts"

const STORE = "'00000000-0000-7000-8000-000000000001'"

/** Migrations of a later release, one of each kind: a column, an index, one of a partitioned table, and an update in batches. */
const LATER = {
  "9001_add_column": Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`alter table products add column later integer not null default 0`
  ),
  "9002_index_products": new OutsideTransaction({
    steps: buildIndex({ name: "products_by_later", table: "products", definition: "(store_id, later)" })
  }),
  "9003_index_events": new OutsideTransaction({
    steps: buildIndex({ name: "events_by_kind", table: "events", definition: "(store_id, kind)" })
  }),
  "9004_update_products": new OutsideTransaction({
    steps: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // In batches, because writers wait for the rows of a statement.
      const batch = sql`
        update products set later = 1 where (store_id, id) in (
          select store_id, id from products where store_id = ${sql.literal(STORE)} and later = 0 limit 500
        ) returning id
      `
      yield* Effect.repeat(batch, { until: ({ length }) => length < 500 })
    })
  })
}

/** `$1` is the number of a row. A hash makes the order of ids random. */
const ID = "md5($1::text)::uuid"

/** The same as the id of an event of the past. */
const PAST_ID = "overlay(md5($1::text) placing '00' from 1)::uuid"

interface Filled {
  readonly table: string
  readonly columns: string
  readonly row: string
  /** An update of row `$1`, as requests make them. */
  readonly update: string
}

/** Tables with the most rows. */
const FILLED: ReadonlyArray<Filled> = [
  {
    table: "products",
    columns: "store_id, id, version, slug, facets, document",
    row: `${STORE}, ${ID}, 1, 'p-' || $1, '{}', json_build_object('name', 'Product ' || $1)`,
    update: `update products set version = version + 1 where store_id = ${STORE} and id = ${ID}`
  },
  {
    table: "orders",
    columns: "store_id, id, changed_at, opening, personal, bytes, personal_bytes",
    row: `${STORE}, ${ID}, $1,
      '{"number":"' || $1 || '","placedAt":"2026-01-01T00:00:00.000Z","status":"' ||
        case when $1::integer % 50 = 0 then 'open' else 'completed' end || '"',
      ',"email":"buyer' || $1 || '@example.com"}', 100, 40`,
    update: `update orders set changed_at = changed_at + 1 where store_id = ${STORE} and id = ${ID}`
  },
  {
    table: "webhooks",
    columns: "app_id, url, kinds, secret",
    row: `${ID}, 'https://example.com/' || $1, '{product.created}', ''`,
    update: `update webhooks set url = url where app_id = ${ID}`
  },
  {
    table: "deliveries",
    columns: "store_id, event_id, installation_id, app_id, attempts, finished_at, outcome",
    row: `${STORE}, ${ID}, ${ID}, md5(($1::integer % 100)::text)::uuid, 1, now(), 'delivered'`,
    update: `update deliveries set attempts = 2
      where store_id = ${STORE} and event_id = ${ID} and installation_id = ${ID}`
  },
  {
    table: "events",
    columns: "store_id, id, kind, occurred_at, actor_type, resource_id, resource_version, payload",
    row: `${STORE}, ${PAST_ID}, 'product.created', now(), 'merchant', ${ID}, 1, '{}'`,
    update: `update events set needed_at = now() where store_id = ${STORE} and id = ${PAST_ID}`
  },
  {
    table: "media_objects",
    columns: "store_id, hash, key, content_type, bytes",
    row: `${STORE}, md5($1::text), md5($1::text), 'image/png', 1`,
    update: `update media_objects set bytes = 2 where store_id = ${STORE} and hash = md5($1::text)`
  },
  {
    table: "files",
    columns: "store_id, id, hash, name, url_name, alt, terms, created_at",
    // New files show one of the first objects, because their own may not be inserted yet.
    row: `${STORE}, ${ID}, md5(($1::integer % 100)::text), 'p.png', 'p.png', '', '', now()`,
    update: `update files set alt = 'p' where store_id = ${STORE} and id = ${ID}`
  }
]

const run = (client: pg.Client, text: string, values: ReadonlyArray<number> = []) =>
  Effect.promise(() => client.query(text, [...values]))

/** Webhooks belong to apps, of which no database has a million. */
const rowsIn = (table: string, rows: number) => (table === "webhooks" ? Math.min(rows, 100) : rows)

/** Fills the tables. */
const fill = Effect.fnUntraced(function* (client: pg.Client, rows: number) {
  yield* run(
    client,
    `insert into stores (id, name, plan, currency_code, domain) values (${STORE}, 'Shop', 'scale', 'EUR', 'a.example')`
  )
  yield* run(
    client,
    `insert into apps (id, name, scopes) select md5(n::text)::uuid, 'App', '{}' from generate_series(0, 99) n`
  )
  for (const { columns, row, table } of FILLED) {
    const values = row.replaceAll("$1", "n")
    const last = rowsIn(table, rows) - 1
    yield* run(client, `insert into ${table} (${columns}) select ${values} from generate_series(0, ${last}) n`)
  }
  yield* run(client, "analyze")
})

/** Updates and inserts rows of a table until it is interrupted, and notes the longest wait. */
const write = Effect.fnUntraced(function* (
  client: pg.Client,
  { columns, row, table, update }: Filled,
  rows: number,
  next: { number: number },
  waits: Map<string, number>
) {
  const known = rowsIn(table, rows)
  // Deliveries of new rows have new events; apps of webhooks are limited.
  const insert = table === "webhooks" ? "select $1" : `insert into ${table} (${columns}) values (${row})`
  const round = Effect.gen(function* () {
    const { number } = next
    next.number += 1
    const started = performance.now()
    yield* run(client, update.replaceAll("$1", "$1::integer"), [number % known])
    yield* run(client, insert.replaceAll("$1", "$1::integer"), [rows + number])
    waits.set(table, Math.max(waits.get(table) ?? 0, performance.now() - started))
  })
  yield* Effect.forever(round)
})

/**
 * Fills the tables of the first release, and applies all later migrations and {@link LATER} while sessions write to each
 * table. Returns the longest wait of a writer for each table in milliseconds.
 */
export const migrateUnderWrites = Effect.fn(function* <R>(
  url: Redacted.Redacted,
  rows: number,
  connect: Effect.Effect<pg.Client, never, R>
) {
  const database = postgres({ url, maxConnections: 2, withoutTimeouts: true })
  const client = yield* connect
  const waits = new Map<string, number>()
  yield* Effect.provide(migrateTo({ "0001_baseline": migrations["0001_baseline"] }), database)
  yield* fill(client, rows)
  const writers = yield* Effect.forEach(FILLED, (filled) =>
    Effect.flatMap(connect, (session) => Effect.forkChild(write(session, filled, rows, { number: 0 }, waits)))
  )
  const migrating = yield* Effect.forkChild(Effect.provide(migrateTo({ ...migrations, ...LATER }), database))
  // A writer ends only by a failure.
  yield* Effect.raceFirst(Fiber.join(migrating), Fiber.joinAll(writers))
  yield* Fiber.interruptAll(writers)
  return waits
})
