import { Cache, Context, Duration, Effect, Layer, Option, Schedule, Schema } from "effect"
import { CellClosed, CellName, MAIN } from "../../domain/cells/Cells.ts"
import { StoreId } from "../../domain/Store.ts"
import { orDefect } from "../sql/Errors.ts"
import { GlobalDatabase } from "../sql/Postgres.ts"
import { rowReader, rowsReader } from "../sql/Rows.ts"

/** Maximum number of stores whose cell a process remembers. */
const REMEMBERED = 100_000

/** Time after which a process asks for the cell of a store again. A cell that a store left answers that it moved before that. */
export const DirectoryLifetime = Context.Reference("layers/cells/DirectoryLifetime", {
  defaultValue: () => Duration.minutes(1)
})

/** Polls of the directory while a store moves: for 5 seconds, which is many times the usual pause. */
const AWAIT_MOVE = Schedule.max([Schedule.spaced("25 millis"), Schedule.recurs(200)])

const readCell = rowReader(Schema.Struct({ cell: Schema.toType(CellName) }))

const readStores = rowsReader(Schema.Struct({ storeId: Schema.toType(StoreId) }))

/** Finds the cell of a store. */
export class Directory extends Context.Service<Directory>()("layers/cells/Directory", {
  make: Effect.gen(function* () {
    const { sql } = yield* GlobalDatabase

    const lookUp = (store: StoreId) =>
      readCell(sql`select cell from directory where store_id = ${store}`).pipe(
        Effect.map(Option.match({ onNone: () => MAIN, onSome: ({ cell }) => cell })),
        orDefect,
        Effect.withSpan("Directory.lookUp")
      )

    const cells = yield* Cache.make({ lookup: lookUp, capacity: REMEMBERED, timeToLive: yield* DirectoryLifetime })
    /** The last answer about each store, for the time in which `main` is out of reach. */
    const last = yield* Cache.make({ lookup: lookUp, capacity: REMEMBERED })

    return {
      /** Returns the cell of a store, from the memory of the process if it is there, or if `main` is out of reach. */
      cellOf: (store: StoreId): Effect.Effect<CellName> =>
        Cache.get(cells, store).pipe(
          Effect.tap((cell) => Cache.set(last, store, cell)),
          Effect.catchDefect((defect) =>
            Effect.flatMap(
              Cache.getOption(last, store),
              Option.match({ onNone: () => Effect.die(defect), onSome: Effect.succeed })
            )
          )
        ),

      /** Waits until the store is in another cell than `left`, and returns that cell, or `left` after 5 seconds. */
      awaitMove: Effect.fn("Directory.awaitMove")((store: StoreId, left: CellName) =>
        Effect.repeat(Cache.refresh(cells, store), { while: (cell) => cell === left, schedule: AWAIT_MOVE }).pipe(
          Effect.andThen(Cache.get(cells, store))
        )
      ),

      /** Fails unless stores may be created in a cell. */
      requireOpen: Effect.fn("Directory.requireOpen")(function* (cell: CellName) {
        const open = yield* sql`select 1 from cells where name = ${cell} and is_open`
        if (open.length === 0) yield* new CellClosed({ cell })
      }, orDefect),

      /** Records the cell of a new store. */
      assign: Effect.fn("Directory.assign")(function* (store: StoreId, cell: CellName) {
        yield* sql`insert into directory (store_id, cell) values (${store}, ${cell})`
        yield* Cache.set(cells, store, cell)
      }, orDefect),

      /** Lists the stores outside of `main` of which an account may be a member. */
      storesOf: Effect.fn("Directory.storesOf")(
        (merchant: string) =>
          Effect.map(
            readStores(sql`select store_id as "storeId" from merchant_stores where merchant_id = ${merchant}`),
            (rows) => rows.map(({ storeId }) => storeId)
          ),
        orDefect
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
