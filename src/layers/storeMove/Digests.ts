import { Data, Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { StoreId } from "../../domain/Store.ts"
import { rowsReader } from "../sql/Rows.ts"
import { keepTransaction } from "../storeBackup/Session.ts"
import { type MoveTable, ofStore, quoted, textOf } from "./MoveTables.ts"

/*
 * Compares the rows of a store in two databases by digests of whole rows. Reading all of them takes longer than writes may
 * wait. So all rows are compared while the store is used, and those that change are noted by triggers and compared again:
 * in use, and the last of them behind the fence.
 */

/** The target has other rows than the source. */
export class RowsDiffer extends Data.TaggedError("RowsDiffer")<{ readonly tables: ReadonlyArray<string> }> {
  override get message() {
    return `The copy differs from the source in ${this.tables.join(", ")}. The store stays where it is; run the command with --abort, then move it again`
  }
}

interface Databases {
  readonly source: SqlClient.SqlClient
  readonly target: SqlClient.SqlClient
}

/** Row by its key, which is JSON in one form. */
interface RowKey {
  readonly table: string
  readonly key: string
}

/** Connections of each database that compare at once. */
const CONNECTIONS = 3

/** Number of buckets that a table is compared by. */
const BUCKETS = 4096

const hash = (columns: ReadonlyArray<string>) => `hashtextextended(${textOf(columns)} collate "C", 0)`

/** Key of a row as JSON, as triggers note it. */
const keyOf = (table: MoveTable) =>
  `jsonb_build_object(${table.key.map((name) => `'${name}', t.${quoted(name)}`).join(", ")})::text`

/** Runs a read whose values have the same text everywhere. It can be interrupted. */
const reading = <A, E>(sql: SqlClient.SqlClient, read: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError.SqlError> =>
  sql.withTransaction(Effect.interruptible(Effect.andThen(keepTransaction(sql), read)))

const readBuckets = rowsReader(Schema.Struct({ bucket: Schema.Int, digest: Schema.String }))
const readRows = rowsReader(Schema.Struct({ table: Schema.String, key: Schema.String, digest: Schema.String }))
const readKeys = rowsReader(Schema.Struct({ table: Schema.String, key: Schema.String }))

const bucketOf = (table: MoveTable) => `(${hash(table.key)} & ${BUCKETS - 1})::integer`

const bucketsOf = (sql: SqlClient.SqlClient, table: MoveTable, store: StoreId) =>
  Effect.map(
    reading(
      sql,
      readBuckets(
        sql`${sql.literal(`
          select ${bucketOf(table)} as bucket, count(*) || ':' || sum(${hash(table.columns)}::numeric) as digest
          from ${quoted(table.name)} t where ${ofStore(table, store)} group by 1
        `)}`
      )
    ),
    (rows) => new Map(rows.map(({ bucket, digest }) => [bucket, digest] as const))
  )

/** Reads keys and digests of the rows that `from` selects as `t`. */
const selectRows = (table: MoveTable, from: string) =>
  `select '${table.name}' as table, ${keyOf(table)} as key, ${hash(table.columns)}::text as digest from ${from}`

type Row = RowKey & { readonly digest: string }

const idOf = ({ key, table }: RowKey) => `${table} ${key}`

/** Finds the rows that are not in both lists. */
const differingRows = (originals: ReadonlyArray<Row>, copies: ReadonlyArray<Row>): ReadonlyArray<RowKey> => {
  const others = new Map(copies.map((row) => [idOf(row), row] as const))
  const differing: Array<RowKey> = []
  for (const row of originals) {
    const id = idOf(row)
    if (others.get(id)?.digest !== row.digest) differing.push(row)
    others.delete(id)
  }
  return [...differing, ...others.values()]
}

/** Finds rows of a table that differ. The store may be in use. */
const compareTable = Effect.fnUntraced(function* ({ source, target }: Databases, table: MoveTable, store: StoreId) {
  const copies = yield* bucketsOf(target, table, store)
  const originals = yield* bucketsOf(source, table, store)
  const buckets = [...new Set([...copies.keys(), ...originals.keys()])].filter(
    (bucket) => copies.get(bucket) !== originals.get(bucket)
  )
  if (buckets.length === 0) return []
  const condition = `${ofStore(table, store)} and ${bucketOf(table)} = any(array[${buckets.join(", ")}])`
  const read = (sql: SqlClient.SqlClient) =>
    reading(sql, readRows(sql`${sql.literal(selectRows(table, `${quoted(table.name)} t where ${condition}`))}`))
  return differingRows(yield* read(source), yield* read(target))
})

/** Finds those of some rows that differ. */
const compareRows = Effect.fnUntraced(function* (
  { source, target }: Databases,
  tables: ReadonlyArray<MoveTable>,
  keys: ReadonlyArray<RowKey>
) {
  const statements = tables.flatMap((table) => {
    const wanted = keys.filter((row) => row.table === table.name)
    if (wanted.length === 0) return []
    const list = `'[${wanted
      .map(({ key }) => key)
      .join(",")
      .replaceAll("'", "''")}]'`
    const isSame = table.key.map((name) => `t.${quoted(name)} = k.${quoted(name)}`).join(" and ")
    const from = `json_populate_recordset(null::${quoted(table.name)}, ${list}) k join ${quoted(table.name)} t on ${isSame}`
    return [selectRows(table, from)]
  })
  if (statements.length === 0) return []
  const read = (sql: SqlClient.SqlClient) =>
    reading(
      sql,
      Effect.andThen(
        // Rows are read by their key, whatever is known about the size of a new table.
        sql`
          select set_config(name, 'off', true)
          from unnest('{enable_seqscan,enable_hashjoin,enable_mergejoin}'::text[]) as settings (name)
        `,
        readRows(sql`${sql.literal(statements.join(" union all "))}`)
      )
    )
  const [originals, copies] = yield* Effect.all([read(source), read(target)], { concurrency: 2 })
  return differingRows(originals, copies)
})

/** Lists the rows that changed in transactions from `horizon` on. */
const listChanged = (source: SqlClient.SqlClient, store: StoreId, horizon: string) =>
  readKeys(source`
    select distinct table_name as table, key::text as key from store_changes
    where store_id = ${store} and xid >= ${horizon}::text::xid8
  `)

/** Fails if a row differs. */
const requireNone = (differing: ReadonlyArray<RowKey>) =>
  differing.length === 0
    ? Effect.void
    : Effect.fail(new RowsDiffer({ tables: [...new Set(differing.map(({ table }) => table))] }))

/** Fails if a row differs that has not changed since: the target had all that was committed before `horizon`. */
const requireChanged = Effect.fnUntraced(function* (
  differing: ReadonlyArray<RowKey>,
  source: SqlClient.SqlClient,
  store: StoreId,
  horizon: string
) {
  if (differing.length === 0) return
  const changed = new Set((yield* listChanged(source, store, horizon)).map(idOf))
  yield* requireNone(differing.filter((row) => !changed.has(idOf(row))))
})

const compareTables = (databases: Databases, tables: ReadonlyArray<MoveTable>, store: StoreId) =>
  Effect.map(
    Effect.forEach(tables, (table) => compareTable(databases, table, store), { concurrency: CONNECTIONS }),
    (differing) => differing.flat()
  )

/** Compares all rows, except those that change from `horizon` on. The store may be in use. */
export const compareAll = Effect.fn("Digests.compareAll")(function* (
  databases: Databases,
  tables: ReadonlyArray<MoveTable>,
  store: StoreId,
  horizon: string
) {
  yield* requireChanged(yield* compareTables(databases, tables, store), databases.source, store, horizon)
})

/** Compares all rows. The store must be frozen. */
export const compareFrozen = Effect.fn("Digests.compareFrozen")(function* (
  databases: Databases,
  tables: ReadonlyArray<MoveTable>,
  store: StoreId
) {
  yield* requireNone(yield* compareTables(databases, tables, store))
})

/** Compares the rows that changed from `last` on, except those that change from `horizon` on. The store may be in use. */
export const compareChanged = Effect.fn("Digests.compareChanged")(function* (
  databases: Databases,
  tables: ReadonlyArray<MoveTable>,
  store: StoreId,
  last: string,
  horizon: string
) {
  const differing = yield* compareRows(databases, tables, yield* listChanged(databases.source, store, last))
  yield* requireChanged(differing, databases.source, store, horizon)
})

/** Compares the last rows that changed, from `last` on. The store must be frozen. */
export const compareLast = Effect.fn("Digests.compareLast")(function* (
  databases: Databases,
  tables: ReadonlyArray<MoveTable>,
  store: StoreId,
  last: string
) {
  yield* requireNone(yield* compareRows(databases, tables, yield* listChanged(databases.source, store, last)))
})
