import { Effect, Redacted, Schema } from "effect"
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

/**
 * Creates the slot that keeps changes for a subscription, unless it exists. It precedes the subscription: on one server, CREATE
 * SUBSCRIPTION would wait for its own transaction.
 */
export const createSlot = (source: SqlClient.SqlClient, name: string) =>
  source`
    select (pg_create_logical_replication_slot(${name}, 'pgoutput')).slot_name::text
    where not exists (select from pg_replication_slots where slot_name = ${name})
  `

/** Publication and slot that a subscription reads. `url` is the source as the server of the target reaches it. */
interface Source {
  readonly publication: string
  readonly slot: string
  readonly url: Redacted.Redacted
}

/** Creates a subscription that reads from an existing slot. */
export const createSubscription = (target: SqlClient.SqlClient, name: string, { publication, slot, url }: Source) =>
  // Statements of data definition take no parameters.
  target`
    create subscription ${target(name)} connection ${target.literal(`'${Redacted.value(url).replaceAll("'", "''")}'`)}
    publication ${target(publication)} with (create_slot = false, slot_name = ${target.literal(`'${slot}'`)})
  `
