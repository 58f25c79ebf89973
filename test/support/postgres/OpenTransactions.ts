import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { waitUntil } from "../process/Process.ts"

/** Runs an effect in a transaction that stays open until the returned effect commits it. */
export const openTransaction = Effect.fn(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const [done, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  // Transactions are uninterruptible, but a test that fails must roll back.
  const ended = Effect.interruptible(Deferred.await(end))
  const open = Effect.andThen(work, Effect.andThen(Deferred.succeed(done, undefined), ended))
  const fiber = yield* Effect.forkChild(sql.withTransaction(open))
  yield* Deferred.await(done)
  return Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(fiber))
})

/** Polls until a session is blocked by a lock. */
export const waiting = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  waitUntil(
    sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    ({ length }) => length > 0
  )
)
