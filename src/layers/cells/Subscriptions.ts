import { Effect, Option, Redacted, Schedule, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { requiredRowReader } from "../sql/Rows.ts"

const readCount = requiredRowReader(Schema.Struct({ count: Schema.Int }))

/** True if a database has the subscription. */
export const hasSubscription = (sql: SqlClient.SqlClient, name: string) =>
  Effect.map(
    readCount(sql`
      select count(*)::integer as count from pg_subscription s join pg_database d on d.oid = s.subdbid
      where s.subname = ${name} and d.datname = current_database()
    `),
    ({ count }) => count > 0
  )

/** True if a slot keeps all changes. The source deletes those beyond `max_slot_wal_keep_size`. */
export const hasSlot = (source: SqlClient.SqlClient, name: string) =>
  Effect.map(
    readCount(source`
      select count(*)::integer as count from pg_replication_slots
      where slot_name = ${name} and wal_status is distinct from 'lost'
    `),
    ({ count }) => count > 0
  )

/**
 * Creates the slot that keeps changes for a subscription, unless it exists. CREATE SUBSCRIPTION cannot do it: on one server, it
 * would wait for its own transaction.
 */
export const createSlot = (source: SqlClient.SqlClient, name: string) =>
  source`
    select (pg_create_logical_replication_slot(${name}, 'pgoutput')).slot_name::text
    where not exists (select from pg_replication_slots where slot_name = ${name})
  `

/** Drops a slot, if it exists. Its process may hold it for a moment after the target has left. */
export const dropSlot = (source: SqlClient.SqlClient, name: string) =>
  Effect.retry(
    source`select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = ${name}`,
    Schedule.max([Schedule.spaced("200 millis"), Schedule.recurs(50)])
  )

/** Publication and slot that a subscription reads. `url` is the source as the server of the target reaches it. */
interface Source {
  readonly publication: string
  readonly slot: string
  readonly url: Redacted.Redacted
  readonly isEnabled: boolean
}

/** Creates a subscription that copies the tables of a publication, and reads later changes from a slot. */
export const createSubscription = (target: SqlClient.SqlClient, name: string, source: Source) =>
  // Statements of data definition take no parameters.
  target`
    create subscription ${target(name)} connection ${target.literal(`'${Redacted.value(source.url).replaceAll("'", "''")}'`)}
    publication ${target(source.publication)}
    with (create_slot = false, enabled = ${target.literal(String(source.isEnabled))}, slot_name = ${target.literal(`'${source.slot}'`)})
  `

/** Drops a subscription and leaves its slot, which the source may have lost. */
export const dropSubscription = Effect.fnUntraced(function* (target: SqlClient.SqlClient, name: string) {
  yield* target`alter subscription ${target(name)} disable`
  yield* target`alter subscription ${target(name)} set (slot_name = none)`
  yield* target`drop subscription ${target(name)}`
})

const readWorkers = requiredRowReader(Schema.Struct({ workers: Schema.Int, processes: Schema.Int, needed: Schema.Int }))

/**
 * Describes the workers that a server lacks to receive a store. Each subscription of the server has a worker, a move one more,
 * and its tables are copied by others. Without a free one, each table waits 5 seconds for its turn.
 */
export const findLackOfWorkers = (sql: SqlClient.SqlClient) =>
  Effect.map(
    readWorkers(sql`
      select current_setting('max_logical_replication_workers')::integer as workers,
        current_setting('max_worker_processes')::integer as processes, (
          select count(*) from pg_subscription where subenabled and not starts_with(subname, 'store_move_')
        )::integer + 1 + current_setting('max_sync_workers_per_subscription')::integer as needed
    `),
    ({ needed, processes, workers }) =>
      // The launcher of the workers is a process too.
      workers >= needed && processes > needed
        ? Option.none()
        : Option.some(
            `max_logical_replication_workers = ${workers} and max_worker_processes = ${processes}, and a move to it needs at least ${needed} and ${needed + 1}, or it takes minutes. Raise them and restart the server`
          )
  )
