import { Cause, Context, Effect, Layer, LayerMap, type Scope } from "effect"
import { type CellName, hasMoved } from "../../domain/cells/Cells.ts"
import type { StoreId } from "../../domain/Store.ts"
import { logFailure, Unavailable } from "../../domain/Unavailable.ts"
import { checkSession } from "../Database.ts"
import { databaseSettings } from "../DatabaseConfig.ts"
import { GlobalDatabase, postgres } from "../sql/Postgres.ts"
import { type CellSettings, cellSettings } from "./CellSettings.ts"
import { domainInCell, GlobalServices } from "./CellServices.ts"
import { Directory } from "./Directory.ts"

/** Time after which the connections and services of a cell that nobody uses are released. */
const IDLE = "10 minutes"

/** Builds all services of a cell on connections of its own. */
const makeCell = (name: CellName, settings: ReadonlyArray<CellSettings>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const cell = settings.find((one) => one.name === name)
      if (cell === undefined) {
        const cause = new Error(`CELLS does not name ${name}, which the directory names`)
        return yield* Effect.die(new Unavailable({ cause }))
      }
      const { directUrl, setting, url } = cell
      const global = yield* GlobalDatabase
      const directory = yield* Directory
      const services = yield* GlobalServices
      const { isPrepared, maxConnections } = yield* databaseSettings
      const database = Layer.provideMerge(
        Layer.effectDiscard(checkSession({ name: setting, url })),
        postgres({
          url,
          maxConnections,
          isPrepared: isPrepared && directUrl === undefined,
          ...(directUrl === undefined ? {} : { directUrl })
        })
      )
      const shared = Layer.mergeAll(
        Layer.succeed(GlobalDatabase, global),
        Layer.succeed(Directory, directory),
        Layer.succeed(GlobalServices, services)
      )
      // Without `fresh`, layers are built once for all keys of a map: one cell would be served from the database of another.
      return Layer.fresh(domainInCell(name).pipe(Layer.provideMerge(shared), Layer.provideMerge(database)))
    })
  )

/** Services of a cell. */
export type CellServices = Layer.Success<ReturnType<typeof makeCell>>

/** The cells of the installation besides `main`, each with services and connections of its own. */
export class Cells extends Context.Service<
  Cells,
  {
    readonly names: ReadonlyArray<CellName>
    /**
     * Returns the services of a cell and keeps them until the scope ends. They are built for the first caller. A cell whose
     * database is out of reach dies with `Unavailable`, and is built again for the next caller.
     */
    readonly servicesOf: (cell: CellName) => Effect.Effect<Context.Context<CellServices>, never, Scope.Scope>
    /** Runs an effect for the cell of a store. Repeats it once if the store has moved. */
    readonly inCellOf: <A, E, R>(
      store: StoreId,
      run: (cell: CellName) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
  }
>()("layers/cells/Cells") {}

export const CellsLive = Layer.effect(
  Cells,
  Effect.gen(function* () {
    const settings = yield* cellSettings
    const { awaitMove, cellOf } = yield* Directory
    const cells = yield* LayerMap.make((name: CellName) => makeCell(name, settings), { idleTimeToLive: IDLE })

    return Cells.of({
      names: settings.map(({ name }) => name),

      servicesOf: (cell) =>
        Effect.catchCause(cells.contextEffect(cell), (cause) =>
          // A failed build would stay in the map.
          Effect.andThen(
            Effect.all([cells.invalidate(cell), logFailure(`The cell ${cell} cannot be used`, cause)]),
            Effect.die(new Unavailable({ cause: Cause.squash(cause) }))
          )
        ),

      inCellOf: (store, run) =>
        Effect.flatMap(cellOf(store), (cell) =>
          Effect.catchCauseIf(run(cell), hasMoved, () => Effect.flatMap(awaitMove(store, cell), run))
        )
    })
  })
)
