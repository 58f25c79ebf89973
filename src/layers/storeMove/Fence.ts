import { Effect, Schedule, Schema } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import type { StoreId } from "../../domain/Store.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"
import { rowCount } from "../sql/Transaction.ts"
import { listMoveTables, type MoveTable, ofStore, quoted, storeColumn } from "./MoveTables.ts"

/** Name of what a move creates for a store. */
export const nameOfMove = (store: StoreId) => `store_move_${store.replaceAll("-", "")}`

/** Milliseconds that a change of triggers waits for the lock of a table, while later writers queue behind it. */
const LOCK_TIMEOUT = 300

/** Rows that one statement deletes. */
const BATCH = 2000

/** True if a statement ended at the limit of its time, or of its wait for a lock. */
export const isOverdue = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) &&
  (error.reason._tag === "LockTimeoutError" || error.reason._tag === "StatementTimeoutError")

/** Limits the milliseconds that each statement of a transaction may take, or wait for a lock. */
export const limitWaits = (sql: SqlClient.SqlClient, millis: number) =>
  sql`
    select set_config('lock_timeout', ${String(millis)}, true), set_config('statement_timeout', ${String(millis)}, true)
  `

/** Runs statements in a transaction that does not wait long for locks, and repeats it for a minute if one is taken. */
const withShortLocks = <A>(
  sql: SqlClient.SqlClient,
  timeout: number,
  statements: Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, SqlError.SqlError> =>
  sql
    .withTransaction(Effect.andThen(sql`select set_config('lock_timeout', ${String(timeout)}, true)`, statements))
    .pipe(
      Effect.retry({
        while: isOverdue,
        schedule: Schedule.max([Schedule.jittered(Schedule.spaced("300 millis")), Schedule.recurs(100)])
      })
    )

/** Creates the triggers that check the fence of a store. In the source, they also note the keys of changed rows. */
export const createTriggers = Effect.fn("Fence.createTriggers")(function* (
  sql: SqlClient.SqlClient,
  store: StoreId,
  tables: ReadonlyArray<MoveTable>,
  place: "source" | "target"
) {
  const name = nameOfMove(store)
  for (const table of tables) {
    const noted = place === "source" ? [table.name, ...table.key] : []
    const call = `execute function fence_store('${[store, "", ...noted].join("', '")}')`
    const create = (suffix: string, events: string, row: string) =>
      sql`${sql.literal(
        `create or replace trigger ${quoted(name + suffix)} before ${events} on ${quoted(table.name)} for each row
         when (${row}.${storeColumn(table)} = '${store}') ${call}`
      )}`
    yield* withShortLocks(
      sql,
      LOCK_TIMEOUT,
      Effect.andThen(create("_w", "insert or update", "new"), create("_d", "delete", "old"))
    )
  }
})

/** Drops these triggers. */
export const dropTriggers = Effect.fn("Fence.dropTriggers")(function* (
  sql: SqlClient.SqlClient,
  store: StoreId,
  tables: ReadonlyArray<MoveTable>
) {
  const name = nameOfMove(store)
  for (const table of tables) {
    const drop = (suffix: string) =>
      sql`${sql.literal(`drop trigger if exists ${quoted(name + suffix)} on ${quoted(table.name)}`)}`
    const found = yield* sql`
      select from pg_trigger where tgrelid = ${quoted(table.name)}::regclass and starts_with(tgname, ${name}) limit 1
    `
    if (found.length > 0) yield* withShortLocks(sql, LOCK_TIMEOUT, Effect.andThen(drop("_w"), drop("_d")))
  }
})

const readFence = rowReader(Schema.Struct({ state: Schema.Literals(["draining", "leaving", "arriving"]) }))

/** Finds the fence of a store. Waits for a transaction that removes it. */
export const findFence = (sql: SqlClient.SqlClient, store: StoreId) =>
  readFence(sql`select state from store_fences where store_id = ${store} for update`)

/** Makes workers ignore a store. */
export const addFence = (sql: SqlClient.SqlClient, store: StoreId, state: "draining" | "arriving") =>
  sql`insert into store_fences (store_id, state) values (${store}, ${state}) on conflict do nothing`

export const removeFence = (sql: SqlClient.SqlClient, store: StoreId) =>
  sql`delete from store_fences where store_id = ${store}`

/** Deletes the noted keys of rows that changed before the transaction `before`, or all. */
export const forgetChanges = (sql: SqlClient.SqlClient, store: StoreId, before?: string) =>
  sql`
    delete from store_changes
    where store_id = ${store} and (${before ?? null}::text is null or xid < ${before ?? null}::text::xid8)
  `

const readFrozen = requiredRowReader(Schema.Struct({ movedAt: Schema.String, newest: Schema.NumberFromString }))

/**
 * Ends writes to a store, after those that have begun. Writers queue behind the lock, so it is not awaited for long. Returns
 * the time from which they waited.
 */
export const freeze = (sql: SqlClient.SqlClient, store: StoreId) =>
  withShortLocks(
    sql,
    100,
    Effect.gen(function* () {
      const start = performance.now()
      // Replication sends only what is on disk.
      yield* sql`select set_config('synchronous_commit', 'on', true)`
      yield* sql`select pg_advisory_xact_lock(72103, uuid_hash(${store}::uuid))`
      yield* sql`update stores set moved_at = coalesce(moved_at, clock_timestamp()) where id = ${store}`
      yield* sql`
        insert into store_fences (store_id, state) values (${store}, 'leaving')
        on conflict (store_id) do update set state = 'leaving'
      `
      return start
    })
  )

/** Reads when a store was frozen, and the newest microsecond that an id of it may have. */
export const readFreeze = (sql: SqlClient.SqlClient, store: StoreId) =>
  readFrozen(sql`
    select moved_at::text as "movedAt", greatest(id_clock, (extract(epoch from moved_at) * 1000000)::bigint)::text as newest
    from stores where id = ${store}
  `)

/**
 * Records the position of this database as that of the last writes of all installations of a store, for reads from its
 * replica. Positions that came from another database mean nothing here.
 */
export const recordPositions = (sql: SqlClient.SqlClient, store: StoreId) =>
  sql`update rate_windows set written = pg_current_wal_insert_lsn() where store_id = ${store}`

/** Accepts writes to a store in this database. */
export const thaw = Effect.fn("Fence.thaw")((sql: SqlClient.SqlClient, store: StoreId) =>
  sql
    .withTransaction(
      Effect.andThen(removeFence(sql, store), sql`update stores set moved_at = null where id = ${store}`)
    )
    .pipe(Effect.andThen(recordPositions(sql, store)))
)

/** Deletes the rows of a store in batches, without triggers and cascades. */
export const deleteRows = Effect.fn("Fence.deleteRows")(function* (sql: SqlClient.SqlClient, store: StoreId) {
  // The partitions of a table are not the same in all cells.
  const tables = yield* listMoveTables(sql)
  // The store is last, because requests of processes that remember this cell find there that it moved.
  for (const table of tables.toSorted((a, b) => Number(a.name === "stores") - Number(b.name === "stores"))) {
    for (const part of table.parts) {
      const condition = ofStore(table, store)
      const batch = Effect.andThen(
        sql`set local session_replication_role = replica`,
        rowCount(
          sql`${sql.literal(
            `delete from ${part} where ctid = any(array(select ctid from ${part} where ${condition} limit ${BATCH}))`
          )}`
        )
      )
      yield* Effect.repeat(sql.withTransaction(batch), { while: (deleted) => deleted === BATCH })
    }
  }
})
