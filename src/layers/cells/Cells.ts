import { Cause, Context, Effect, Layer, LayerMap, Scope } from "effect"
import { type CellName, hasMoved } from "../../domain/cells/Cells.ts"
import type { StoreId } from "../../domain/Store.ts"
import { logFailure, Unavailable } from "../../domain/Unavailable.ts"
import { DomainLive } from "../Domain.ts"
import { checkSchema, checkSession } from "../Database.ts"
import { databaseSettings } from "../DatabaseConfig.ts"
import { GlobalDatabase, postgres } from "../sql/Postgres.ts"
import { type CellSettings, cellSettings } from "./CellSettings.ts"
import { domainInCell, GlobalServices } from "./CellServices.ts"
import { Directory } from "./Directory.ts"
import { MemberRoles } from "./MemberRoles.ts"

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
      const { directUrl, readUrl, setting, url } = cell
      const { sql } = yield* GlobalDatabase
      const directory = yield* Directory
      const services = yield* GlobalServices
      const { isPrepared, maxConnections } = yield* databaseSettings
      const database = Layer.provideMerge(
        Layer.effectDiscard(Effect.andThen(checkSession({ name: setting, url }), checkSchema({ name: setting, url }))),
        postgres({
          url,
          maxConnections,
          isPrepared: isPrepared && directUrl === undefined,
          ...(directUrl === undefined ? {} : { directUrl }),
          ...(readUrl === undefined ? {} : { readUrl })
        })
      )
      const shared = Layer.mergeAll(
        Layer.succeed(GlobalDatabase, { sql, isCopied: true }),
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

/**
 * Makes the function that returns an entry of a map, built on the environment of the map alone. The library builds an entry on
 * that of its first caller too, and layers would keep the request of that caller (`Cells.test.ts`). A failed build would stay
 * in the map, so it is removed.
 */
export const makeEntries = Effect.fnUntraced(function* <K, I, E>(map: LayerMap.LayerMap<K, I, E>) {
  const own = yield* Effect.context<never>()
  return (key: K): Effect.Effect<Context.Context<I>, E, Scope.Scope> =>
    Effect.updateContext(map.contextEffect(key), (given: Context.Context<Scope.Scope>) =>
      Context.add(own, Scope.Scope, Context.get(given, Scope.Scope))
    ).pipe(Effect.onError(() => map.invalidate(key)))
})

const CellsLive = Layer.effect(
  Cells,
  Effect.gen(function* () {
    const settings = yield* cellSettings
    const { awaitMove, cellOf } = yield* Directory
    const entryOf = yield* makeEntries(
      yield* LayerMap.make((name: CellName) => makeCell(name, settings), { idleTimeToLive: IDLE })
    )

    return Cells.of({
      names: settings.map(({ name }) => name),

      servicesOf: (cell) =>
        Effect.catchCause(entryOf(cell), (cause) =>
          Effect.andThen(
            logFailure(`The cell ${cell} cannot be used`, cause),
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

/** All services of an installation: those of `main`, on the database of the environment, and the other cells. */
export const InstallationLive = CellsLive.pipe(
  Layer.provideMerge(Layer.mergeAll(GlobalServices.layer, MemberRoles.layer)),
  Layer.provideMerge(Directory.layer),
  Layer.provideMerge(DomainLive)
)
