import { type Cause, Duration, Effect, Layer, Metric, Schedule } from "effect"
import { SqlClient } from "effect/sql"
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
import { orDefect } from "./sql/Errors.ts"
import { constant } from "./sql/Statement.ts"
import { retryFenced } from "./storeMove/Moving.ts"

/**
 * Seconds between rounds. Expired rows are invisible already, and the shortest lifetime, that of an access token, is an
 * hour.
 */
const INTERVAL = 600

/** Seconds by which a round may follow the one before it too early, because timers are not exact. */
const TOLERANCE = 10

const reportFailure = Effect.fnUntraced(function* (cause: Cause.Cause<never>) {
  yield* Metric.update(housekeepingFailures, 1)
  yield* logFailure("Expired rows could not be deleted", cause)
})

/** Repeats a purge until it deletes nothing. Logs a failure; the next round tries again. */
const purgeAll = (purge: Effect.Effect<number>) =>
  retryFenced(purge).pipe(
    Effect.tap((deleted) => Metric.update(housekeepingDeleted, deleted)),
    Effect.repeat({ while: (deleted) => deleted > 0 }),
    Effect.catchCause(reportFailure)
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

/**
 * Makes a round that runs only if no process has begun one in the last ten minutes on the same database. Returns true if
 * it ran. A process that ends in its round leaves the rest to the next round, of any process.
 */
export const makeDueRound = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const round = Effect.trackDuration(yield* makeHousekeeping, housekeepingDuration, Duration.toSeconds)
  const claim = orDefect(sql`
    update housekeeping set started_at = now()
    where started_at < now() - interval '${constant(INTERVAL - TOLERANCE)} seconds' returning id
  `)
  return Effect.matchCauseEffect(claim, {
    onFailure: (cause) => Effect.as(reportFailure(cause), false),
    onSuccess: ({ length }) => (length > 0 ? Effect.as(round, true) : Effect.succeed(false))
  })
})

/** Deletes expired rows while the server runs. */
export const HousekeepingLive = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* Effect.forkScoped(Effect.repeat(yield* makeDueRound, Schedule.spaced(`${INTERVAL} seconds`)))
  })
)
