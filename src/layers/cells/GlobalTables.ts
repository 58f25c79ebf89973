import { Data, Effect, type Redacted, Schedule, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { CellName } from "../../domain/cells/Cells.ts"
import { migrateDatabase } from "../Migrations.ts"
import { postgres } from "../sql/Postgres.ts"
import { requiredRowReader, rowsReader } from "../sql/Rows.ts"
import {
  createSlot,
  createSubscription,
  dropSlot,
  dropSubscription,
  hasSlot,
  hasSubscription
} from "./Subscriptions.ts"
import { missingInCell, missingInMain } from "./Rights.ts"
import { explainDatabaseError } from "../sql/DatabaseFailed.ts"

/*
 * Global tables in the cells. The statements of a cell join a few tables whose rows belong to no store. PostgreSQL copies them
 * from `main` by logical replication (docs/scaling.md, Global tables).
 */

/** Tables of `main` that every cell has a copy of, with the columns if not all. Cells never see hashes of passwords. */
const TABLES: Readonly<Record<string, ReadonlyArray<string> | "all">> = {
  plans: "all",
  merchants: ["id", "email", "name", "is_claimed", "created_at"],
  apps: "all",
  app_plans: "all",
  client_secrets: "all",
  webhooks: "all",
  agent_clients: "all",
  directory: "all"
}

/** Foreign keys that a cell cannot keep: to a copy, whose rows may arrive later, or between copies. */
const FOREIGN_KEYS = {
  stores: ["stores_plan_fkey"],
  members: ["members_merchant_id_fkey"],
  agents: ["agents_created_by_fkey"],
  oauth_grants: ["oauth_grants_merchant_id_fkey"],
  proposals: ["proposals_decided_by_fkey"],
  installations: ["installations_app_id_fkey"],
  subscriptions: ["subscriptions_plan_id_fkey"],
  apps: ["apps_developer_id_fkey"],
  client_secrets: ["client_secrets_app_id_fkey"],
  app_plans: ["app_plans_app_id_fkey"],
  webhooks: ["webhooks_app_id_fkey"]
}

const PUBLICATION = "partner_api_global"

/** Name of the subscription of a cell. */
export const subscriptionOf = (cell: CellName) => `partner_api_global_${cell}`

/** The database cannot hold a cell, or `main` cannot replicate to one. */
export class CellRefused extends Data.TaggedError("CellRefused")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

const readLevel = requiredRowReader(Schema.Struct({ level: Schema.String }))
const readCount = requiredRowReader(Schema.Struct({ count: Schema.Int }))
const readStores = rowsReader(Schema.Struct({ id: Schema.String }))
const readName = requiredRowReader(Schema.Struct({ name: Schema.String }))

/** Returns the name of the slot of a cell. Slots belong to the server, which may have the `main` of several installations. */
export const slotOf = (main: SqlClient.SqlClient, cell: CellName) =>
  Effect.map(
    readName(main`
      select ${subscriptionOf(cell)} || '_' || oid as name from pg_database where datname = current_database()
    `),
    ({ name }) => name
  )

/** Creates the publication of the global tables in `main`. */
const publish = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { level } = yield* readLevel(sql`select current_setting('wal_level') as level`)
  if (level !== "logical") {
    return yield* new CellRefused({
      reason: `The server of DATABASE_URL has wal_level = ${level}; set it to logical, restart the server and try again`
    })
  }
  const tables = Object.entries(TABLES).map(([name, columns]) =>
    columns === "all" ? name : `${name} (${columns.join(", ")})`
  )
  const { count } = yield* readCount(
    sql`select count(*)::integer as count from pg_publication where pubname = ${PUBLICATION}`
  )
  yield* count === 0
    ? sql`create publication ${sql(PUBLICATION)} for table ${sql.literal(tables.join(", "))}`
    : sql`alter publication ${sql(PUBLICATION)} set table ${sql.literal(tables.join(", "))}`
})

/** Fails with all rights that the roles of `main` and of the cell lack. */
const requireRights = Effect.fnUntraced(function* (main: SqlClient.SqlClient, { name, setting, source }: NewCell) {
  const ofMain = yield* missingInMain(main)
  const ofCell = yield* missingInCell(yield* SqlClient.SqlClient, source)
  if (ofMain.length + ofCell.length === 0) return
  const lines = [
    ...(ofMain.length === 0 ? [] : [`on the database of DATABASE_URL: ${ofMain.join("; ")}`]),
    ...(ofCell.length === 0 ? [] : [`on the database of ${setting}: ${ofCell.join("; ")}`])
  ]
  return yield* new CellRefused({
    reason: `The cell ${name} cannot be added, because rights are missing. Run as a superuser ${lines.join(", and ")}. Then run the command again`
  })
})

