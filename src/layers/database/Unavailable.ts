import { Predicate } from "effect"
import type { SqlError } from "effect/sql"
import { Unavailable } from "../../domain/Unavailable.ts"

/**
 * SQLSTATEs (Appendix A of the PostgreSQL manual) of a database that is out of reach, read-only after a failover, or that
 * ended a wait: lock and statement timeouts, deadlocks, shutdowns, too many connections.
 */
const UNAVAILABLE = /^(?:08...|28...|3D000|53...|55000|55P03|57014|57P0[1-5]|40001|40P01|25006|25P0[34])$/

const propertyOf = (error: unknown, name: "code" | "table"): string => {
  const value = Predicate.hasProperty(error, name) ? error[name] : undefined
  return typeof value === "string" ? value : ""
}

/** Turns a driver error into a defect: `Unavailable` if the database is the reason, the error itself otherwise. */
export const defectOf = (error: SqlError.SqlError): Error => {
  const { reason } = error
  const code = propertyOf(reason.cause, "code")
  const isOut = reason._tag === "ConnectionError" || UNAVAILABLE.test(code)
  return isOut ? new Unavailable({ cause: error }) : error
}

/** True if a statement was ended by a time limit: `query_canceled`. */
export const isCancelled = ({ reason }: SqlError.SqlError): boolean => reason._tag === "StatementTimeoutError"

/** True if a statement violated a unique constraint of the table or of one of its partitions. */
export const isDuplicate = (error: unknown, table: string): boolean =>
  Predicate.hasProperty(error, "reason") &&
  Predicate.isTagged(error.reason, "UniqueViolation") &&
  Predicate.hasProperty(error.reason, "cause") &&
  propertyOf(error.reason.cause, "table").startsWith(table)
