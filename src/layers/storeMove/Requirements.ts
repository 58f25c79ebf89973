import { Data, Effect, Option, type Redacted, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { CellName } from "../../domain/cells/Cells.ts"
import type { StoreId } from "../../domain/Store.ts"
import { findLackOfWorkers } from "../cells/Subscriptions.ts"
import { requiredRowReader } from "../sql/Rows.ts"
import type { MoveTable } from "./MoveTables.ts"

/** The move cannot begin or go on. */
export class MoveRefused extends Data.TaggedError("MoveRefused")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

export const refuse = (reason: string) => new MoveRefused({ reason })

/** Cell as a move uses it. */
export interface Cell {
  readonly name: CellName
  readonly sql: SqlClient.SqlClient
  /** URL at which the server of another cell reaches it. */
  readonly url: Redacted.Redacted
}

/** Store, databases and tables of a move. */
export interface Places {
  readonly store: StoreId
  readonly main: Cell
  readonly source: Cell
  readonly target: Cell
  readonly tables: ReadonlyArray<MoveTable>
}

/** Reports the progress of a move. */
export type Report = (line: string) => Effect.Effect<void>

/** Way of the rows to the target: replication while the store is used, or a copy while requests wait. */
export type Method = "replication" | "copy"

/** Maximum difference of the clocks of two cells, for which a switch waits. */
const MAX_CLOCK_MILLIS = 100

const readCount = requiredRowReader(Schema.Struct({ count: Schema.Int }))
const readMicros = requiredRowReader(Schema.Struct({ micros: Schema.NumberFromString }))
const readText = requiredRowReader(Schema.Struct({ text: Schema.NullOr(Schema.String) }))

/** Reads the clock from which ids are made. */
export const microsOf = (sql: SqlClient.SqlClient) => readMicros(sql`select clock_micros()::text as micros`)

const settingOf = (sql: SqlClient.SqlClient, name: string) =>
  Effect.map(readText(sql`select current_setting(${name}) as text`), ({ text }) => text ?? "")

const migrationsOf = ({ sql }: Cell) =>
  readText(sql`select string_agg(name || ' ' || hash, ',' order by migration_id) as text from effect_sql_migrations`)

/** Lists what keeps the target from replicating. */
const replicationProblems = Effect.fnUntraced(function* ({ source, tables, target }: Places) {
  const problems: Array<string> = []
  const level = yield* settingOf(source.sql, "wal_level")
  if (level !== "logical") {
    problems.push(
      `The server of ${source.name} has wal_level = ${level}: set it to logical and restart the server, or use --copy`
    )
  }
  const { count: slots } = yield* readCount(source.sql`select count(*)::integer as count from pg_replication_slots`)
  if (slots >= Number(yield* settingOf(source.sql, "max_replication_slots"))) {
    problems.push(`The server of ${source.name} has no free replication slot: raise max_replication_slots`)
  }
  const { count: subscriptions } = yield* readCount(
    target.sql`select count(*)::integer as count from pg_subscription where subenabled`
  )
  if (subscriptions + 2 > Number(yield* settingOf(target.sql, "max_logical_replication_workers"))) {
    problems.push(
      `The server of ${target.name} has no free workers: raise max_logical_replication_workers and max_worker_processes`
    )
  }
  const fixed = tables.filter(({ isReplicable }) => !isReplicable).map(({ name }) => name)
  if (fixed.length > 0) problems.push(`The tables ${fixed.join(", ")} cannot be replicated by store`)
  return problems
})

/** Lists what makes a move slow. */
export const listWarnings = Effect.fn("StoreMove.listWarnings")(function* ({ target }: Places, method: Method) {
  if (method === "copy") return []
  const lack = yield* findLackOfWorkers(target.sql)
  return Option.isSome(lack) ? [`The server of ${target.name} has ${lack.value}`] : []
})

/** Lists what keeps a move from succeeding. */
export const listProblems = Effect.fn("StoreMove.listProblems")(function* (places: Places, method: Method) {
  const { source, store, target } = places
  const problems: Array<string> = []
  const [here, there] = yield* Effect.all([migrationsOf(source), migrationsOf(target)])
  if (here.text !== there.text) problems.push("The cells have different schemas: run partner-api migrate for both")
  if (method === "replication") problems.push(...(yield* replicationProblems(places)))
  for (const { name, sql } of [source, target]) {
    const canReplicate = yield* Effect.option(sql.withTransaction(sql`set local session_replication_role = replica`))
    if (Option.isNone(canReplicate)) {
      problems.push(`The role of ${name} may not set session_replication_role: grant it, or use a superuser`)
    }
  }
  const [before, between, after] = [
    yield* microsOf(source.sql),
    yield* microsOf(target.sql),
    yield* microsOf(source.sql)
  ]
  const behind = Math.round((before.micros - between.micros) / 1000)
  const ahead = Math.round((between.micros - after.micros) / 1000)
  if (Math.max(behind, ahead) > MAX_CLOCK_MILLIS) {
    problems.push(`The clocks of the cells differ by ${Math.max(behind, ahead)} ms: synchronize them`)
  }
  const { count } = yield* readCount(source.sql`select count(*)::integer as count from stores where id = ${store}`)
  if (count === 0) problems.push(`The cell ${source.name} has no store ${store}`)
  return problems
})
