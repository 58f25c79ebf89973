/*
 * Works around `effect/http`, which has no metrics and does not see requests that bypass the router.
 */

import { Effect, Metric } from "effect"
import { AccessLog, type AccessEntry } from "./AccessLog.ts"

/** Bucket boundaries in seconds, from the semantic conventions of OpenTelemetry. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** Seconds from the head of a request to the end of its response. */
const requestDuration = Metric.histogram("http.server.request.duration", {
  description: "Duration of HTTP requests in seconds",
  boundaries: BOUNDARIES
})

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"])

/** Makes attributes with few values. A client can send any method and path, and each combination is a time series. */
const makeAttributes = ({ method, route, status }: AccessEntry) => ({
  "http.request.method": METHODS.has(method) ? method : "_OTHER",
  ...(route === "-" ? {} : { "http.route": route }),
  ...(status === "aborted" ? { "error.type": "aborted" } : { "http.response.status_code": String(status) })
})

/** Writes a request to the access log and records its duration. */
export const makeRequestLog = Effect.gen(function* () {
  const log = yield* AccessLog
  const context = yield* Effect.context<never>()
  const series = new Map<string, typeof requestDuration>()

  return (entry: AccessEntry): void => {
    log(entry)
    const attributes = makeAttributes(entry)
    const key = JSON.stringify(attributes)
    const metric = series.get(key) ?? Metric.withAttributes(requestDuration, attributes)
    series.set(key, metric)
    metric.updateUnsafe(entry.milliseconds / 1000, context)
  }
})
