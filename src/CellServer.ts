import { Cause, Context, Effect, Layer, LayerMap, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import { type CellName, MAIN, StoreMoved } from "./domain/cells/Cells.ts"
import { StoreId } from "./domain/Store.ts"
import { logFailure } from "./domain/Unavailable.ts"
import { retryAfterHeader } from "./http/ErrorTable.ts"
import { parseBearerToken } from "./http/headers/Credentials.ts"
import { replyToFailure, toHttpResponse } from "./http/Reply.ts"
import { isRepeatable } from "./http/server/BodyReader.ts"
import { serveRoutes } from "./http/server/HttpListener.ts"
import { currentResponse } from "./http/server/NodeResponse.ts"
import { makeWebSocketUpgrade } from "./http/server/WebSockets.ts"
import { Cells, makeEntries } from "./layers/cells/Cells.ts"
import { Directory } from "./layers/cells/Directory.ts"
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
const storeOf = (
  { storeOfToken }: typeof Directory.Service,
  { url }: HttpServerRequest.HttpServerRequest,
  request: IncomingMessage
): Effect.Effect<Option.Option<StoreId>> => {
  const [path = "", query = ""] = url.split("?")
  if (path.startsWith("/rpc/")) {
    const parameters = new URLSearchParams(query)
    return Effect.succeed(
      Option.orElse(decodeStore(parameters.get("storeId")), () =>
        Option.map(decodeImport(parameters.get("import")), ({ storeId }) => storeId)
      )
    )
  }
  const token = path.startsWith("/api/") ? parseBearerToken(request) : undefined
  return token === undefined ? Effect.succeedNone : storeOfToken(token)
}

const unavailableHeaders = retryAfterHeader(1)

/** Routes requests and calls to the cell of their store. Those without a store are served by `main`. */
const makeRouter = Effect.gen(function* () {
  const { inCellOf, servicesOf } = yield* Cells
  const directory = yield* Directory
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
      if (!response.hasMoved) return answer
      const moved = new StoreMoved()
      if (!isRepeated && isRepeatable(response.req)) return yield* Effect.die(moved)
      yield* Effect.annotateLogs(logFailure("A request failed", Cause.die(moved)), { requestId: response.requestId })
      return answer
    })

  const routes = Effect.gen(function* () {
    const response = yield* currentResponse
    const request = yield* HttpServerRequest.HttpServerRequest
    const serve = Effect.flatMap(
      storeOf(directory, request, response.req),
      Option.match({ onNone: () => serveIn(MAIN), onSome: (store) => inCellOf(store, serveIn) })
    )
    return yield* Effect.catchDefect(serve, (defect) =>
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
