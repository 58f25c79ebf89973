import { Effect, Option, Predicate } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { isCancelled, orDefectExcept } from "./Errors.ts"
import { TIMEOUTS } from "./Session.ts"
import type { Statement } from "./Statement.ts"

/** Returns how many rows a statement read or wrote. */
export const rowCount = (statement: Statement): Effect.Effect<number, SqlError.SqlError> =>
  Effect.flatMap(statement.raw, (result) =>
    Predicate.hasProperty(result, "rowCount") && Predicate.isNumber(result.rowCount)
      ? Effect.succeed(result.rowCount)
      : Effect.die(new Error("The driver returned no row count"))
  )

/** Makes the function that runs an effect in a transaction, in which faults of the database are defects. */
export const makeTransaction =
  (sql: SqlClient.SqlClient) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    orDefectExcept<E>()(sql.withTransaction(effect))

/** Runs the effect, whose statements all see the database as of the first of them. It can be interrupted. */
export const snapshot = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.provideService(
    // Transactions of other clients inside it can write.
    sql.withTransaction(Effect.interruptible(Effect.provideService(effect, SqlClient.BeginTransaction, undefined))),
    SqlClient.BeginTransaction,
    "begin isolation level repeatable read, read only"
  )

/**
 * Runs a statement of a transaction with a time limit in milliseconds. Returns none if it took longer; the transaction then
 * accepts no further statement.
 */
export const withStatementTimeout = <A>(
  sql: SqlClient.SqlClient,
  millis: number,
  statement: Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<Option.Option<A>, SqlError.SqlError> => {
  const limit = (value: number) => sql`select set_config('statement_timeout', ${value}, true)`
  return limit(millis).pipe(
    Effect.andThen(statement),
    Effect.tap(() => limit(TIMEOUTS.statement_timeout)),
    Effect.map(Option.some),
    Effect.catchIf(isCancelled, () => Effect.succeed(Option.none<A>()))
  )
}
