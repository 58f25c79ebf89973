import { Effect, Layer, References, Tracer } from "effect"

/**
 * Turns spans on if a tracer is provided that exports them. Without one they would cost CPU and reach nobody. Requests,
 * service methods, statements and outgoing HTTP requests have spans.
 */
export const TracingLive = Layer.effect(
  References.TracerEnabled,
  Effect.map(Effect.tracer, (tracer) => tracer !== Tracer.nativeTracer)
)
