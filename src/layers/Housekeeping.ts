import { Effect, Layer, Schedule } from "effect"
import { Idempotency } from "../domain/Idempotency.ts"

/** How often expired rows are looked for. A record lives 24 hours, so an hour is soon enough. */
const EVERY = "10 minutes"

/** Deletes what has expired, batch after batch until none is left, for as long as the server runs. */
export const HousekeepingLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { purge } = yield* Idempotency
    const all = Effect.repeat(purge, { while: (deleted) => deleted > 0 })
    yield* all.pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("Expired records could not be deleted", cause)),
      Effect.repeat(Schedule.spaced(EVERY)),
      Effect.forkScoped
    )
  })
)
