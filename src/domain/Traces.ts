import { Effect, Option, Tracer } from "effect"

/*
 * Passes traces through the database, as `traceparent` of W3C Trace Context. `HttpTraceContext` does it for headers of HTTP.
 */

const PATTERN = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/** Parses a `traceparent`. None if it is malformed, as for a client's own text. */
export const parseTraceParent = (text: string): Option.Option<Tracer.ExternalSpan> =>
  Option.map(Option.fromNullishOr(PATTERN.exec(text)), ([, traceId = "", spanId = "", flags = ""]) =>
    Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 })
  )

/** The current span as `traceparent`; null if it is not exported. */
export const currentTraceParent: Effect.Effect<string | null> = Effect.map(
  Effect.option(Effect.currentParentSpan),
  Option.match({
    onNone: () => null,
    onSome: ({ sampled, spanId, traceId }) => (sampled ? `00-${traceId}-${spanId}-01` : null)
  })
)
