import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer, Metric, Option } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { createServer } from "node:http"
import { release } from "../../domain/Release.ts"
import { readiness } from "../handlers/Health.ts"
import { safeHeaders } from "../headers/SafeHeaders.ts"

/** The listener for operators, off the public one. */
interface ManagementAddress {
  readonly host: string
  readonly port: number
}

/** Suffixes of names in Prometheus, by unit. */
const UNIT_SUFFIXES: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes" }

const suffixOf = ({ attributes, type }: Metric.Metric.Snapshot) =>
  (UNIT_SUFFIXES[attributes?.["unit"] ?? ""] ?? "") + (type === "Counter" ? "_total" : "")

/** Text of all metrics, with the names that OpenTelemetry's collector gives them in Prometheus. */
export const metricsText = Effect.gen(function* () {
  const suffixes = new Map((yield* Metric.snapshot).map((metric) => [metric.id, suffixOf(metric)]))
  return yield* PrometheusMetrics.format({ metricNameMapper: (name) => `${name}${suffixes.get(name) ?? ""}` })
})

const routes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    yield* router.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ status: "ok", version: release }))
    yield* router.add("GET", "/livez", HttpServerResponse.jsonUnsafe({ status: "ok" }))
    yield* router.add("GET", "/readyz", yield* readiness)
    yield* router.add(
      "GET",
      "/metrics",
      Effect.map(metricsText, (text) =>
        HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
      )
    )
  })
)

/** Serves `/healthz` with the version, `/livez`, `/readyz` and `/metrics` at an address, if there is one. */
export const managementServer = (address: Option.Option<ManagementAddress>) =>
  Option.match(address, {
    onNone: () => Layer.empty,
    onSome: ({ host, port }) =>
      HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
        Layer.provide(
          Layer.unwrap(
            Effect.map(safeHeaders, (headers) =>
              NodeHttpServer.layer(() => createServer().on("request", (_, response) => response.setHeaders(headers)), {
                host,
                port
              })
            )
          )
        )
      )
  })
