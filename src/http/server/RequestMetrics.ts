/*
 * Works around `effect/http`, which has no metrics and does not see requests that bypass the router.
 */

import { Effect } from "effect"
import { makeSeries, requestDuration } from "../../domain/Metrics.ts"
import { AccessLog, type AccessEntry } from "./AccessLog.ts"

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
  const recordDuration = makeSeries(requestDuration)

  return (entry: AccessEntry): void => {
    log(entry)
    recordDuration(context, entry.milliseconds / 1000, makeAttributes(entry))
  }
})
