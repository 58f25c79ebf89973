import { type HttpApp, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, type Scope } from "effect"
import type { IncomingMessage } from "node:http"
import type { Dispatch } from "./Dispatch.ts"
import type { Exchange } from "./Exchange.ts"
import { ambiguityOf } from "./Incoming.ts"
import { Listener, refuse } from "./Listener.ts"

/** Opens a socket for a request that asks for one, or says why not. `head` is what came behind the request. */
export type Upgrade = (message: IncomingMessage, head: Buffer) => void

/** Answers on the socket until the scope ends: the API itself, with `pages` what is served beside it, and sockets. */
export const serve = Effect.fnUntraced(function* (
  dispatch: Dispatch,
  pages: HttpApp.Default<unknown, Scope.Scope>,
  upgrade?: Upgrade
) {
  yield* HttpServer.HttpServer
  const server = yield* Listener
  const others = yield* NodeHttpServer.makeHandler(pages)
  const answer = (message: IncomingMessage, exchange: Exchange) => {
    const ambiguity = ambiguityOf(message)
    if (ambiguity !== undefined) refuse(exchange, 400, ambiguity)
    else if (!dispatch(message, exchange)) others(message, exchange)
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
