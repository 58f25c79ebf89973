import { Cause, Clock, Context, Data, Duration, Effect, Exit, Fiber, Layer, Option, Redacted, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Agents } from "../domain/access/Agents.ts"
import { Sessions } from "../domain/access/Sessions.ts"
import { Health } from "../domain/Health.ts"
import { RateLimit } from "../domain/RateLimit.ts"
import { logFailure, Unavailable } from "../domain/Unavailable.ts"
import { AgentsLive } from "./access/Agents.ts"
import { SessionsLive } from "./access/Sessions.ts"
import { findMissingMigration } from "./Migrations.ts"
import { AdmissionPool } from "./sql/Postgres.ts"
import { orDefect } from "./sql/Errors.ts"
import { RateLimitLive } from "./rateLimit/RateLimit.ts"

/** A probe that takes longer finds the database slow. */
const TIMEOUT = Duration.seconds(2)

/** Milliseconds in which a refusal arrives. Time limits of connections, locks and statements end a probe later. */
const REFUSAL = 5000

/**
 * Time after the last success for which slow probes find the database usable. Every process sees an overload at the same
 * time: a balancer that took them all out would turn slow requests into failed ones.
 */
export const MaxSlowness = Context.Reference("layers/MaxSlowness", { defaultValue: () => Duration.seconds(30) })

const unavailable = (reason: string) => new Unavailable({ cause: new Error(reason) })

const noResponse = Cause.die(unavailable(`No response within ${Duration.format(TIMEOUT)}`))

/** A token that does not exist. Its admission is refused, by the statements that admit all requests. */
const UNKNOWN_TOKEN = Redacted.make("unknown")

/** Ends the transaction of the probe. */
class RolledBack extends Data.TaggedError("RolledBack") {}

const NIL = "00000000-0000-0000-0000-000000000000"

export const HealthLive = Layer.effect(
  Health,
  Effect.gen(function* () {
    const { sql } = yield* AdmissionPool
    const agents = yield* Agents
    const rateLimit = yield* RateLimit
    const sessions = yield* Sessions

    /** False on a standby too. */
    const findSession = SqlSchema.findOne({
      Request: Schema.Void,
      Result: Schema.Struct({ isWritable: Schema.Boolean }),
      execute: () => sql`select current_setting('transaction_read_only') = 'off' as "isWritable"`
    })

    /** The schema only grows. Once it is complete, the probe reads no table that a migration could lock. */
    let isMigrated = false

    /** Succeeds when requests of every kind are admitted: the tables or connections of one kind alone may be blocked. */
    const admissions = Effect.all(
      [
        Effect.result(rateLimit.admit(UNKNOWN_TOKEN)),
        Effect.result(agents.admit(UNKNOWN_TOKEN, 1, "any")),
        Effect.result(sessions.admit(UNKNOWN_TOKEN, [], 1))
      ],
      { concurrency: "unbounded", discard: true }
    )

    /** Reads the catalog and writes, without a trace: a role may have lost a right, or the disk may be full. */
    const probeWrite = sql
      .withTransaction(
        Effect.gen(function* () {
          yield* sql`select from products limit 1`
          yield* sql`
            insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
            values (${NIL}, ${NIL}, ${randomUUID()}, '', '', now())
          `
          return yield* new RolledBack()
        })
      )
      .pipe(Effect.catchTag("RolledBack", () => Effect.void))

    const findMissing = Effect.catchTag(
      findMissingMigration(sql),
      ["SchemaOfAnotherBuild", "SchemaBeforeReleases"],
      (conflict) => Effect.die(conflict)
    )

    const probe = Effect.gen(function* () {
      const { isWritable } = yield* findSession()
      if (!isWritable) return yield* Effect.die(unavailable("The database can only be read"))
      if (!isMigrated) isMigrated = Option.isNone(yield* findMissing)
      if (!isMigrated) return false
      yield* admissions
      yield* probeWrite
      return true
    }).pipe(orDefect)

    const maxSlowness = Duration.toMillis(yield* MaxSlowness)
    let succeededAt = -Infinity

    const isOnlySlow = Effect.map(Clock.currentTimeMillis, (now) => now - succeededAt < maxSlowness)

    /** Notes a success even if no caller waits any more. A late failure is a time limit, which is slowness. */
    const observed = Effect.gen(function* () {
      const startedAt = yield* Clock.currentTimeMillis
      const exit = yield* Effect.exit(probe)
      const now = yield* Clock.currentTimeMillis
      if (Exit.isFailure(exit)) yield* logFailure("A readiness probe failed", exit.cause)
      if (Exit.isSuccess(exit) && exit.value) succeededAt = now
      else if (now - startedAt < REFUSAL) succeededAt = -Infinity
      return yield* isOnlySlow
    })

    // Callers share a running probe: together they use one connection, also while the database is slow.
    const shared = yield* Effect.cachedWithTTL(observed, 0)

    return Health.of({
      // A silent database does not respond to a cancellation either, so nothing waits for its fiber.
      isReady: Effect.flatMap(Effect.forkDetach(shared), Fiber.join).pipe(
        Effect.timeoutOrElse({
          duration: TIMEOUT,
          orElse: () => Effect.andThen(logFailure("A readiness probe is slow", noResponse), isOnlySlow)
        })
      )
    })
  })
).pipe(Layer.provide([AgentsLive, RateLimitLive, SessionsLive]))
