import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import { Health } from "../domain/Health.ts"
import { migrations } from "./Migrations.ts"
import { count, oneRowOf } from "./Rows.ts"

/** A probe that takes longer has found its answer. */
const PATIENCE = "2 seconds"

const one = oneRowOf(Schema.Struct({ isWritable: Schema.Boolean }))

export const HealthLive = Layer.effect(
  Health,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    // On where the database is a standby, too.
    const session = one(sql`select current_setting('transaction_read_only') = 'off' as "isWritable"`)
    const applied = count(sql`select from effect_sql_migrations`)

    /** A schema only grows. Once it was seen, nothing is read that a migration could lock. */
    let isMigrated = false

    const look = Effect.gen(function* () {
      const { isWritable } = yield* session
      if (!isWritable) yield* Effect.logWarning("The database can only be read")
      if (!isMigrated) isMigrated = (yield* applied) >= Object.keys(migrations).length
      return isWritable && isMigrated
    })

    return Health.of({
      isReady: look.pipe(
        Effect.timeout(PATIENCE),
        Effect.tapErrorCause((cause) => Effect.logWarning("The database does not answer", cause)),
        Effect.catchAllCause(() => Effect.succeed(false))
      )
    })
  })
)
