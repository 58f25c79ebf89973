import { Data, Effect, Option, type Redacted, Schema } from "effect"
import { type CellName, MAIN } from "../../domain/cells/Cells.ts"
import { databaseOptions } from "../DatabaseConfig.ts"
import { SERVED } from "../access/Stores.ts"
import { migrateDatabase } from "../Migrations.ts"
import { explainDatabaseError } from "../sql/DatabaseFailed.ts"
import { orDefect } from "../sql/Errors.ts"
import { GlobalDatabase, postgres } from "../sql/Postgres.ts"
import { rowsReader } from "../sql/Rows.ts"
import { rowCount } from "../sql/Transaction.ts"
import { cellSettings } from "./CellSettings.ts"
import { addCell } from "./GlobalTables.ts"

const CellSummary = Schema.Struct({
  cell: Schema.String,
  open: Schema.Boolean,
  stores: Schema.Int,
  /** Seconds since the cell confirmed its copies; null if it is not connected, or is `main`. */
  lag: Schema.NullOr(Schema.Number)
})

const readSummaries = rowsReader(CellSummary)

/** The command names a cell that does not exist. */
export class UnknownCell extends Data.TaggedError("UnknownCell")<{ readonly message: string }> {}

/** Lists `main` and all added cells. */
export const listCells = Effect.gen(function* () {
  const { sql } = yield* GlobalDatabase
  return yield* readSummaries(sql`
    select ${MAIN}::text as cell, true as open, null::float8 as lag, (
      select count(*)::integer from stores s where s.deleted_at is null and ${SERVED}
    ) as stores
    union all
    select c.name, c.is_open, (
      select extract(epoch from clock_timestamp() - r.reply_time)::float8 from pg_stat_replication r
      join pg_replication_slots l on l.active_pid = r.pid and l.database = current_database()
      where l.slot_name = 'partner_api_global_' || c.name || '_' || l.datoid limit 1
    ), (select count(*)::integer from directory d where d.cell = c.name)
    from cells c order by 1
  `)
}).pipe(orDefect)

/** Migrates the databases of all cells besides `main`. */
export const migrateCells = Effect.gen(function* () {
  for (const { directUrl, setting, url } of yield* cellSettings) {
    const address = directUrl ?? url
    yield* migrateDatabase.pipe(
      Effect.provide(postgres({ url: address, maxConnections: 2, withoutTimeouts: true })),
      Effect.mapError(explainDatabaseError({ name: setting, url: address }))
    )
  }
})

/**
 * Adds a cell that the settings name. `source` is the URL of `main` for the server of the cell. Has no limit of time, because a new
 * slot waits for all transactions that run on the server of `main`.
 */
export const addConfiguredCell = Effect.fnUntraced(function* (
  name: CellName,
  source: Option.Option<Redacted.Redacted>
) {
  const cell = (yield* cellSettings).find((one) => one.name === name)
  if (cell === undefined) {
    const setting = `CELL_${name.toUpperCase()}_URL`
    return yield* new UnknownCell({
      message: `CELLS does not name ${name}: add it, and set ${setting} to its database`
    })
  }
  const options = yield* databaseOptions
  const main = options.directUrl ?? options.url
  yield* addCell({
    name,
    setting: cell.setting,
    url: cell.directUrl ?? cell.url,
    source: Option.getOrElse(source, () => main)
  }).pipe(Effect.provide(postgres({ url: main, maxConnections: 2, withoutTimeouts: true })))
}, Effect.scoped)

/** Allows or stops the creation of stores in a cell. */
export const setCellOpen = Effect.fnUntraced(function* (name: CellName, isOpen: boolean) {
  const { sql } = yield* GlobalDatabase
  const changed = yield* orDefect(rowCount(sql`update cells set is_open = ${isOpen} where name = ${name}`))
  if (changed === 0) {
    return yield* new UnknownCell({ message: `The cell ${name} was not added; list the cells with: cells list` })
  }
})
