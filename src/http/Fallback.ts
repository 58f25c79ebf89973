import { HttpLayerRouter, type HttpServerError, HttpServerResponse } from "@effect/platform"
import { Cause, Effect, Option, Predicate } from "effect"
import { json } from "./Responses.ts"

const respond = (status: number, error: string) => json(JSON.stringify({ error }), status)

/**
 * What PostgreSQL (SQLSTATE, Appendix A of its manual) and the socket below it say when the database is out of reach
 * or a wait was given up: lock and statement timeouts, deadlocks, shutdowns, broken connections and refused ones.
 */
const UNAVAILABLE =
  /^(?:08...|28...|3D000|53...|55000|55P03|57014|57P0[1-5]|40001|40P01|25P0[34]|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND)$/
const UNAVAILABLE_MESSAGE = /connection|timeout exceeded|not queryable/i

const chain = (error: unknown): ReadonlyArray<unknown> =>
  Predicate.hasProperty(error, "cause") ? [error, ...chain(error.cause)] : [error]

const isUnavailable = (error: unknown) => {
  if (Predicate.hasProperty(error, "code") && typeof error.code === "string") return UNAVAILABLE.test(error.code)
  return Predicate.hasProperty(error, "_tag")
    ? false
    : error instanceof Error && UNAVAILABLE_MESSAGE.test(error.message)
}

const failed = (cause: Cause.Cause<unknown>) => {
  const unavailable = [...Cause.defects(cause)].flatMap(chain).some(isUnavailable)
  const response = unavailable
    ? respond(503, "The database is out of reach or overloaded; repeat the request")
    : respond(500, "Internal error")
  return Effect.as(Effect.logError("A request failed", cause), response)
}

/** Who is not known is told how to become so (RFC 9110, section 11.6.1). */
const challenge = (response: HttpServerResponse.HttpServerResponse) =>
  response.status === 401 ? HttpServerResponse.setHeader(response, "www-authenticate", "Bearer") : response

/** What no endpoint answered, in the public error shape: an unknown path or method, a defect. Details go to the log. */
export const Fallback = HttpLayerRouter.middleware<{ handles: HttpServerError.RouteNotFound }>()(
  (app) =>
    Effect.catchAllCause(Effect.map(app, challenge), (cause) => {
      const error = Option.getOrUndefined(Cause.failureOption(cause))
      if (Predicate.isTagged(error, "RouteNotFound")) {
        return Effect.succeed(respond(404, "There is no such path or method; see /docs"))
      }
      return Cause.isInterruptedOnly(cause) ? Effect.failCause(cause) : failed(cause)
    }),
  { global: true }
)
