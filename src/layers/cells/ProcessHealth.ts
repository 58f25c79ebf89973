import { Context, Deferred, Effect, Layer, Metric } from "effect"
import { type CellName, MAIN } from "../../domain/cells/Cells.ts"
import { Health } from "../../domain/Health.ts"
import { databaseReady } from "../../domain/Metrics.ts"
import { Cells } from "./Cells.ts"

/** Time for which the readiness of a cell is kept: all processes probe all cells. */
const KEPT = "2 seconds"

/** Maximum wait for the first database that can be used. A probe takes up to 2 s, and the first connection to a cell longer. */
const LIMIT = "2500 millis"

/** Records the readiness of the database of a cell. */
const recorded = (cell: CellName, isReady: Effect.Effect<boolean>) => {
  const gauge = Metric.withAttributes(databaseReady, { cell })
  return Effect.tap(isReady, (isUp) => Metric.update(gauge, isUp ? 1 : 0))
}

/** Readiness of a process: it can serve the stores of at least one database. */
export const ProcessHealth = Layer.effect(
  Health,
  Effect.gen(function* () {
    const { isReady: isMainReady } = yield* Health
    const { names, servicesOf } = yield* Cells
    const scope = yield* Effect.scope

    const isCellReady = (cell: CellName) =>
      Effect.scoped(Effect.flatMap(servicesOf(cell), (services) => Context.get(services, Health).isReady)).pipe(
        // `servicesOf` has logged it.
        Effect.catchDefect(() => Effect.succeed(false))
      )

    const probes = [
      recorded(MAIN, isMainReady),
      ...(yield* Effect.forEach(names, (cell) => Effect.cachedWithTTL(recorded(cell, isCellReady(cell)), KEPT)))
    ]

    return Health.of({
      isReady: Effect.gen(function* () {
        const answer = yield* Deferred.make<boolean>()
        // Not interrupted by the first answer: the others are recorded, and building a cell goes on.
        yield* Effect.forEach(
          probes,
          (probe) => Effect.tap(probe, (isUp) => (isUp ? Deferred.succeed(answer, true) : Effect.void)),
          { concurrency: "unbounded", discard: true }
        ).pipe(Effect.andThen(Deferred.succeed(answer, false)), Effect.forkIn(scope))
        return yield* Effect.timeoutOrElse(Deferred.await(answer), {
          duration: LIMIT,
          orElse: () => Effect.succeed(false)
        })
      })
    })
  })
)
