import { Context, type Effect, type Result } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { type AccessRule, CapabilityNotGranted, ScopeNotGranted } from "../../domain/access/AccessRule.ts"
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
 * Definitions of the API's middleware. `PartnerApi` applies it in the order of docs/spec/requests.md. The
 * implementations are in `http/middleware`, because the Effect client bundles the definitions only.
 */

/** The scope or capability that an endpoint requires. `AccessCheck` reads this annotation. */
export class EndpointAccess extends Context.Service<EndpointAccess, AccessRule>()("http/Access") {}

/** Annotates an endpoint with its access rule, for `AccessCheck` and for the OpenAPI document. */
export const requireAccess = (rule: AccessRule) =>
  Context.merge(Context.make(EndpointAccess, rule), OpenApi.annotations({ override: { "x-access": rule } }))

/** The installation of the request's access token. */
export class CurrentInstallation extends Context.Service<CurrentInstallation, Installation>()(
  "http/CurrentInstallation"
) {}

/**
 * Reads the installation of the access token again, for requests that wait or send a large body. Fails if the access has
 * ended. Counts no request.
 */
export class InstallationCheck extends Context.Service<
  InstallationCheck,
  { readonly recheck: Effect.Effect<Installation, InvalidToken | InstallationSuspended | StoreNotFound> }
>()("http/InstallationCheck") {}

/**
 * Authenticates the access token and counts the request in the rolling window. Errors in this order: token (401),
 * installation (403), store (404), window (429).
 */
export class BearerAuth extends HttpApiMiddleware.Service<
  BearerAuth,
  { provides: CurrentInstallation | InstallationCheck }
>()("http/BearerAuth", {
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
}) {}

/** Checks the scope or capability that the endpoint requires (403). */
export class AccessCheck extends HttpApiMiddleware.Service<AccessCheck, { requires: CurrentInstallation }>()(
  "http/AccessCheck",
  { error: [publicError(ScopeNotGranted), publicError(CapabilityNotGranted)] }
) {}

/** Annotates an endpoint whose handler reads the body as a stream, and enters the bulkhead when it has a part. */
export const StreamedBody = Context.Reference("http/StreamedBody", { defaultValue: () => false })

/**
 * Annotates a read that the primary serves, and that no later read of the installation may precede: of what jobs of the
 * installation do, and of the feed, whose end depends on the transactions of the primary.
 */
export const ReadsLatest = Context.Reference("http/ReadsLatest", { defaultValue: () => false })

/** The bytes of a request body, or the error of reading it. Empty if the endpoint takes no body. */
export class RequestBody extends Context.Service<RequestBody, Result.Result<Uint8Array, BadRequest>>()(
  "http/RequestBody"
) {}

/** Reads the body before the request enters the bulkhead, so that a slow client does not occupy a slot of its store. */
export class BodyReception extends HttpApiMiddleware.Service<BodyReception, { provides: RequestBody }>()(
  "http/BodyReception"
) {}

/** Limits the concurrent requests of a store by number and size (503 if too many wait). */
export class StoreBulkhead extends HttpApiMiddleware.Service<
  StoreBulkhead,
  { requires: CurrentInstallation | RequestBody }
>()("http/StoreBulkhead", { error: [publicError(StoreBusy), publicError(Unavailable)] }) {}

/**
 * Refuses query parameters that the endpoint does not have (400), because a mistyped filter would return all rows, and a
 * mistyped option of a write would be ignored.
 */
export class KnownParameters extends HttpApiMiddleware.Service<KnownParameters>()("http/KnownParameters", {
  error: publicError(BadRequest)
}) {}

/** Converts an invalid path or query to 400 with its issues. */
export class RequestValidation extends HttpApiMiddleware.Service<RequestValidation>()("http/RequestValidation", {
  error: publicError(BadRequest)
}) {}

/** The `Idempotency-Key` of the current write. */
export class CurrentKey extends Context.Service<CurrentKey, IdempotencyKey>()("http/CurrentKey") {}

/** Requires an `Idempotency-Key` on a write. Runs before the path and body are decoded (docs/spec/requests.md). */
export class KeyRequired extends HttpApiMiddleware.Service<KeyRequired, { provides: CurrentKey }>()(
  "http/KeyRequired",
  { error: [publicError(KeyMissing), publicError(KeyMalformed)] }
) {}
