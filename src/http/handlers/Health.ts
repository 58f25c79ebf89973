import { HttpLayerRouter } from "@effect/platform"
import { Effect, Layer } from "effect"
import { Health } from "../../domain/Health.ts"
import { json } from "../Responses.ts"

/** `/healthz`: the process answers. `/readyz`: it can do its work, so traffic may be sent to it. */
export const HealthRoutes = Layer.mergeAll(
  HttpLayerRouter.add("GET", "/healthz", Effect.succeed(json('{"status":"ok"}'))),
  HttpLayerRouter.use((router) =>
    Effect.flatMap(Health, ({ isReady }) =>
      router.add(
        "GET",
        "/readyz",
        Effect.map(isReady, (ready) =>
          ready
            ? json('{"status":"ready"}')
            : json('{"error":"The database is not reachable, not writable or not migrated"}', 503)
        )
      )
    )
  )
)
