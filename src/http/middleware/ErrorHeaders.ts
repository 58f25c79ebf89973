import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { retryAfterHeader } from "../ErrorTable.ts"

/** Seconds after which a request that met a busy store is worth repeating. */
const BUSY_SECONDS = 1

/**
 * The headers that an error response of the API has by its status: how to authenticate (RFC 9110, section 11.6.1) and
 * when to repeat the request (section 10.2.3).
 */
export const ErrorHeaders = HttpRouter.middleware(
  Effect.succeed((app) =>
    Effect.map(app, (response) => {
      if (response.status === 401) return HttpServerResponse.setHeader(response, "www-authenticate", "Bearer")
      return response.status === 503
        ? HttpServerResponse.setHeaders(response, retryAfterHeader(BUSY_SECONDS))
        : response
    })
  )
).layer
