import { Cause, Context, Effect, Layer, LayerMap, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import { storeOfToken } from "./layers/access/StoreTokens.ts"
import { type CellName, MAIN, StoreMoved } from "./domain/cells/Cells.ts"
import { StoreId } from "./domain/Store.ts"
import { retryAfterHeader } from "./http/ErrorTable.ts"
import { parseBearerToken } from "./http/headers/Credentials.ts"
import { replyToFailure, toHttpResponse } from "./http/Reply.ts"
import { isRepeatable } from "./http/server/BodyReader.ts"
import { serveRoutes } from "./http/server/HttpListener.ts"
import { currentResponse } from "./http/server/NodeResponse.ts"
import { makeWebSocketUpgrade } from "./http/server/WebSockets.ts"
import { Cells, makeEntries } from "./layers/cells/Cells.ts"
import { RoutedServices } from "./layers/cells/RoutedServices.ts"
import { findStoreId } from "./rpc/groups/CommonSchemas.ts"
import { callErrorJson, maskDefects } from "./rpc/server/ErrorMasking.ts"
import type { ExecuteCall } from "./rpc/server/InProcessCalls.ts"
import { makeSockets } from "./rpc/server/Sockets.ts"
import { makeApp, ServerLive } from "./Server.ts"

/** Routes and procedures on the database of one cell. */
class CellApp extends Context.Service<CellApp, Omit<Effect.Success<ReturnType<typeof makeApp>>, "handlers">>()(
  "CellApp"
) {
  static readonly layer = Layer.effect(this, makeApp())
}

/** Time after which the routes of a cell that nobody uses are released. */
const IDLE = "10 minutes"

const decodeStore = Schema.decodeUnknownOption(StoreId)

/** Settings of a file that the dashboard imports, in the query. */
const decodeImport = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ storeId: StoreId })))

/** Finds the store of a request to the REST API, by its token, or of a file that the dashboard sends, by its query. */
const storeOf = ({ url }: HttpServerRequest.HttpServerRequest, request: IncomingMessage): Option.Option<StoreId> => {
  const [path = "", query = ""] = url.split("?")
  if (path.startsWith("/rpc/")) {
    const parameters = new URLSearchParams(query)
    return Option.orElse(decodeStore(parameters.get("storeId")), () =>
      Option.map(decodeImport(parameters.get("import")), ({ storeId }) => storeId)
    )
  }
  if (!path.startsWith("/api/")) return Option.none()
  return Option.flatMap(Option.fromUndefinedOr(parseBearerToken(request)), storeOfToken)
}

const unavailableHeaders = retryAfterHeader(1)

/** Routes requests and calls to the cell of their store. Those without a store are served by `main`. */
const makeRouter = Effect.gen(function* () {
  const { inCellOf, servicesOf } = yield* Cells
  const entryOf = yield* makeEntries(
    yield* LayerMap.make(
      (cell: CellName) =>
        // Fresh for the same reason as the services of a cell.
        Layer.fresh(Layer.provide(CellApp.layer, Layer.effectContext(servicesOf(cell)))),
      { idleTimeToLive: IDLE }
    )
  )
  const appOf = (cell: CellName) => Effect.map(entryOf(cell), (services) => Context.get(services, CellApp))

  const routeCalls =
    (local: ExecuteCall): ExecuteCall =>
    (call) => {
      const { payload, principal } = call
      const store = principal._tag === "Agent" ? Option.some(principal.storeId) : findStoreId(payload)
      if (Option.isNone(store)) return local(call)
      return inCellOf(store.value, (cell) =>
        cell === MAIN
          ? local(call)
          : Effect.scoped(
              Effect.flatMap(Effect.mapError(maskDefects(appOf(cell)), callErrorJson), ({ executeCall }) =>
                executeCall(call)
              )
            )
      )
    }

  const app = yield* Effect.provide(makeApp(routeCalls), RoutedServices)

  /** Serves a request in a cell. Dies with `StoreMoved` if the store has left the cell, once. */
  const serveIn = (cell: CellName) =>
    Effect.gen(function* () {
      const response = yield* currentResponse
      const isRepeated = response.hasMoved
      response.hasMoved = false
      const { routes } = cell === MAIN ? app : yield* appOf(cell)
      const answer = yield* routes
      return response.hasMoved && !isRepeated && isRepeatable(response.req)
        ? yield* Effect.die(new StoreMoved())
        : answer
    })

  const routes = Effect.gen(function* () {
    const response = yield* currentResponse
    const store = storeOf(yield* HttpServerRequest.HttpServerRequest, response.req)
    if (Option.isNone(store)) return yield* app.routes
    return yield* Effect.catchDefect(inCellOf(store.value, serveIn), (defect) =>
      Effect.map(replyToFailure(Cause.die(defect), response.requestId), (reply) =>
        HttpServerResponse.setHeaders(toHttpResponse(reply), unavailableHeaders)
      )
    )
  })

  return { handlers: app.handlers, routes }
})

/** Serves all cells. Without further cells, it is the server of one database, and nothing is routed. */
export const CellServerLive = Layer.unwrap(
  Effect.map(Cells, ({ names }) =>
    names.length === 0
      ? ServerLive
      : Layer.effectDiscard(
          Effect.gen(function* () {
            const { handlers, routes } = yield* makeRouter
            const sockets = yield* makeSockets.pipe(Effect.provideContext(handlers), Effect.provide(RoutedServices))
            yield* serveRoutes(routes, yield* makeWebSocketUpgrade(sockets))
          })
        )
  )
)
