import { Cause, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerError, HttpServerResponse } from "effect/http"
import { openApi } from "./api/Document.ts"
import { asset } from "./Asset.ts"
import type { Reply } from "./Call.ts"
import { currentExchange } from "./Exchange.ts"
import { failureOf, NOT_FOUND } from "./Failure.ts"
import { HealthRoutes } from "./handlers/Health.ts"
import { SignInRoutes } from "./handlers/SignIn.ts"
import { MetadataRoute } from "./oauth/Metadata.ts"
import { ProtectedResourceRoutes } from "./oauth/ProtectedResource.ts"
import { AuthorizeRoutes } from "./pages/Authorize.ts"
import { WebRoutes } from "./WebPages.ts"

const toResponse = ({ body, headers = {}, status }: Reply) =>
  HttpServerResponse.text(body, { status, headers, contentType: "application/json" })

/** `/openapi.json`, generated from the definitions that serve. */
const Document = asset("/openapi.json", "application/json", () => ({
  text: JSON.stringify(openApi())
}))

/** `/docs`. The page is 3.4 MB of script: it is loaded when somebody first asks for it. */
const Reference = asset("/docs", "text/html; charset=utf-8", async () => (await import("./DocsPage.ts")).renderDocs())

/** Tells the access log which route of the router was met. */
const RouteNote = HttpRouter.middleware(
  Effect.succeed((app) =>
    Effect.flatMap(Effect.all([currentExchange, HttpRouter.RouteContext]), ([exchange, { route }]) => {
      exchange.route = route.path
      return app
    })
  )
).layer

/** What no route answered, in the public error shape: an unknown path or method, a defect. */
const Fallback = HttpRouter.middleware<{ handles: HttpServerError.HttpServerError }>()(
  (app) =>
    Effect.catchCause(app, (cause) => {
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound")
        return Effect.succeed(toResponse(NOT_FOUND))
      return Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.flatMap(currentExchange, ({ requestId }) => Effect.map(failureOf(cause, requestId), toResponse))
    }),
  { global: true }
)

/** What is served beside the API, and the answer to what nothing serves. */
export const pages = HttpRouter.toHttpEffect(
  Layer.merge(
    Layer.provide(
      Layer.mergeAll(
        Document,
        Reference,
        HealthRoutes,
        SignInRoutes,
        MetadataRoute,
        ProtectedResourceRoutes,
        AuthorizeRoutes,
        WebRoutes
      ),
      RouteNote
    ),
    Fallback
  )
)
