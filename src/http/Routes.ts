import { Cause, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { openApi } from "./api/Document.ts"
import { PartnerApi } from "./api/PartnerApi.ts"
import { generatedRoute } from "./StaticAsset.ts"
import { currentResponse } from "./server/NodeResponse.ts"
import { AppDataLive } from "./handlers/AppData.ts"
import { CollectionsLive, ProductsLive } from "./handlers/Catalog.ts"
import { HealthRoutes } from "./handlers/Health.ts"
import { CustomersLive, OrdersLive } from "./handlers/Records.ts"
import { SignInRoutes } from "./handlers/SignIn.ts"
import { StoreLive } from "./handlers/Stores.ts"
import { AccessCheckLive } from "./middleware/AccessCheck.ts"
import { BearerAuthLive } from "./middleware/BearerAuth.ts"
import { BodyReceptionLive } from "./middleware/BodyReception.ts"
import { Compression } from "./middleware/Compression.ts"
import { KeyRequiredLive } from "./middleware/KeyRequired.ts"
import { RequestValidationLive } from "./middleware/RequestValidation.ts"
import { ErrorHeaders } from "./middleware/ErrorHeaders.ts"
import { StoreBulkheadLive } from "./middleware/StoreBulkhead.ts"
import { MetadataRoute } from "./oauth/Metadata.ts"
import { ProtectedResourceRoutes } from "./oauth/ProtectedResource.ts"
import { RegistrationRoute } from "./oauth/Registration.ts"
import { TokenRoutes } from "./oauth/TokenEndpoints.ts"
import { AuthorizeRoutes } from "./pages/Authorize.ts"
import { replyToFailure, NOT_FOUND, toHttpResponse } from "./Reply.ts"
import { WebRoutes } from "./WebPages.ts"

/** Implementations of the API's middleware. `PartnerApi` has their order. */
export const ApiMiddleware = Layer.mergeAll(
  BearerAuthLive,
  AccessCheckLive,
  BodyReceptionLive,
  StoreBulkheadLive,
  RequestValidationLive,
  KeyRequiredLive
)

const ApiHandlers = Layer.mergeAll(StoreLive, ProductsLive, CollectionsLive, OrdersLive, CustomersLive, AppDataLive)

/** The public REST API. */
const ApiRoutes = HttpApiBuilder.layer(PartnerApi).pipe(
  Layer.provide(ApiHandlers),
  Layer.provide(ApiMiddleware),
  Layer.provide(ErrorHeaders)
)

/** `/openapi.json`, generated from the definitions that serve. */
const DocumentRoute = generatedRoute("/openapi.json", "application/json", () => ({
  text: JSON.stringify(openApi())
}))

/** `/docs`. The page has 3.4 MB of script, which is loaded at the first request. */
const ReferenceRoute = generatedRoute("/docs", "text/html; charset=utf-8", async () =>
  (await import("./DocsPage.ts")).renderDocs()
)

/** Gives the access log the pattern of the route. */
export const RecordRoute = HttpRouter.middleware(
  Effect.succeed((app) =>
    Effect.flatMap(Effect.all([currentResponse, HttpRouter.RouteContext]), ([exchange, { route }]) => {
      exchange.route = route.path
      return app
    })
  )
).layer

/** Answers unknown paths and methods (404) and defects (500, or 503 without a database) in the public error shape. */
const Fallback = HttpRouter.middleware<{ handles: HttpServerError.HttpServerError }>()(
  (app) =>
    Effect.catchCause(app, (cause) => {
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound")
        return Effect.succeed(toHttpResponse(NOT_FOUND))
      return Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.flatMap(currentResponse, ({ requestId }) =>
            Effect.map(replyToFailure(cause, requestId), toHttpResponse)
          )
    }),
  { global: true }
)

/** Paths match as they are written: a client that signs or caches a URL relies on one spelling. */
export const RouterConfig = Layer.succeed(HttpRouter.RouterConfig, {
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  caseSensitive: true,
  // Bounded by the size of the head.
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
 * Takes a path with a malformed percent encoding literally, so that the endpoint answers 400 with its issues. The router
 * does not match such a path (`AppData.test.ts`).
 */
const LiteralPath = HttpRouter.middleware(
  (app) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const [path = "", ...query] = request.url.split("?")
      if (isEncoded(path)) return app
      const url = [path.replaceAll("%", "%25"), ...query].join("?")
      return Effect.provideService(app, HttpServerRequest.HttpServerRequest, request.modify({ url }))
    }),
  { global: true }
)

/** The middleware of every response. */
export const RouterMiddleware = Layer.mergeAll(LiteralPath, Compression, Fallback)

/** Every route but `/rpc` and `/mcp`. */
export const HttpRoutes = Layer.mergeAll(
  ApiRoutes,
  DocumentRoute,
  ReferenceRoute,
  HealthRoutes,
  SignInRoutes,
  MetadataRoute,
  ProtectedResourceRoutes,
  RegistrationRoute,
  TokenRoutes,
  AuthorizeRoutes,
  WebRoutes
)
