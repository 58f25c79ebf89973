import { type Cause, Effect, type Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import { logFailure, unavailableIn } from "../domain/Unavailable.ts"
import type { JsonText } from "../domain/json/Document.ts"
import { type PublicError, toErrorReply } from "./ErrorTable.ts"
import { currentResponse, type NodeResponse } from "./server/NodeResponse.ts"

/** A JSON response. */
export interface Reply {
  readonly status: number
  readonly body: JsonText
  readonly headers?: Readonly<Record<string, string>>
}

/** Converts a reply to a response of the router. */
export const toHttpResponse = ({ body, headers = {}, status }: Reply): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(body, {
    status,
    headers: status === 401 ? { "www-authenticate": "Bearer", ...headers } : headers,
    contentType: headers["content-type"] ?? "application/json"
  })

/** Makes an error reply that is not in the error table. */
export const makeErrorReply = (status: number, error: string, headers: Reply["headers"] = {}): Reply => ({
  status,
  body: JSON.stringify({ error }),
  headers
})

export const NO_ROUTE = "There is no such path or method; see /docs"

export const NOT_FOUND = makeErrorReply(404, NO_ROUTE)

/** Makes the reply to an unexpected failure: 503 if the database is unavailable, otherwise 500 without details. */
export const failureReply = (cause: Cause.Cause<unknown>): Reply => {
  const unavailable = unavailableIn(cause)
  return unavailable === undefined ? makeErrorReply(500, "Internal error") : toErrorReply(unavailable)
}

/** Logs an unexpected failure, and makes the reply to it. */
export const replyToFailure = (cause: Cause.Cause<unknown>, requestId: string): Effect.Effect<Reply> =>
  logFailure("A request failed", cause).pipe(Effect.annotateLogs({ requestId }), Effect.as(failureReply(cause)))

/** Adds a route that accepts only POST. Other methods get 405 with the message `notPost`. The handler may stream a response. */
export const postRoute = (
  path: `/${string}`,
  notPost: string,
  handle: (
    request: IncomingMessage,
    response: NodeResponse
  ) => Effect.Effect<Reply | HttpServerResponse.HttpServerResponse, PublicError, Scope.Scope>
) => {
  const methodNotAllowed = makeErrorReply(405, notPost, { allow: "POST" })
  return HttpRouter.add(
    "*",
    path,
    Effect.gen(function* () {
      const response = yield* currentResponse
      if (response.req.method !== "POST") return toHttpResponse(methodNotAllowed)
      const reply = yield* Effect.catch(handle(response.req, response), (error) => Effect.succeed(toErrorReply(error)))
      return HttpServerResponse.isHttpServerResponse(reply) ? reply : toHttpResponse(reply)
    })
  )
}
