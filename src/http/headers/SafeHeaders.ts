import { Effect } from "effect"
import { makeOriginPolicy } from "./Origin.ts"

/**
 * Headers of each response, unless its route replaces them: nothing is cached, sniffed, framed or run. Under an https
 * `PUBLIC_URL` browsers use TLS for a year (RFC 6797), for this host only: other hosts of the domain may lack TLS.
 */
export const safeHeaders = Effect.map(
  makeOriginPolicy,
  ({ isSecure }) =>
    new Map([
      ["cache-control", "no-store"],
      ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
      // With `no-referrer` browsers send forms with `Origin: null`.
      ["referrer-policy", "same-origin"],
      ["x-content-type-options", "nosniff"],
      ...(isSecure ? [["strict-transport-security", "max-age=31536000"] as const] : [])
    ])
)
