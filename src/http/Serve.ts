import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Scope } from "effect"
import { HttpServer, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import type { NodeResponse } from "./server/NodeResponse.ts"
import { findAmbiguity } from "./server/NodeRequest.ts"
import { HttpListener, sendError } from "./server/HttpListener.ts"

/** Opens a socket for a request that asks for one, or says why not. `head` is what came behind the request. */
export type UpgradeHandler = (message: IncomingMessage, head: Buffer) => void

/** Serves the routes on the listener until the scope ends, and WebSockets by `upgrade`. */
export const serveRoutes = Effect.fnUntraced(function* <E>(
  routes: Effect.Effect<HttpServerResponse.HttpServerResponse, E, HttpServerRequest.HttpServerRequest | Scope.Scope>,
  upgrade?: UpgradeHandler
) {
  yield* HttpServer.HttpServer
  const server = yield* HttpListener
  // The end of this scope would break answers off. The listener waits for them when it stops.
  const handle = yield* NodeHttpServer.makeHandler(routes, { scope: yield* Scope.make() })
  const answer = (message: IncomingMessage, exchange: NodeResponse) => {
    const ambiguity = findAmbiguity(message)
    if (ambiguity === undefined) handle(message, exchange)
    else sendError(exchange, 400, ambiguity)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => server.on("request", answer)),
    () => Effect.sync(() => server.off("request", answer))
  )
  if (upgrade === undefined) return
  const open = (message: IncomingMessage, _: unknown, head: Buffer) => upgrade(message, head)
  yield* Effect.acquireRelease(
    Effect.sync(() => server.on("upgrade", open)),
    () => Effect.sync(() => server.off("upgrade", open))
  )
})
