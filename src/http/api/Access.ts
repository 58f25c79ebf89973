import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { type AccessRule, CapabilityNotGranted, ScopeNotGranted } from "../../domain/access/AccessRule.ts"
import { InstallationSuspended } from "../../domain/access/Installations.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import { BadRequest } from "../../domain/BadRequest.ts"
import { StoreBusy } from "../../domain/Bulkhead.ts"
import { RateLimitExceeded } from "../../domain/RateLimit.ts"
import { StoreNotFound } from "../../domain/Store.ts"
import { Unavailable } from "../../domain/Unavailable.ts"
import { publicError } from "../ErrorTable.ts"

/** What an endpoint asks of the installation: an annotation of its definition, which the dispatch reads. */
export class Access extends Context.Service<Access, AccessRule>()("http/Access") {}

/** The rule of an endpoint: for the service to go by, and for its document to tell. */
export const needs = (rule: AccessRule) =>
  Context.merge(Context.make(Access, rule), OpenApi.annotations({ override: { "x-access": rule } }))

/** The member of a body that is kept as its text, where there is one: an annotation of an endpoint's definition. */
export const Verbatim = Context.Reference<string | undefined>("http/Verbatim", {
  defaultValue: (): string | undefined => undefined
})

/**
 * The door of the API, before anything else of a request is looked at: the token (401), the installation's state (403),
 * the store (404), the rolling window (429), the endpoint's rule (403), in this order (decisions, section 4), and at last
 * whether the store has room for one more request (503).
 */
export class BearerAuth extends HttpApiMiddleware.Service<BearerAuth>()("http/BearerAuth", {
  security: {
    bearer: HttpApiSecurity.http({ scheme: "bearer" }).pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "An access token of an installation, issued through OAuth 2.0")
    )
  },
  error: [
    publicError(InvalidToken),
    publicError(InstallationSuspended),
    publicError(StoreNotFound),
    publicError(RateLimitExceeded),
    publicError(ScopeNotGranted),
    publicError(CapabilityNotGranted),
    publicError(StoreBusy),
    publicError(Unavailable)
  ]
}) {}

/** Why a request is refused whatever its endpoint is. */
export type AdmissionRefused = HttpApiMiddleware.Error<BearerAuth>

/** Refuses a path, a query or a body that the definition of the endpoint does not admit. */
export class RequestValidation extends HttpApiMiddleware.Service<RequestValidation>()("http/RequestValidation", {
  error: publicError(BadRequest)
}) {}
