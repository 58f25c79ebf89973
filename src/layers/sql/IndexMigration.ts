import { Data, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** The statements of a migration. */
export type Steps = Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>

/**
 * A migration that runs outside a transaction, as `create index concurrently` must. It may be cut short after any of its
 * statements and then starts again with the first, so each of them must be repeatable.
 */
export class OutsideTransaction extends Data.TaggedClass("OutsideTransaction")<{ readonly steps: Steps }> {}

/** Milliseconds that a migration waits for a table: everybody who asks for the table later waits behind it. */
const LOCK_TIMEOUT = 2_000

/** Bounds the waits of the session for tables. */
export const limitLockWaits: Steps = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select set_config('lock_timeout', ${String(LOCK_TIMEOUT)}, false)`
)

interface Index {
  readonly name: string
  readonly table: string
  /** The columns, and the condition of a partial index. */
  readonly definition: string
}

const buildOne = Effect.fnUntraced(function* ({ definition, name, table }: Index) {
  const sql = yield* SqlClient.SqlClient
  // A concurrent build waits for the transactions of others without holding anybody up, so it may wait for hours.
  yield* sql`set lock_timeout = 0`
  const invalid = yield* sql`select from pg_index where indexrelid = to_regclass(${name}) and not indisvalid`
  if (invalid.length > 0) yield* sql`drop index concurrently ${sql(name)}`
  yield* sql`create index concurrently if not exists ${sql(name)} on ${sql(table)} ${sql.literal(definition)}`
  yield* limitLockWaits
})

/**
 * Builds an index while others write to the table. A build that was cut short leaves an invalid index, which is dropped
 * and built again. PostgreSQL cannot build the index of a partitioned table concurrently: each partition gets its own
 * first, and the index of the table then only adopts them.
 */
export const buildIndex = Effect.fnUntraced(function* (index: Index) {
  const sql = yield* SqlClient.SqlClient
  const { definition, name, table } = index
  const partitions = yield* sql<{ readonly partition: string }>`
    select c.relname as partition from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${table}) order by c.oid
  `
  if (partitions.length === 0) return yield* buildOne(index)
  for (const { partition } of partitions) {
    yield* buildOne({ name: name.replace(table, partition), table: partition, definition })
  }
  yield* sql`create index if not exists ${sql(name)} on ${sql(table)} ${sql.literal(definition)}`
})
