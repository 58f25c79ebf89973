import { Cause, Effect, Predicate, Schema } from "effect"
import { SqlError } from "effect/sql"
import { StoreMoved } from "../../domain/cells/Cells.ts"
import { Unavailable, unavailableIn } from "../../domain/Unavailable.ts"

/**
 * SQLSTATEs (Appendix A of the PostgreSQL manual) of a database that is unreachable, read-only after a failover, or that
 * aborted a wait: lock and statement timeouts, deadlocks, shutdowns, too many connections.
 */
const UNAVAILABLE = /^(?:08...|28...|3D000|53...|55000|55P03|57014|57P0[1-5]|40001|40P01|25006|25P0[34])$/

/** SQLSTATE of a write to a store that moves to another cell (`fence_store`). */
const MOVED = "PA001"

const propertyOf = (error: unknown, name: "code" | "table"): string => {
  const value = Predicate.hasProperty(error, name) ? error[name] : undefined
  return typeof value === "string" ? value : ""
}

/**
 * Maps a database error to its defect: `StoreMoved` if the store moves to another cell, `Unavailable` if the database is the
 * reason, the error itself otherwise.
 */
export const defectOf = (error: SqlError.SqlError): Error => {
  const { reason } = error
  const code = propertyOf(reason.cause, "code")
  if (code === MOVED) return new StoreMoved()
  const isOut = reason._tag === "ConnectionError" || UNAVAILABLE.test(code)
  return isOut ? new Unavailable({ cause: error }) : error
}

/** Errors of queries that no caller can handle. */
type QueryError = SqlError.SqlError | Schema.SchemaError | Cause.NoSuchElementError

const isQueryError = (error: unknown): error is QueryError =>
  SqlError.isSqlError(error) || Schema.isSchemaError(error) || Cause.isNoSuchElementError(error)

const queryDefect = (error: QueryError): Error => (SqlError.isSqlError(error) ? defectOf(error) : error)

/** Maps the defects of queries. A failed ROLLBACK can accompany an error of the domain, and takes precedence. */
const mapDefects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchCause(effect, (cause) => {
    for (const reason of cause.reasons) {
      if (Cause.isDieReason(reason) && isQueryError(reason.defect)) return Effect.die(queryDefect(reason.defect))
    }
    return Effect.failCause(cause)
  })

/**
 * Turns errors of queries into defects: `Unavailable` if the database is unreachable, otherwise the failed statement, a row
 * that does not match its schema, or a missing row. Errors of the domain pass. A failed ROLLBACK is a defect already.
 */
export const orDefect = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, Extract<E, QueryError>>, R> =>
  effect.pipe(
    Effect.catchIf(
      (error): error is Extract<E, QueryError> => isQueryError(error),
      (error) => Effect.die(queryDefect(error))
    ),
    mapDefects
  )

/** Does the same for an effect with the generic errors `E`, from which TypeScript cannot subtract. */
export const orDefectExcept =
  <E>() =>
  <A, R>(effect: Effect.Effect<A, E | QueryError, R>): Effect.Effect<A, E, R> =>
    mapDefects(effect).pipe(
      Effect.catch((error): Effect.Effect<never, E> =>
        isQueryError(error) ? Effect.die(queryDefect(error)) : Effect.fail(error)
      )
    )

/** True if a statement was ended by a time limit: `query_canceled`. */
export const isCancelled = ({ reason }: SqlError.SqlError): boolean => reason._tag === "StatementTimeoutError"

/** True if the database caused a failure: it is lost, canceled a query, or lacks a migration. */
export const isDatabaseFault = (cause: Cause.Cause<unknown>): boolean =>
  unavailableIn(cause) !== undefined ||
  cause.reasons.some((reason) => Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect))
