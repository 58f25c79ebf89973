import { Effect, Layer } from "effect"
import { Health } from "../domain/Health.ts"
import { migrations } from "./Migrations.ts"
import { DoorPool } from "./Postgres.ts"

/** A probe that takes longer has found its answer. */
const PATIENCE = "2 seconds"

/** Probes that come together, or soon after one another, get the same answer: they hold one connection at most. */
const KEPT = "100 millis"

export const HealthLive = Layer.effect(
  Health,
  Effect.gen(function* () {
    const pool = yield* DoorPool
    const applied = Effect.tryPromise(() => pool.query("select name from effect_sql_migrations"))

    return Health.of({
      isReady: yield* applied.pipe(
        Effect.timeout(PATIENCE),
        Effect.map(({ rows }) => rows.length >= Object.keys(migrations).length),
        Effect.tapErrorCause((cause) => Effect.logWarning("The database does not answer", cause)),
        Effect.catchAllCause(() => Effect.succeed(false)),
        Effect.cachedWithTTL(KEPT)
      )
    })
  })
)
