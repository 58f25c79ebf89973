import { HttpLayerRouter, type HttpServerError } from "@effect/platform"
import { Cause, Effect, Option, Predicate } from "effect"
import { failureOf, NOT_FOUND } from "./Failure.ts"
import { json } from "./Responses.ts"

/** What no route answered, in the public error shape: an unknown path or method, a defect. */
export const Fallback = HttpLayerRouter.middleware<{ handles: HttpServerError.RouteNotFound }>()(
  (app) =>
    Effect.catchAllCause(app, (cause) => {
      const error = Option.getOrUndefined(Cause.failureOption(cause))
      if (Predicate.isTagged(error, "RouteNotFound")) return Effect.succeed(json(NOT_FOUND.body, NOT_FOUND.status))
      return Cause.isInterruptedOnly(cause)
        ? Effect.failCause(cause)
        : Effect.map(failureOf(cause), ({ body, status }) => json(body, status))
    }),
  { global: true }
)
