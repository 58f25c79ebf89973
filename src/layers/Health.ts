import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Health } from "../domain/Health.ts"
import { migrations } from "./Migrations.ts"

/** A probe that takes longer has found its answer. */
const PATIENCE = "2 seconds"

export const HealthLive = Layer.effect(
  Health,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const applied = sql<{ readonly name: string }>`select name from effect_sql_migrations`

    return Health.of({
      isReady: applied.pipe(
        Effect.timeout(PATIENCE),
        Effect.map((rows) => rows.length >= Object.keys(migrations).length),
        Effect.tapErrorCause((cause) => Effect.logWarning("The database does not answer", cause)),
        Effect.catchAllCause(() => Effect.succeed(false))
      )
    })
  })
)
