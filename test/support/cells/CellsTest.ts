import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { CellName, MAIN } from "../../../src/domain/cells/Cells.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { HashCost } from "../../../src/layers/access/Passwords.ts"
import { Cells, type CellServices } from "../../../src/layers/cells/Cells.ts"
import { DirectoryLifetime } from "../../../src/layers/cells/Directory.ts"
import { installing } from "../data/Writes.ts"
import { baseUrl, makeApp, makeClient, makeStore, TemporaryData } from "../http/Api.ts"
import { installationOn } from "../http/Installation.ts"
import { cellDatabases, type CellDatabases } from "./CellDatabases.ts"

/** Databases of the installation under test. */
export class Databases extends Context.Service<Databases, CellDatabases>()("test/CellDatabases") {}

/** The service on `main` and the cells `north` and `south`. Its services are those of `main`. */
export const CellsTest = Layer.unwrap(
  Effect.gen(function* () {
    const databases = yield* cellDatabases(["north", "south"])
    return installationOn(databases).pipe(
      Layer.provide(Layer.succeed(DirectoryLifetime, Duration.millis(10))),
      Layer.provide(TemporaryData),
      Layer.provide(Layer.succeed(HashCost, { memoryCost: 8, timeCost: 1, parallelism: 1 })),
      Layer.merge(Layer.succeed(Databases, databases))
    )
  })
)

export const NORTH = CellName.make("north")
const SOUTH = CellName.make("south")

export const CELLS = [MAIN, NORTH, SOUTH]

/** Runs an effect with the services of a cell. */
export const inCell = <A, E, R>(cell: CellName, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Cells | R> =>
  cell === MAIN
    ? effect
    : Effect.scoped(
        Effect.flatMap(
          Effect.flatMap(Cells, ({ servicesOf }) => servicesOf(cell)),
          (services: Context.Context<CellServices>) => Effect.provideContext(effect, services)
        )
      )

/** Creates a store in a cell, with an app and its token. */
export const storeIn = Effect.fn(function* (cell: CellName) {
  const base = yield* baseUrl
  return yield* inCell(
    cell,
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const { install } = yield* installing
      const appId = yield* makeApp()
      const installation = yield* install({ storeId, appId, ...ALL_GRANTS })
      const { issue } = yield* Tokens
      const { token } = yield* issue(installation)
      return { appId, cell, storeId, installation, client: makeClient(base, Redacted.value(token)) }
    })
  )
})

/** Creates a store with an app in each cell. */
export const storeInEachCell = Effect.all([storeIn(MAIN), storeIn(NORTH), storeIn(SOUTH)])
