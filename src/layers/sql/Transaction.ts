import { Array, Context, Data, Effect, Option, Predicate } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { WriteContext } from "../../domain/Write.ts"
import { isCancelled, orDefect } from "./Errors.ts"
import { TIMEOUTS } from "./Session.ts"
import type { Statement } from "./Statement.ts"

/** Returns how many rows a statement read or wrote. */
export const rowCount = (statement: Statement): Effect.Effect<number, SqlError.SqlError> =>
  Effect.flatMap(statement.raw, (result) =>
    Predicate.hasProperty(result, "rowCount") && Predicate.isNumber(result.rowCount)
      ? Effect.succeed(result.rowCount)
      : Effect.die(new Error("The driver returned no row count"))
  )

/**
 * Combines statements into one: all but the last become common table expressions. All of them run, they do not see each
 * other's changes, and they must not change the same row.
 */
export const combine = (sql: SqlClient.SqlClient, statements: Array.NonEmptyReadonlyArray<Statement>): Statement => {
  const [others, last] = Array.unappend(statements)
  if (others.length === 0) return sql`${last}`
  const named = others.map((other, index) => sql`${sql.literal(`write_${index}`)} as (${other})`)
  return sql`with ${sql.join(", ", false)(named)} ${last}`
}

/** Accepts the statements that a write defers to the end of its transaction. */
const CurrentDeferral = Context.Reference<((statement: Statement) => Effect.Effect<void>) | undefined>(
  "layers/sql/CurrentDeferral",
  { defaultValue: () => undefined }
)

/**
 * Defers statements to the end of the write, where they are sent as one statement. Sent one by one, they cost the server
 * 1.7 times the CPU. They must not depend on each other (see {@link combine}).
 */
export const deferToCommit = (...statements: ReadonlyArray<Statement>): Effect.Effect<void> =>
  Effect.flatMap(CurrentDeferral, (defer) =>
    defer === undefined
      ? Effect.die(new Error("deferToCommit was called outside a write"))
      : Effect.forEach(statements, defer, { discard: true })
  )

/** Runs statements one after the other, and then lets other requests run. */
export const sendAll = (statements: ReadonlyArray<Statement>): Effect.Effect<void> =>
  Effect.andThen(orDefect(Effect.forEach(statements, Effect.asVoid, { discard: true })), Effect.yieldNow)

/** Runs the write and then the statements that it deferred. */
const withDeferred = <A, E, R>(
  sql: SqlClient.SqlClient,
  write: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.suspend(() => {
    const deferred: Array<Statement> = []
    const defer = (statement: Statement) => Effect.sync(() => void deferred.push(statement))
    return write.pipe(
      Effect.tap(() => (Array.isReadonlyArrayNonEmpty(deferred) ? Effect.asVoid(combine(sql, deferred)) : Effect.void)),
      Effect.provideService(CurrentDeferral, defer)
    )
  })

/** Runs a part of a write and sends its deferred statements at once, so that the next part sees their changes. */
export const withoutDeferral = <A, E, R>(part: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(part, CurrentDeferral, (statement) => orDefect(Effect.asVoid(statement)))

/** Carries the result out of a transaction that is rolled back. */
class RolledBack<A> extends Data.TaggedError("RolledBack")<{ readonly result: A }> {}

const rollBack = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  sql
    .withTransaction(Effect.flatMap(effect, (result) => Effect.fail(new RolledBack({ result }))))
    .pipe(Effect.catch((error) => (error instanceof RolledBack ? Effect.succeed<A>(error.result) : Effect.fail(error))))

/**
 * Runs a part of a write, returns its result and rolls its changes back, for a write that continues differently. Deferred
 * statements are dropped.
 */
export const tryOut = <A, E, R>(
  sql: SqlClient.SqlClient,
  part: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  rollBack(
    sql,
    Effect.provideService(part, CurrentDeferral, () => Effect.void)
  )

/** Runs the write in a transaction, with the statements that it deferred before COMMIT. A dry run ends with ROLLBACK. */
export const performWrite = <A, E, R>(
  sql: SqlClient.SqlClient,
  write: Effect.Effect<A, E, R>,
  mode: WriteContext["mode"] = "perform"
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  mode === "perform" ? sql.withTransaction(withDeferred(sql, write)) : rollBack(sql, withDeferred(sql, write))

/** Runs the effect, whose statements all see the database as of the first of them. It can be interrupted. */
export const snapshot = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.provideService(
    sql.withTransaction(Effect.interruptible(effect)),
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
