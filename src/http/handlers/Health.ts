import { Effect, Metric } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Health } from "../../domain/Health.ts"
import { ready } from "../../domain/Metrics.ts"

const READY = HttpServerResponse.jsonUnsafe({ status: "ready" })
const NOT_READY = HttpServerResponse.jsonUnsafe(
  { error: "The process starts or stops, or no database is reachable, writable and migrated" },
  { status: 503, headers: { "retry-after": "1" } }
)

/** Responds with 200 while the process can serve requests, otherwise with 503. */
export const readiness = Effect.map(Health, ({ isReady }) =>
  Effect.flatMap(isReady, (isUp) => Effect.as(Metric.update(ready, isUp ? 1 : 0), isUp ? READY : NOT_READY))
)

/** `/healthz`: the process is alive. `/readyz`: it can serve requests. */
export const HealthRoutes = HttpRouter.use((router) =>
  Effect.flatMap(readiness, (respond) =>
    Effect.zip(
      router.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ status: "ok" })),
      router.add("GET", "/readyz", respond)
    )
  )
)
