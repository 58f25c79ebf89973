import { Cause, Effect, Predicate } from "effect"
import type { Reply } from "./Call.ts"

/**
 * What PostgreSQL (SQLSTATE, Appendix A of its manual) and the socket below it say when the database is out of reach,
 * can only be read, as after a failover, or a wait was given up: lock and statement timeouts, deadlocks, shutdowns,
 * broken connections and refused ones.
 */
const UNAVAILABLE =
  /^(?:08...|28...|3D000|53...|55000|55P03|57014|57P0[1-5]|40001|40P01|25006|25P0[34]|ECONN\w+|E(?:HOST|NET)UNREACH|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/
const UNAVAILABLE_MESSAGE = /connection|timeout exceeded|not queryable/i

const chain = (error: unknown): ReadonlyArray<unknown> =>
  Predicate.hasProperty(error, "cause") ? [error, ...chain(error.cause)] : [error]

const isUnavailable = (error: unknown) => {
  if (Predicate.hasProperty(error, "code") && typeof error.code === "string") return UNAVAILABLE.test(error.code)
  return Predicate.hasProperty(error, "_tag")
    ? false
    : error instanceof Error && UNAVAILABLE_MESSAGE.test(error.message)
}

const refusal = (status: number, error: string): Reply => ({ status, body: JSON.stringify({ error }) })

export const NO_ROUTE = "There is no such path or method; see /docs"

export const NOT_FOUND = refusal(404, NO_ROUTE)

/** The answer to what should not have happened: 503 when the database is the reason, else 500. Details go to the log. */
export const failureOf = (cause: Cause.Cause<unknown>, requestId: string): Effect.Effect<Reply> => {
  const unavailable = [...Cause.defects(cause)].flatMap(chain).some(isUnavailable)
  const reply = unavailable
    ? refusal(503, "The database is out of reach or overloaded; repeat the request")
    : refusal(500, "Internal error")
  return Effect.logError("A request failed", cause).pipe(Effect.annotateLogs({ requestId }), Effect.as(reply))
}
