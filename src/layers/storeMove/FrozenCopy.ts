import { Effect, Option, Schema, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoreId } from "../../domain/Store.ts"
import { requiredRowReader, rowsReader } from "../sql/Rows.ts"
import { keepTransaction } from "../storeBackup/Session.ts"
import { insertTexts, selectTexts, textAt } from "../storeBackup/StoreTables.ts"
import { compareFrozen } from "./Digests.ts"
import { type MoveTable, ofStore, quoted } from "./MoveTables.ts"
import type { Places, Report } from "./Requirements.ts"

/*
 * Copies the rows of a frozen store through this process, for cells that cannot replicate from each other. Only this process
 * connects to both. A copy that stopped is not continued: its rows are deleted, and the next one begins with all of them.
 */

/** Rows of a batch. A row has a megabyte at most. */
const ROWS = 100

/** Tables that are copied at once. */
const CONNECTIONS = 3

/** Rows, and bytes of rows, that are copied and compared in a second. A busy machine with 2 cores did twice as many. */
const ROWS_PER_SECOND = 4000
const BYTES_PER_SECOND = 4 * 1024 ** 2

const readLines = rowsReader(Schema.Struct({ line: Schema.String }))
const readSize = requiredRowReader(Schema.Struct({ rows: Schema.Int, bytes: Schema.NumberFromString }))

/** Reads how many rows of a store each table has. */
export const measure = (sql: SqlClient.SqlClient, store: StoreId, tables: ReadonlyArray<MoveTable>) =>
  Effect.forEach(tables, (table) =>
    Effect.map(
      readSize(
        sql`${sql.literal(
          `select count(*)::integer as rows, coalesce(sum(pg_column_size(t)), 0)::text as bytes from ${quoted(table.name)} t where ${ofStore(table, store)}`
        )}`
      ),
      (size) => ({ table: table.name, ...size })
    )
  )

/** Estimates the seconds for which writes wait. */
export const estimatePause = (sizes: ReadonlyArray<{ readonly rows: number; readonly bytes: number }>) =>
  Math.ceil(sizes.reduce((sum, { bytes, rows }) => sum + rows / ROWS_PER_SECOND + bytes / BYTES_PER_SECOND, 0.5))

/** Waits until no statement of a killed command inserts rows. The database ends them once it misses the client. */
export const awaitKilledCopies = (target: SqlClient.SqlClient, store: StoreId) =>
  target.withTransaction(target`select pg_advisory_xact_lock(72105, uuid_hash(${store}::uuid))`)

/** Inserts the rows of a table as replication does: without triggers, and without the checks of foreign keys. */
const copyTable = Effect.fnUntraced(function* (
  { source: { sql: source }, store, target: { sql: target } }: Places,
  table: MoveTable,
  onRows: (rows: number) => Effect.Effect<void>
) {
  const select = selectTexts(
    table.columns.map((name) => `t.${quoted(name)}`),
    `${quoted(table.name)} t where ${ofStore(table, store)}`
  )
  const insert = insertTexts(
    table.name,
    table.columns,
    table.types.map((type, index) => `(${textAt(index)})::${type}`)
  )
  const batches = Stream.paginate(0, () =>
    Effect.map(
      readLines(source`fetch forward ${source.literal(String(ROWS))} from rows_of_store`),
      (rows) => [rows.length === 0 ? [] : [rows], rows.length === ROWS ? Option.some(0) : Option.none()] as const
    )
  )
  const write = Effect.gen(function* () {
    yield* keepTransaction(target)
    yield* target`set local session_replication_role = replica`
    yield* target`select pg_advisory_xact_lock_shared(72105, uuid_hash(${store}::uuid))`
    // The next batch is read while one is inserted.
    yield* Stream.runForEach(Stream.buffer(batches, { capacity: 1 }), (rows) =>
      Effect.andThen(target.unsafe(insert, [`[${rows.map(({ line }) => line).join(",")}]`]), onRows(rows.length))
    )
  })
  yield* source.withTransaction(
    Effect.gen(function* () {
      yield* keepTransaction(source)
      yield* source.unsafe(`declare rows_of_store no scroll cursor for ${select}`)
      yield* target.withTransaction(write)
    })
  )
})

/** Copies all rows to the target, which has none, and compares them. `total` is the expected number, for the progress. */
export const copyFrozen = Effect.fn("StoreMove.copyFrozen")(function* (places: Places, total: number, report: Report) {
  const { source, store, tables, target } = places
  let copied = 0
  let shown = 0
  const onRows = (rows: number) => {
    copied += rows
    const percent = Math.min(100, Math.floor((copied * 10) / Math.max(total, 1)) * 10)
    if (percent === shown) return Effect.void
    shown = percent
    return report(`frozen: copied ${percent} % of the rows`)
  }
  yield* Effect.forEach(tables, (table) => copyTable(places, table, onRows), {
    concurrency: CONNECTIONS,
    discard: true
  })
  yield* report("frozen: comparing all rows")
  yield* compareFrozen({ source: source.sql, target: target.sql }, tables, store)
})
