import { Effect, Option, type Redacted, Schedule, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoreId } from "../../domain/Store.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"
import {
  createSlot,
  createSubscription,
  dropSlot,
  dropSubscription,
  hasSlot,
  hasSubscription
} from "../cells/Subscriptions.ts"
import { nameOfMove } from "./Fence.ts"
import { type MoveTable, ofStore, quoted } from "./MoveTables.ts"

/** Pause between two looks at a state that changes within seconds. */
const POLL = Schedule.spaced("200 millis")

const readCount = requiredRowReader(Schema.Struct({ count: Schema.Int }))

/** Publishes the rows of a store. Never a TRUNCATE, which would empty the table of all stores of the target. */
export const publish = Effect.fn("Replication.publish")(function* (
  sql: SqlClient.SqlClient,
  store: StoreId,
  tables: ReadonlyArray<MoveTable>
) {
  const name = nameOfMove(store)
  const { count } = yield* readCount(sql`select count(*)::integer as count from pg_publication where pubname = ${name}`)
  if (count > 0) return
  const filtered = tables.map((table) => `${quoted(table.name)} where (${ofStore(table, store)})`)
  yield* sql`${sql.literal(
    `create publication ${quoted(name)} for table ${filtered.join(", ")}
     with (publish = 'insert, update, delete', publish_via_partition_root = true)`
  )}`
})

export const unpublish = (sql: SqlClient.SqlClient, store: StoreId) =>
  sql`drop publication if exists ${sql(nameOfMove(store))}`

/** Drops the slot from which a target reads. */
export const dropMoveSlot = Effect.fn("Replication.dropSlot")((sql: SqlClient.SqlClient, store: StoreId) =>
  dropSlot(sql, nameOfMove(store))
)

/**
 * True if a target still follows the source. An abort that was killed may have disabled the subscription or dropped its slot.
 */
export const isFollowed = Effect.fn("Replication.isFollowed")(function* (
  source: SqlClient.SqlClient,
  target: SqlClient.SqlClient,
  store: StoreId
) {
  const name = nameOfMove(store)
  const subscriptions = yield* readCount(target`
    select count(*)::integer as count from pg_subscription s join pg_database d on d.oid = s.subdbid
    where s.subname = ${name} and d.datname = current_database() and s.subenabled and s.subslotname is not null
  `)
  return subscriptions.count > 0 && (yield* hasSlot(source, name))
})

/** Starts copying from a new slot. */
export const subscribe = Effect.fn("Replication.subscribe")(function* (
  source: SqlClient.SqlClient,
  sourceUrl: Redacted.Redacted,
  target: SqlClient.SqlClient,
  store: StoreId
) {
  const name = nameOfMove(store)
  yield* dropMoveSlot(source, store)
  yield* createSlot(source, name)
  yield* createSubscription(target, name, { publication: name, slot: name, url: sourceUrl, isEnabled: true })
})

/** Ends copying. Also drops the slot, if the target reaches the source. */
export const unsubscribe = Effect.fn("Replication.unsubscribe")(function* (
  target: SqlClient.SqlClient,
  store: StoreId
) {
  const name = nameOfMove(store)
  if (!(yield* hasSubscription(target, name))) return
  yield* Effect.catchTag(target`drop subscription ${target(name)}`, "SqlError", () => dropSubscription(target, name))
})

const readCopied = requiredRowReader(Schema.Struct({ ready: Schema.Int, all: Schema.Int }))

/** Reads how many tables are copied. Their later changes follow from then on. */
export const countCopied = (target: SqlClient.SqlClient, store: StoreId) =>
  readCopied(target`
    select count(*)::integer as all, count(*) filter (where r.srsubstate = 'r')::integer as ready
    from pg_subscription_rel r join pg_subscription s on s.oid = r.srsubid where s.subname = ${nameOfMove(store)}
  `)

const readHorizon = requiredRowReader(Schema.Struct({ horizon: Schema.String }))
const readPosition = requiredRowReader(Schema.Struct({ lsn: Schema.String }))
const readPassed = rowReader(Schema.Struct({ hasPassed: Schema.Boolean }))

/** Waits until the target has all that is committed now. Returns the oldest transaction that runs now. */
export const awaitTarget = Effect.fn("Replication.awaitTarget")(function* (
  source: SqlClient.SqlClient,
  store: StoreId
) {
  const { horizon } = yield* readHorizon(source`select pg_snapshot_xmin(pg_current_snapshot())::text as horizon`)
  // Later than all that is committed, and flushed: replication sends only what is on disk.
  const { lsn } = yield* source.withTransaction(
    Effect.andThen(
      source`select set_config('synchronous_commit', 'on', true)`,
      readPosition(source`select pg_logical_emit_message(true, 'store_move', '')::text as lsn`)
    )
  )
  yield* readPassed(source`
    select confirmed_flush_lsn >= ${lsn}::pg_lsn as "hasPassed" from pg_replication_slots where slot_name = ${nameOfMove(store)}
  `).pipe(Effect.repeat({ until: Option.exists(({ hasPassed }) => hasPassed), schedule: POLL }))
  return horizon
})
