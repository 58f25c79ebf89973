import { Deferred, Effect, FiberId, Layer, Schema } from "effect"
import { Health } from "../domain/Health.ts"
import { migrations } from "./Migrations.ts"
import { Door } from "./database/Postgres.ts"
import { statement } from "./database/Statement.ts"

/** A probe that takes longer has found its answer. */
const PATIENCE = "2 seconds"

/** On where the database is a standby, too. */
const selectSession = statement(`select current_setting('transaction_read_only') = 'off' as "isWritable"`)
const selectApplied = statement("select from effect_sql_migrations")

/** Who asks while a look is under way gets its answer: however many ask at once, they hold one connection. */
const shared = <A>(look: Effect.Effect<A>): Effect.Effect<A> => {
  let underWay: Deferred.Deferred<A> | undefined
  return Effect.suspend(() => {
    if (underWay !== undefined) return Deferred.await(underWay)
    const answer = Deferred.unsafeMake<A>(FiberId.none)
    underWay = answer
    const looked = Effect.ensuring(
      look,
      Effect.sync(() => {
        underWay = undefined
      })
    )
    return Effect.zipRight(Effect.forkDaemon(Effect.intoDeferred(looked, answer)), Deferred.await(answer))
  })
}

export const HealthLive = Layer.effect(
  Health,
  Effect.gen(function* () {
    const { count, one } = yield* Door
    const session = one(Schema.Struct({ isWritable: Schema.Boolean }))(selectSession())
    const applied = count(selectApplied())

    /** A schema only grows. Once it was seen, nothing is read that a migration could lock. */
    let isMigrated = false

    const look = Effect.gen(function* () {
      const { isWritable } = yield* session
      if (!isWritable) yield* Effect.logWarning("The database can only be read")
      if (!isMigrated) isMigrated = (yield* applied) >= Object.keys(migrations).length
      return isWritable && isMigrated
    })

    return Health.of({
      isReady: shared(
        look.pipe(
          // A silent database does not answer what it is told to stop either.
          Effect.disconnect,
          Effect.timeout(PATIENCE),
          Effect.tapErrorCause((cause) => Effect.logWarning("The database does not answer", cause)),
          Effect.catchAllCause(() => Effect.succeed(false))
        )
      )
    })
  })
)
