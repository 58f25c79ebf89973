import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Scope } from "effect"
import { HttpServer, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import type { Exchange } from "./Exchange.ts"
import { ambiguityOf } from "./Incoming.ts"
import { Listener, refuse } from "./Listener.ts"

/** Opens a socket for a request that asks for one, or says why not. `head` is what came behind the request. */
export type Upgrade = (message: IncomingMessage, head: Buffer) => void

/** Serves the routes on the listener until the scope ends, and WebSockets by `upgrade`. */
export const serve = Effect.fnUntraced(function* <E>(
  routes: Effect.Effect<HttpServerResponse.HttpServerResponse, E, HttpServerRequest.HttpServerRequest | Scope.Scope>,
  upgrade?: Upgrade
) {
  yield* HttpServer.HttpServer
  const server = yield* Listener
  // The end of this scope would break answers off. The listener waits for them when it stops.
  const handle = yield* NodeHttpServer.makeHandler(routes, { scope: yield* Scope.make() })
  const answer = (message: IncomingMessage, exchange: Exchange) => {
    const ambiguity = ambiguityOf(message)
    if (ambiguity === undefined) handle(message, exchange)
    else refuse(exchange, 400, ambiguity)
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
