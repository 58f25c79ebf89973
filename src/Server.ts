import { HttpLayerRouter } from "@effect/platform"
import { Effect, Layer } from "effect"
import { makeDispatch } from "./http/Dispatch.ts"
import { Fallback, RouteNote } from "./http/Fallback.ts"
import { makeCollectionHandlers } from "./http/handlers/Collections.ts"
import { DocsRoutes } from "./http/handlers/Docs.ts"
import { HealthRoutes } from "./http/handlers/Health.ts"
import { OpenApiRoutes } from "./http/handlers/OpenApi.ts"
import { makeProductHandlers } from "./http/handlers/Products.ts"
import { serve } from "./http/Serve.ts"

/** What is served beside the API. */
const Pages = Layer.merge(Layer.provide(Layer.mergeAll(OpenApiRoutes, DocsRoutes, HealthRoutes), RouteNote), Fallback)

/** Every route of the service; what they need of the domain is left for `main` and the tests to provide. */
export const ServerLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const handlers = { ...(yield* makeProductHandlers), ...(yield* makeCollectionHandlers) }
    yield* serve(yield* makeDispatch(handlers), yield* HttpLayerRouter.toHttpEffect(Pages))
  })
)
