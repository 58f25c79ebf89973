import { HttpLayerRouter, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { Health } from "../../domain/Health.ts"

const READY = HttpServerResponse.unsafeJson({ status: "ready" })
const NOT_READY = HttpServerResponse.unsafeJson(
  { error: "The database is not reachable, not writable or not migrated" },
  { status: 503, headers: { "retry-after": "1" } }
)

/** `/healthz`: the process answers. `/readyz`: it can do its work, so traffic may be sent to it. */
export const HealthRoutes = HttpLayerRouter.use((router) =>
  Effect.flatMap(Health, ({ isReady }) =>
    Effect.zip(
      router.add("GET", "/healthz", HttpServerResponse.unsafeJson({ status: "ok" })),
      router.add(
        "GET",
        "/readyz",
        Effect.map(isReady, (ready) => (ready ? READY : NOT_READY))
      )
    )
  )
)
