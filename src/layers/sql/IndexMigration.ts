import { Data, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** The statements of a migration. */
export type MigrationSteps = Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>

/**
 * A migration that runs outside a transaction, as `create index concurrently` requires, and so that an update of many
 * rows holds no table lock of an earlier statement. After an interruption it starts again with the first statement, so
 * each statement must be repeatable.
 */
export class OutsideTransaction extends Data.TaggedClass("OutsideTransaction")<{ readonly steps: MigrationSteps }> {}

/** Milliseconds that a migration waits for a table lock. Later statements on the table queue behind it meanwhile. */
const LOCK_TIMEOUT = 2_000

/** Limits how long the session waits for table locks. */
export const limitLockWaits: MigrationSteps = Effect.flatMap(
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
  // A concurrent build waits for other transactions without blocking them, so it may wait for hours.
  yield* sql`set lock_timeout = 0`
  const invalid = yield* sql`select from pg_index where indexrelid = to_regclass(${name}) and not indisvalid`
  if (invalid.length > 0) yield* sql`drop index concurrently ${sql(name)}`
  yield* sql`create index concurrently if not exists ${sql(name)} on ${sql(table)} ${sql.literal(definition)}`
  yield* limitLockWaits
})

/**
 * Builds an index while other sessions write to the table. An interrupted build leaves an invalid index, which is
 * dropped and built again. PostgreSQL cannot build the index of a partitioned table concurrently: each partition gets
 * its index first, and the index of the table then adopts them.
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
