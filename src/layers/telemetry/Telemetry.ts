import { Config, ConfigProvider, Effect, Layer, Option, References, Tracer } from "effect"
import { Otlp, OtlpSerialization } from "effect/observability"
import { release } from "../../domain/Release.ts"
import { oneOf, optionalString } from "../Settings.ts"

/**
 * Turns spans on if a tracer is provided that exports them. Without one they would cost CPU and reach nobody. Requests,
 * service methods, statements and outgoing HTTP requests have spans.
 */
export const TracingLive = Layer.effect(
  References.TracerEnabled,
  Effect.map(Effect.tracer, (tracer) => tracer !== Tracer.nativeTracer)
)

/** The standard exports every signal once an endpoint is set; the library exports only those that are named. */
const DEFAULTS = {
  OTEL_SERVICE_NAME: "partner-api",
  OTEL_SERVICE_VERSION: release,
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_LOGS_EXPORTER: "otlp"
}

/** The environment. Empty values count as not set, as the standard says. */
const standardEnvironment = ConfigProvider.layer(
  ConfigProvider.orElse(ConfigProvider.fromEnv(), ConfigProvider.fromEnv({ env: DEFAULTS }))
)

/** Format of the exports. An empty value counts as not set. */
export const otlpProtocol = Config.flatMap(
  optionalString("OTEL_EXPORTER_OTLP_PROTOCOL"),
  Option.match({
    onNone: () => Config.succeed("http/protobuf" as const),
    onSome: () => oneOf("OTEL_EXPORTER_OTLP_PROTOCOL", ["http/protobuf", "http/json"])
  })
)

const serialization = Layer.unwrap(
  Config.map(otlpProtocol, (protocol) =>
    protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf
  )
)

/**
 * Exports traces, metrics and logs over HTTP by the standard `OTEL_*` variables (docs/operations/monitor.md). Without
 * `OTEL_EXPORTER_OTLP_ENDPOINT` nothing is exported and there are no spans.
 */
export const TelemetryLive = TracingLive.pipe(
  Layer.provideMerge(Layer.provide(Otlp.layerFromConfig(), serialization)),
  Layer.provide(standardEnvironment)
)
