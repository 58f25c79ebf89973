import { Duration, Effect, Layer, Metric, Schedule } from "effect"
import { AccountLinks } from "../domain/access/AccountLinks.ts"
import { Agents } from "../domain/access/Agents.ts"
import { Installations } from "../domain/access/Installations.ts"
import { Presence } from "../domain/access/Presence.ts"
import { Proposals } from "../domain/access/Proposals.ts"
import { Sessions } from "../domain/access/Sessions.ts"
import { Tokens } from "../domain/access/Tokens.ts"
import { ChangeSets } from "../domain/changeSets/ChangeSets.ts"
import { Exports } from "../domain/exports/Exports.ts"
import { Idempotency } from "../domain/Idempotency.ts"
import { Journal } from "../domain/journal/Journal.ts"
import { housekeepingDeleted, housekeepingDuration, housekeepingFailures } from "../domain/Metrics.ts"
import { Files } from "../domain/media/Files.ts"
import { AgentClients } from "../domain/oauth/AgentClients.ts"
import { Grants } from "../domain/oauth/Grants.ts"
import { AppData } from "../domain/records/AppData.ts"
import { logFailure } from "../domain/Unavailable.ts"
import { Webhooks } from "../domain/webhooks/Webhooks.ts"

/**
 * Pause between purges. Expired rows are invisible already, and the shortest lifetime, that of an access token, is an
 * hour.
 */
const INTERVAL = "10 minutes"

/** Repeats a purge until it deletes nothing. Logs a failure; the next round tries again. */
const purgeAll = (purge: Effect.Effect<number>) =>
  purge.pipe(
    Effect.tap((deleted) => Metric.update(housekeepingDeleted, deleted)),
    Effect.repeat({ while: (deleted) => deleted > 0 }),
    Effect.catchCause((cause) =>
      Effect.andThen(Metric.update(housekeepingFailures, 1), logFailure("Expired rows could not be deleted", cause))
    )
  )

/** Makes a round that deletes everything that has expired. */
export const makeHousekeeping = Effect.gen(function* () {
  const services = [
    yield* Idempotency,
    yield* Tokens,
    yield* Grants,
    yield* AgentClients,
    yield* Sessions,
    yield* AccountLinks,
    yield* Presence,
    yield* Proposals,
    yield* Agents,
    yield* Journal,
    yield* Webhooks,
    yield* AppData,
    yield* Installations,
    yield* ChangeSets,
    yield* Exports,
    yield* Files
  ]
  return Effect.forEach(services, ({ purge }) => purgeAll(purge), { discard: true })
})

/** Deletes expired rows while the server runs. */
export const HousekeepingLive = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* (yield* makeHousekeeping).pipe(
      Effect.trackDuration(housekeepingDuration, Duration.toSeconds),
      Effect.repeat(Schedule.spaced(INTERVAL)),
      Effect.forkScoped
    )
  })
)
