import { Effect, Function as Fn, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { PublicUrl } from "./http/headers/Origin.ts"
import { makeMcpRoute } from "./http/routes/Mcp.ts"
import { HttpRoutes, RecordRoute, RouterConfig, RouterMiddleware } from "./http/routes/Routes.ts"
import { makeRpcRoute } from "./http/routes/Rpc.ts"
import { baseUrl, serveRoutes } from "./http/server/HttpListener.ts"
import { makeWebSocketUpgrade } from "./http/server/WebSockets.ts"
import { StreamHandlers } from "./rpc/handlers/Changes.ts"
import { FileOrigin } from "./rpc/handlers/Files.ts"
import { RpcHandlers } from "./rpc/handlers/Handlers.ts"
import { makeMcpEndpoint } from "./rpc/mcp/Endpoint.ts"
import { makeHttpCalls } from "./rpc/server/HttpCalls.ts"
import { AuthenticationLive } from "./rpc/server/Authenticator.ts"
import { type ExecuteCall, makeInProcessCalls } from "./rpc/server/InProcessCalls.ts"
import { ServedRpcs } from "./rpc/server/ServedRpcs.ts"
import { makeSockets } from "./rpc/server/Sockets.ts"

/**
 * Builds all routes on the domain services of the environment. `route` replaces the execution of calls, which both `/rpc` and
 * `/mcp` use.
 */
export const makeApp = Effect.fnUntraced(function* (route: (executeCall: ExecuteCall) => ExecuteCall = Fn.identity) {
  // Not a layer around all routes: each request copies its context, which the handlers would double.
  const url = (yield* PublicUrl) ?? (yield* baseUrl)
  const origin = Layer.succeed(FileOrigin, url)
  const handlers = yield* Layer.build(
    Layer.mergeAll(Layer.provide(RpcHandlers, origin), StreamHandlers, AuthenticationLive)
  )
  const executeCall = route(yield* Effect.provideContext(makeInProcessCalls(ServedRpcs), handlers))
  const rpc = yield* makeRpcRoute(yield* makeHttpCalls(executeCall))
  const mcp = yield* makeMcpRoute(yield* makeMcpEndpoint(executeCall, url))
  const routes = Layer.mergeAll(HttpRoutes, rpc, mcp).pipe(Layer.provide(RecordRoute), Layer.merge(RouterMiddleware))
  return { executeCall, handlers, routes: yield* Effect.provide(HttpRouter.toHttpEffect(routes), RouterConfig) }
})

/** Serves all routes and sockets. The caller provides the domain services. */
export const ServerLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const { handlers, routes } = yield* makeApp()
    const sockets = yield* Effect.provideContext(makeSockets, handlers)
    yield* serveRoutes(routes, yield* makeWebSocketUpgrade(sockets))
  })
)