/** Makes the tables of a new cell fit for copies, whose foreign keys it cannot keep. */
const prepare = Effect.fnUntraced(function* (main: SqlClient.SqlClient, cell: CellName) {
  const sql = yield* SqlClient.SqlClient
  const stores = (yield* readStores(sql`select id from stores order by id limit 1000`)).map(({ id }) => id)
  if (stores.length > 0) {
    // A cell whose subscription was dropped still has its stores.
    const { count } = yield* readCount(main`
      select count(*)::integer as count from directory where cell = ${cell} and ${main.in("store_id", stores)}
    `)
    if (count < stores.length) {
      return yield* new CellRefused({
        reason: `The database has stores that are not in the cell ${cell}; use an empty database, or that of the cell`
      })
    }
  }
  for (const [table, names] of Object.entries(FOREIGN_KEYS)) {
    for (const name of names) yield* sql`alter table ${sql(table)} drop constraint if exists ${sql(name)}`
  }
  yield* sql`alter table merchants alter column password_hash drop not null`
})

/**
 * Makes the first copy of a table replace its rows: those that migrations insert, or those of an earlier subscription. Readers
 * see the old rows until the copy commits. Later changes run no triggers of statements.
 */
const replaceByCopy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Copies run it without a search path.
  yield* sql`
    create or replace function replace_by_copy() returns trigger language plpgsql as $$
      begin
        execute format('delete from %I.%I', tg_table_schema, tg_table_name);
        return null;
      end
    $$
  `
  for (const table of Object.keys(TABLES)) {
    yield* sql`
      create or replace trigger replace_by_copy before insert on ${sql(table)} for each statement
      execute function replace_by_copy()
    `
    yield* sql`alter table ${sql(table)} enable replica trigger replace_by_copy`
  }
})

/** Waits until the first copy of every table is complete. */
const awaitCopies = (subscription: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* readCount(sql`
      select count(*)::integer as count from pg_subscription_rel r join pg_subscription s on s.oid = r.srsubid
      where s.subname = ${subscription} and r.srsubstate <> 'r'
    `)
  }).pipe(
    Effect.repeat({ until: ({ count }) => count === 0, schedule: Schedule.spaced("100 millis") }),
    Effect.timeoutOrElse({
      duration: "2 minutes",
      orElse: () =>
        new CellRefused({
          reason:
            "The global tables were not copied within 2 minutes; see the log of the cell's server, correct the reason, and run the command again"
        })
    })
  )

export interface NewCell {
  readonly name: CellName
  readonly setting: string
  readonly url: Redacted.Redacted
  /** URL of `main` as the server of the cell reaches it. */
  readonly source: Redacted.Redacted
}

/**
 * Subscribes a cell to the global tables, disabled until `main` has the slot. Without the slot an earlier subscription has
 * missed changes: a new one copies all rows again.
 */
const subscribe = Effect.fnUntraced(function* (
  main: SqlClient.SqlClient,
  { name: cell, source }: NewCell,
  slot: string,
  hasChanges: boolean
) {
  const sql = yield* SqlClient.SqlClient
  const name = subscriptionOf(cell)
  const isSubscribed = yield* hasSubscription(sql, name)
  if (isSubscribed && hasChanges) return
  if (!isSubscribed) yield* prepare(main, cell)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      if (isSubscribed) yield* dropSubscription(sql, name)
      yield* createSubscription(sql, name, { publication: PUBLICATION, slot, url: source, isEnabled: false })
    })
  )
})

/** Copies the global tables that a cell does not have yet, and lets changes follow. */
const receive = Effect.fnUntraced(function* (subscription: string) {
  const sql = yield* SqlClient.SqlClient
  yield* replaceByCopy
  yield* sql`alter subscription ${sql(subscription)} enable`
  yield* sql`alter subscription ${sql(subscription)} refresh publication`
  yield* awaitCopies(subscription)
})

/**
 * Makes a database a cell: migrates it, and copies the global tables into it. Can be repeated, for example after a failure, when
 * `main` has lost the slot, or when a release adds global tables. Runs on `main`.
 */
export const addCell = Effect.fn("GlobalTables.addCell")(function* (cell: NewCell) {
  const { name, setting, url } = cell
  const sql = yield* SqlClient.SqlClient
  const database = postgres({ url, maxConnections: 2, withoutTimeouts: true })
  const explain = (error: SqlError.SqlError) => Effect.fail(explainDatabaseError({ name: setting, url })(error))
  yield* requireRights(sql, cell).pipe(Effect.provide(database), Effect.catchTag("SqlError", explain))
  yield* publish
  const slot = yield* slotOf(sql, name)
  const hasChanges = yield* hasSlot(sql, slot)
  yield* migrateDatabase.pipe(Effect.provide(database), Effect.mapError(explainDatabaseError({ name: setting, url })))
  yield* subscribe(sql, cell, slot, hasChanges).pipe(Effect.provide(database), Effect.catchTag("SqlError", explain))
  // Only now: whoever finds the slot may believe that the cell misses nothing.
  if (!hasChanges) yield* dropSlot(sql, slot)
  yield* createSlot(sql, slot)
  yield* receive(subscriptionOf(name)).pipe(Effect.provide(database), Effect.catchTag("SqlError", explain))
  yield* sql`insert into cells (name) values (${name}) on conflict do nothing`
})
