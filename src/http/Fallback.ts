import { HttpLayerRouter, HttpRouter, HttpServerRequest, type HttpServerError } from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Cause, Effect, Option, Predicate } from "effect"
import { Exchange } from "./Exchange.ts"
import { failureOf, NOT_FOUND } from "./Failure.ts"
import { json } from "./Responses.ts"

/** The exchange that a request of the router belongs to. */
const exchange = Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
  const response = NodeHttpServerRequest.toServerResponse(request)
  if (response instanceof Exchange) return response
  throw new Error("The router serves what the listener took from the socket")
})

/** Tells the access log which route of the router was met. */
export const RouteNote = HttpLayerRouter.middleware(
  Effect.succeed((app) =>
    Effect.flatMap(Effect.all([exchange, HttpRouter.RouteContext]), ([exchange, { route }]) => {
      exchange.route = route.path
      return app
    })
  )
).layer

/** What no route answered, in the public error shape: an unknown path or method, a defect. */
export const Fallback = HttpLayerRouter.middleware<{ handles: HttpServerError.RouteNotFound }>()(
  (app) =>
    Effect.catchAllCause(app, (cause) => {
      const error = Option.getOrUndefined(Cause.failureOption(cause))
      if (Predicate.isTagged(error, "RouteNotFound")) return Effect.succeed(json(NOT_FOUND.body, NOT_FOUND.status))
      return Cause.isInterruptedOnly(cause)
        ? Effect.failCause(cause)
        : Effect.flatMap(exchange, ({ requestId }) =>
            Effect.map(failureOf(cause, requestId), ({ body, status }) => json(body, status))
          )
    }),
  { global: true }
)
