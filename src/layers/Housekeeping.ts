import { Effect, Layer, Schedule } from "effect"
import { Agents } from "../domain/access/Agents.ts"
import { Installations } from "../domain/access/Installations.ts"
import { Proposals } from "../domain/access/Proposals.ts"
import { Sessions } from "../domain/access/Sessions.ts"
import { Tokens } from "../domain/access/Tokens.ts"
import { Idempotency } from "../domain/Idempotency.ts"
import { Journal } from "../domain/journal/Journal.ts"
import { AgentClients } from "../domain/oauth/AgentClients.ts"
import { Grants } from "../domain/oauth/Grants.ts"
import { AppData } from "../domain/records/AppData.ts"
import { Webhooks } from "../domain/webhooks/Webhooks.ts"

/** How often it is looked for. An entry of app data is invisible once it has ended, a token lives an hour, a record 24 and a delivery 30 days, so they go soon enough. */
const EVERY = "10 minutes"

/** Batch after batch until none is left. What fails is logged, and tried again next time. */
const all = (work: Effect.Effect<number>) =>
  Effect.catchCause(Effect.repeat(work, { while: (done) => done > 0 }), (cause) =>
    Effect.logWarning("What has expired could not be deleted", cause)
  )

/** Deletes what has expired, for as long as the server runs. */
export const HousekeepingLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const services = [
      yield* Idempotency,
      yield* Tokens,
      yield* Grants,
      yield* AgentClients,
      yield* Sessions,
      yield* Proposals,
      yield* Agents,
      yield* Journal,
      yield* Webhooks,
      yield* AppData,
      yield* Installations
    ]
    yield* Effect.forEach(services, ({ purge }) => all(purge), { discard: true }).pipe(
      Effect.repeat(Schedule.spaced(EVERY)),
      Effect.forkScoped
    )
  })
)
