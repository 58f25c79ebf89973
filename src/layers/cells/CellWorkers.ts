import { Effect, Layer, Schedule } from "effect"
import { CurrentCell } from "../../domain/cells/Cells.ts"
import { logFailure } from "../../domain/Unavailable.ts"
import { awaitSchema } from "../Database.ts"
import { Cells, type CellServices } from "./Cells.ts"

/** Pause before the background work of a cell that cannot be used is started again. */
const RESTART = Schedule.spaced("5 seconds")

/** Runs background work in every cell besides `main`. A cell that is out of reach does not stop the others. */
export const inEveryCell = <E, R>(
  work: Layer.Layer<never, E, R>
): Layer.Layer<never, never, Cells | Exclude<R, CellServices>> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { names, servicesOf } = yield* Cells
      for (const cell of names) {
        const services = Layer.effectContext(servicesOf(cell))
        yield* Layer.launch(
          Layer.fresh(work).pipe(Layer.provide(Layer.effectDiscard(awaitSchema)), Layer.provide(services))
        ).pipe(
          Effect.catchCause((cause) => logFailure(`The background work of the cell ${cell} stopped`, cause)),
          Effect.repeat(RESTART),
          Effect.provideService(CurrentCell, cell),
          Effect.forkScoped
        )
      }
    })
  )
