import { Cause, Effect, Layer, Option, Tracer } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, type HttpServerResponse, HttpTraceContext } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { hasMoved } from "../../domain/cells/Cells.ts"
import { openApi } from "../api/Document.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { generatedRoute } from "./StaticAsset.ts"
import { currentResponse, type NodeResponse } from "../server/NodeResponse.ts"
import { AppDataLive } from "../handlers/AppData.ts"
import { CollectionsLive, ProductsLive } from "../handlers/Catalog.ts"
import { FilesLive } from "../handlers/Files.ts"
import { FileUploadRoute } from "../handlers/MemberFiles.ts"
import { FeedLive } from "../handlers/Feed.ts"
import { ChangeSetsLive } from "../handlers/ChangeSets.ts"
import { HealthRoutes } from "../handlers/Health.ts"
import { ImportRoutes } from "../handlers/Imports.ts"
import { CustomersLive, OrdersLive } from "../handlers/Records.ts"
import { SignInRoutes } from "../handlers/SignIn.ts"
import { StoreLive } from "../handlers/Stores.ts"
import { Compression } from "../middleware/Compression.ts"
import { ApiMiddleware, ErrorHeaders } from "../middleware/ApiMiddleware.ts"
import { issuer, MetadataRoute, ProtectedResourceRoutes } from "../oauth/Discovery.ts"
import { RegistrationRoute } from "../oauth/Registration.ts"
import { TokenRoutes } from "../oauth/TokenEndpoints.ts"
import { AuthorizeRoutes } from "../pages/Authorize.ts"
import { failureReply, replyToFailure, NOT_FOUND, toHttpResponse } from "../Reply.ts"
import { MediaRoute } from "./Media.ts"
import { WebRoutes } from "./WebPages.ts"

const ApiHandlers = Layer.mergeAll(
  StoreLive,
  ProductsLive,
  CollectionsLive,
  ChangeSetsLive,
  OrdersLive,
  CustomersLive,
  AppDataLive,
  FilesLive,
  FeedLive
)

/** The public REST API. */
const ApiRoutes = HttpApiBuilder.layer(PartnerApi).pipe(
  Layer.provide(ApiHandlers),
  Layer.provide(ApiMiddleware),
  Layer.provide(ErrorHeaders)
)

/** `/openapi.json`, generated from the endpoint definitions. */
const DocumentRoute = Layer.unwrap(
  Effect.map(issuer, (origin) =>
    generatedRoute("/openapi.json", "application/json", () => ({ text: JSON.stringify(openApi(origin)) }))
  )
)

/** `/docs`. Its module has 3.4 MB of script, so it is loaded at the first request. */
const ReferenceRoute = generatedRoute("/docs", "text/html; charset=utf-8", async () =>
  (await import("./DocsPage.ts")).renderDocs()
)

/**
 * Runs a request in a span, with the client's span as its parent. Not the span of the library, which holds the path and the
 * query: both can hold secrets.
 */
const traceRequest = Effect.fnUntraced(function* <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  response: NodeResponse
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { method } = request
  return yield* Effect.gen(function* () {
    response.traceId = (yield* Effect.orDie(Effect.currentSpan)).traceId
    const answer = yield* app
    yield* Effect.annotateCurrentSpan("http.response.status_code", answer.status)
    return answer
  }).pipe(
    Effect.withSpan(`${method} ${response.route}`, {
      kind: "server",
      parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(request.headers)),
      attributes: { "http.request.method": method, "http.route": response.route, "request.id": response.requestId }
    })
  )
})

/** Records the pattern of the route for the access log, and traces the request if spans are exported. */
export const RecordRoute = HttpRouter.middleware(
  Effect.map(
    Effect.tracer,
    (tracer) => (app) =>
      Effect.flatMap(Effect.all([currentResponse, HttpRouter.RouteContext]), ([response, { route }]) => {
        response.route = route.path
        return tracer === Tracer.nativeTracer ? app : traceRequest(app, response)
      })
  )
).layer

/** Converts unknown paths (404) and defects (500, or 503 without a database) to error responses of the public shape. */
const Fallback = HttpRouter.middleware<{ handles: HttpServerError.HttpServerError }>()(
  (app) =>
    Effect.catchCause(app, (cause) => {
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound")
        return Effect.succeed(toHttpResponse(NOT_FOUND))
      return Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.flatMap(currentResponse, (response) => {
            response.hasMoved = hasMoved(cause)
            // The router logs it, unless it repeats the request in the other cell.
            const reply = response.hasMoved
              ? Effect.succeed(failureReply(cause))
              : replyToFailure(cause, response.requestId)
            return Effect.map(reply, toHttpResponse)
          })
    }),
  { global: true }
)

/** Paths match exactly, because clients that sign or cache a URL rely on one spelling. */
export const RouterConfig = Layer.succeed(HttpRouter.RouterConfig, {
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  caseSensitive: true,
  // The size limit of the request head is lower.
  maxParamLength: 20_000
})

const isEncoded = (path: string) => {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/**
 * Escapes the characters of a path that the router would misread. With malformed percent encoding it matches no route, so
 * the endpoint could not respond with 400 and its issues (`AppData.test.ts`). It also ends a path at `;` and `#`, and would
 * serve `/products;x` as `/products`.
 */
const escapePath = (path: string) =>
  (isEncoded(path) ? path : path.replaceAll("%", "%25")).replaceAll(";", "%3B").replaceAll("#", "%23")

/** Escapes the path of a request before it is routed. */
const LiteralPath = HttpRouter.middleware(
  (app) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const [path = "", ...query] = request.url.split("?")
      const escaped = escapePath(path)
      if (escaped === path) return app
      const url = [escaped, ...query].join("?")
      return Effect.provideService(app, HttpServerRequest.HttpServerRequest, request.modify({ url }))
    }),
  { global: true }
)

/** Middleware of every route. */
export const RouterMiddleware = Layer.mergeAll(LiteralPath, Compression, Fallback)

/** Every route except `/rpc` and `/mcp`. */
export const HttpRoutes = Layer.mergeAll(
  ApiRoutes,
  DocumentRoute,
  ReferenceRoute,
  HealthRoutes,
  ImportRoutes,
  FileUploadRoute,
  MediaRoute,
  SignInRoutes,
  MetadataRoute,
  ProtectedResourceRoutes,
  RegistrationRoute,
  TokenRoutes,
  AuthorizeRoutes,
  WebRoutes
)
