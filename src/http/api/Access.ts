import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "@effect/platform"
import { Context, Schema } from "effect"
import { InstallationInactive } from "../../domain/access/Installations.ts"
import { type Scope, ScopeNotGranted } from "../../domain/access/Scope.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import { StoreBusy, type Weight } from "../../domain/Bulkhead.ts"
import { RateLimitExceeded } from "../../domain/RateLimit.ts"
import { StoreNotFound } from "../../domain/Store.ts"
import { Unavailable } from "../../domain/Unavailable.ts"
import { KeyMalformed, KeyMissing } from "../BadRequest.ts"
import { publicError } from "../ErrorTable.ts"

/** The scope that an endpoint asks for: an annotation of its definition, which the dispatch reads. */
export class RequiredScope extends Context.Tag("http/RequiredScope")<RequiredScope, Scope>() {}

/** What an endpoint's work may take, where it is not the usual: an annotation of its definition. */
export class WorkWeight extends Context.Reference<WorkWeight>()("http/WorkWeight", {
  defaultValue: (): Weight => "usual"
}) {}

/**
 * The door of the API, before anything else of a request is looked at: the token (401), the installation's state (403),
 * the store (404), the rolling window (429), the endpoint's scope (403), in this order (decisions, section 4), and at last
 * whether the store has room for one more request (503).
 */
export class BearerAuth extends HttpApiMiddleware.Tag<BearerAuth>()("http/BearerAuth", {
  security: {
    bearer: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "An access token of an installation, issued through OAuth 2.0")
    )
  },
  failure: Schema.Union(
    publicError(InvalidToken),
    publicError(InstallationInactive),
    publicError(StoreNotFound),
    publicError(RateLimitExceeded),
    publicError(ScopeNotGranted),
    publicError(StoreBusy),
    publicError(Unavailable)
  )
}) {}

/** Every write carries an `Idempotency-Key`, which is looked at before path and body (decisions, section 4). */
export class KeyRequired extends HttpApiMiddleware.Tag<KeyRequired>()("http/KeyRequired", {
  failure: Schema.Union(publicError(KeyMissing), publicError(KeyMalformed))
}) {}
