import { Effect, Schema } from "effect"
import { type CellName, CellName as Name, MAIN } from "../../domain/cells/Cells.ts"
import { StoreId } from "../../domain/Store.ts"
import { listCells } from "../cells/Administration.ts"
import { orDefect } from "../sql/Errors.ts"
import { GlobalDatabase } from "../sql/Postgres.ts"
import { rowsReader } from "../sql/Rows.ts"
import type { Report } from "./Requirements.ts"
import { moveStore } from "./StoreMove.ts"

const readStores = rowsReader(Schema.Struct({ id: Schema.toType(StoreId) }))

/** Lists the stores of a cell, the newest first. Those of `main` are in no directory. */
const storesIn = Effect.fnUntraced(function* (cell: CellName) {
  const { sql } = yield* GlobalDatabase
  const rows = yield* readStores(
    cell === MAIN
      ? sql`select id from stores where deleted_at is null and moved_at is null order by id desc`
      : sql`select store_id as id from directory where cell = ${cell} order by store_id desc`
  )
  return rows.map(({ id }) => id)
}, orDefect)

const decodeName = Schema.decodeUnknownSync(Name)

/** Cells that take stores, with the number of those that they have. */
const openCells = Effect.map(listCells, (cells) =>
  cells.filter(({ open }) => open).map(({ cell, stores }) => ({ name: decodeName(cell), stores }))
)

const leastOf = (cells: ReadonlyArray<{ readonly name: CellName; readonly stores: number }>) =>
  cells.toSorted((a, b) => a.stores - b.stores)[0]

/** Moves all stores of a cell to the open cells that have the fewest. The cell takes no new ones meanwhile. */
export const drainCell = Effect.fn("drainCell")(function* (cell: CellName, cleanAfter: number, report: Report) {
  let moved = 0
  for (const store of yield* storesIn(cell)) {
    const target = leastOf((yield* openCells).filter(({ name }) => name !== cell))
    if (target === undefined) return yield* Effect.fail({ message: "No other cell takes stores; add or open one" })
    yield* report(`Moving store ${store} to ${target.name}`)
    yield* moveStore({ store, cell: target.name, method: "replication", cleanAfter }, report)
    moved += 1
  }
  return moved
})

/** Moves stores from the open cell with the most to the one with the fewest, until they differ by one at most. */
export const balanceCells = Effect.fn("balanceCells")(function* (limit: number, cleanAfter: number, report: Report) {
  for (let moved = 0; moved < limit; moved++) {
    const cells = (yield* openCells).toSorted((a, b) => a.stores - b.stores)
    const [least, most] = [cells[0], cells.at(-1)]
    if (least === undefined || most === undefined || most.stores - least.stores <= 1) return moved
    const [store] = yield* storesIn(most.name)
    if (store === undefined) return moved
    yield* report(`Moving store ${store} from ${most.name} to ${least.name}`)
    yield* moveStore({ store, cell: least.name, method: "replication", cleanAfter }, report)
  }
  return limit
})
