import { HttpLayerRouter, HttpRouter, type HttpServerError, HttpServerResponse, OpenApi } from "@effect/platform"
import { Cause, Effect, Layer, Option, Predicate } from "effect"
import { PartnerApi } from "./api/PartnerApi.ts"
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
  text: JSON.stringify(OpenApi.fromApi(PartnerApi))
}))

/** `/docs`. The page is 3.4 MB of script: it is loaded when somebody first asks for it. */
const Reference = asset("/docs", "text/html; charset=utf-8", async () => (await import("./DocsPage.ts")).renderDocs())

/** Tells the access log which route of the router was met. */
const RouteNote = HttpLayerRouter.middleware(
  Effect.succeed((app) =>
    Effect.flatMap(Effect.all([currentExchange, HttpRouter.RouteContext]), ([exchange, { route }]) => {
      exchange.route = route.path
      return app
    })
  )
).layer

/** What no route answered, in the public error shape: an unknown path or method, a defect. */
const Fallback = HttpLayerRouter.middleware<{ handles: HttpServerError.RouteNotFound }>()(
  (app) =>
    Effect.catchAllCause(app, (cause) => {
      const error = Option.getOrUndefined(Cause.failureOption(cause))
      if (Predicate.isTagged(error, "RouteNotFound")) return Effect.succeed(toResponse(NOT_FOUND))
      return Cause.isInterruptedOnly(cause)
        ? Effect.failCause(cause)
        : Effect.flatMap(currentExchange, ({ requestId }) => Effect.map(failureOf(cause, requestId), toResponse))
    }),
  { global: true }
)

/** What is served beside the API, and the answer to what nothing serves. */
export const pages = HttpLayerRouter.toHttpEffect(
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
