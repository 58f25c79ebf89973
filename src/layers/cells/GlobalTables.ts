import { Data, Effect, type Redacted, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { CellName } from "../../domain/cells/Cells.ts"
import { migrate, migrations } from "../Migrations.ts"
import { postgres } from "../sql/Postgres.ts"
import { requiredRowReader } from "../sql/Rows.ts"
import { createSlot, createSubscription, hasSubscription } from "./Subscriptions.ts"
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

/** Makes the tables of a new cell fit for copies: without foreign keys to them, and without rows of its own. */
const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { count } = yield* readCount(sql`select count(*)::integer as count from stores`)
  if (count > 0) {
    return yield* new CellRefused({ reason: "The database of the cell has stores; use an empty database" })
  }
  for (const [table, names] of Object.entries(FOREIGN_KEYS)) {
    for (const name of names) yield* sql`alter table ${sql(table)} drop constraint if exists ${sql(name)}`
  }
  yield* sql`alter table merchants alter column password_hash drop not null`
  // Migrations insert plans. A copy fails on rows with the same key.
  for (const table of Object.keys(TABLES)) yield* sql`delete from ${sql(table)}`
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

/** Subscribes a cell to the global tables. `source` is the URL of `main` as the server of the cell reaches it. */
const subscribe = Effect.fnUntraced(function* (name: string, slot: string, source: Redacted.Redacted) {
  const sql = yield* SqlClient.SqlClient
  if (yield* hasSubscription(sql, name)) {
    yield* sql`alter subscription ${sql(name)} refresh publication`
  } else {
    yield* prepare
    yield* createSubscription(sql, name, { publication: PUBLICATION, slot, url: source })
  }
  yield* awaitCopies(name)
})

export interface NewCell {
  readonly name: CellName
  readonly setting: string
  readonly url: Redacted.Redacted
  /** URL of `main` as the server of the cell reaches it. */
  readonly source: Redacted.Redacted
}

/**
 * Makes a database a cell: migrates it, and copies the global tables into it. Can be repeated, for example after a failure or
 * when a release adds global tables. Runs on `main`.
 */
export const addCell = Effect.fn("GlobalTables.addCell")(function* ({ name, setting, source, url }: NewCell) {
  const sql = yield* SqlClient.SqlClient
  yield* publish
  const slot = yield* slotOf(sql, name)
  yield* createSlot(sql, slot)
  const database = postgres({ url, maxConnections: 2, withoutTimeouts: true })
  yield* Effect.andThen(migrate(migrations), subscribe(subscriptionOf(name), slot, source)).pipe(
    Effect.provide(database),
    Effect.catchTags({ SqlError: (error) => Effect.fail(explainDatabaseError({ name: setting, url })(error)) })
  )
  yield* sql`insert into cells (name) values (${name}) on conflict do nothing`
})
