import { HttpLayerRouter, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { makeDispatch } from "./http/Dispatch.ts"
import { Fallback } from "./http/Fallback.ts"
import { makeCollectionHandlers } from "./http/handlers/Collections.ts"
import { DocsRoutes } from "./http/handlers/Docs.ts"
import { HealthRoutes } from "./http/handlers/Health.ts"
import { OpenApiRoutes } from "./http/handlers/OpenApi.ts"
import { makeProductHandlers } from "./http/handlers/Products.ts"
import { Listener } from "./http/Listener.ts"

/** What is served beside the API. */
const Pages = Layer.mergeAll(OpenApiRoutes, DocsRoutes, HealthRoutes, Fallback)

/** Every route of the service; what they need of the domain is left for `main` and the tests to provide. */
export const ServerLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    yield* HttpServer.HttpServer
    const server = yield* Listener
    const dispatch = yield* makeDispatch({ ...(yield* makeProductHandlers), ...(yield* makeCollectionHandlers) })
    const others = yield* NodeHttpServer.makeHandler(yield* HttpLayerRouter.toHttpEffect(Pages))

    const answer = (message: IncomingMessage, response: ServerResponse) => {
      if (!dispatch(message, response)) others(message, response)
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => server.on("request", answer)),
      () => Effect.sync(() => server.off("request", answer))
    )
  })
)
