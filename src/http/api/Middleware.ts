import { Context, type Result } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { CapabilityNotGranted, ScopeNotGranted } from "../../domain/access/AccessRule.ts"
import { type Installation, InstallationSuspended } from "../../domain/access/Installations.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import { BadRequest } from "../../domain/BadRequest.ts"
import { StoreBusy } from "../../domain/Bulkhead.ts"
import type { IdempotencyKey } from "../../domain/Idempotency.ts"
import { RateLimitExceeded } from "../../domain/RateLimit.ts"
import { StoreNotFound } from "../../domain/Store.ts"
import { Unavailable } from "../../domain/Unavailable.ts"
import { KeyMalformed, KeyMissing, publicError } from "../ErrorTable.ts"

/*
 * The middleware of the API. `PartnerApi` applies it in the order of decisions, section 4. The implementations are in
 * `http/middleware`: the Effect client bundles the definitions, and must not bundle those.
 */

/** The installation whose access token the request carries. */
export class CurrentInstallation extends Context.Service<CurrentInstallation, Installation>()(
  "http/CurrentInstallation"
) {}

/**
 * Authenticates the access token and counts the request in the rolling window: the token (401), the state of the
 * installation (403), its store (404), the window (429).
 */
export class BearerAuth extends HttpApiMiddleware.Service<BearerAuth, { provides: CurrentInstallation }>()(
  "http/BearerAuth",
  {
    security: {
      bearer: HttpApiSecurity.http({ scheme: "bearer" }).pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "An access token of an installation, issued through OAuth 2.0")
      )
    },
    error: [
      publicError(InvalidToken),
      publicError(InstallationSuspended),
      publicError(StoreNotFound),
      publicError(RateLimitExceeded)
    ]
  }
) {}

/** Checks the scope or capability that the endpoint requires (403). */
export class AccessCheck extends HttpApiMiddleware.Service<AccessCheck, { requires: CurrentInstallation }>()(
  "http/AccessCheck",
  { error: [publicError(ScopeNotGranted), publicError(CapabilityNotGranted)] }
) {}

/** The bytes of a request body, or the reason why they were refused. Empty if the endpoint takes no body. */
export class RequestBody extends Context.Service<RequestBody, Result.Result<Uint8Array, BadRequest>>()(
  "http/RequestBody"
) {}

/** Receives the body before the request waits for its turn, so that a slow client does not hold the turn of its store. */
export class BodyReception extends HttpApiMiddleware.Service<BodyReception, { provides: RequestBody }>()(
  "http/BodyReception"
) {}

/** Limits the requests of a store that run at once (503 if too many wait). */
export class StoreBulkhead extends HttpApiMiddleware.Service<StoreBulkhead, { requires: CurrentInstallation }>()(
  "http/StoreBulkhead",
  { error: [publicError(StoreBusy), publicError(Unavailable)] }
) {}

/** Answers a path or query that the endpoint does not accept with 400 and its issues. */
export class RequestValidation extends HttpApiMiddleware.Service<RequestValidation>()("http/RequestValidation", {
  error: publicError(BadRequest)
}) {}

/** The `Idempotency-Key` of the current write. */
export class CurrentKey extends Context.Service<CurrentKey, IdempotencyKey>()("http/CurrentKey") {}

/** Requires an `Idempotency-Key` on a write. It is checked before the path and the body (decisions, section 4). */
export class KeyRequired extends HttpApiMiddleware.Service<KeyRequired, { provides: CurrentKey }>()(
  "http/KeyRequired",
  { error: [publicError(KeyMissing), publicError(KeyMalformed)] }
) {}
