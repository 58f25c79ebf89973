import Pg from "pg"
import { Unavailable } from "../../domain/Unavailable.ts"

/**
 * SQLSTATEs (Appendix A of the manual of PostgreSQL) of a database that is out of reach, can only be read, as after a
 * failover, or gave up a wait: lock and statement timeouts, deadlocks, shutdowns, too many connections.
 */
const UNAVAILABLE = /^(?:08...|28...|3D000|53...|55000|55P03|57014|57P0[1-5]|40001|40P01|25006|25P0[34])$/

/**
 * What a failed statement dies with. What the server itself says is told by its SQLSTATE; all else that the driver fails
 * with is a connection that broke, but for a value that it cannot send.
 */
export const defectOf = (error: Error): Error => {
  const isOut = error instanceof Pg.DatabaseError ? UNAVAILABLE.test(error.code ?? "") : !(error instanceof TypeError)
  return isOut ? new Unavailable({ cause: error }) : error
}

/** There was no connection to be had. */
export const unconnected = (error: unknown) => new Unavailable({ cause: error })

/** Whether a statement was ended by a time limit, or because it was asked to: `query_canceled`. */
export const isCancelled = (error: Error): boolean =>
  error instanceof Unavailable && error.cause instanceof Pg.DatabaseError && error.cause.code === "57014"

/** Whether the table, or a partition of it, has a row with such a key already: `unique_violation`. */
export const isDuplicate = (error: unknown, table: string): boolean =>
  error instanceof Pg.DatabaseError && error.code === "23505" && error.table?.startsWith(table) === true
