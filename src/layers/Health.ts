import { Deferred, Effect, Fiber, Layer, Redacted, Schema } from "effect"
import { Agents } from "../domain/access/Agents.ts"
import { Sessions } from "../domain/access/Sessions.ts"
import { Health } from "../domain/Health.ts"
import { RateLimit } from "../domain/RateLimit.ts"
import { AgentsLive } from "./access/Agents.ts"
import { SessionsLive } from "./access/Sessions.ts"
import { migrations } from "./Migrations.ts"
import { Door } from "./database/Postgres.ts"
import { sql } from "./database/Statement.ts"
import { RateLimitLive } from "./RateLimit.ts"

/** A probe that takes longer has found its answer. */
const PATIENCE = "2 seconds"

/** On where the database is a standby, too. */
const selectSession = sql`select current_setting('transaction_read_only') = 'off' as "isWritable"`
const selectApplied = sql`select from effect_sql_migrations`

/** A token that nobody has: its admission is refused, by the statements that admit everybody. */
const NOBODY = Redacted.make("nobody")

/** Who asks while a look is under way gets its answer: however many ask at once, they hold one connection. */
const shared = <A>(look: Effect.Effect<A>): Effect.Effect<A> => {
  let underWay: Deferred.Deferred<A> | undefined
  return Effect.suspend(() => {
    if (underWay !== undefined) return Deferred.await(underWay)
    const answer = Deferred.makeUnsafe<A>()
    underWay = answer
    const looked = Effect.ensuring(
      look,
      Effect.sync(() => {
        underWay = undefined
      })
    )
    return Effect.andThen(Effect.forkDetach(Deferred.into(looked, answer)), Deferred.await(answer))
  })
}

export const HealthLive = Layer.effect(
  Health,
  Effect.gen(function* () {
    const { count, one } = yield* Door
    const agents = yield* Agents
    const rateLimit = yield* RateLimit
    const sessions = yield* Sessions
    const session = one(Schema.Struct({ isWritable: Schema.Boolean }))(selectSession)
    const applied = count(selectApplied)

    /** A schema only grows. Once it was seen, nothing is read that a migration could lock. */
    let isMigrated = false

    /** Ends once requests of every kind can be admitted: something may hold the tables or connections of admission alone. */
    const admissions = Effect.all(
      [
        Effect.result(rateLimit.admit(NOBODY)),
        Effect.result(agents.admit(NOBODY, 1, "any")),
        Effect.result(sessions.admit(NOBODY, [], 1))
      ],
      { concurrency: "unbounded", discard: true }
    )

    const look = Effect.gen(function* () {
      const { isWritable } = yield* session
      if (!isWritable) yield* Effect.logWarning("The database can only be read")
      if (!isMigrated) isMigrated = (yield* applied) >= Object.keys(migrations).length
      if (!isWritable || !isMigrated) return false
      yield* admissions
      return true
    })

    return Health.of({
      isReady: shared(
        // A silent database does not answer what it is told to stop either: its fiber is left behind.
        Effect.flatMap(Effect.forkDetach(look), Fiber.join).pipe(
          Effect.timeout(PATIENCE),
          Effect.tapCause((cause) => Effect.logWarning("The database does not answer", cause)),
          Effect.catchCause(() => Effect.succeed(false))
        )
      )
    })
  })
).pipe(Layer.provide([AgentsLive, RateLimitLive, SessionsLive]))
