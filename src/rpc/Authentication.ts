import { Schema } from "effect"
import { RpcMiddleware } from "effect/rpc"
import { AgentRefused, AgentScopeMissing } from "../domain/access/Agents.ts"
import { OwnersOnly } from "../domain/access/Merchants.ts"
import { NotSignedIn } from "../domain/access/Sessions.ts"
import { InvalidToken } from "../domain/access/Tokens.ts"
import { BadRequest } from "../domain/BadRequest.ts"
import { StoreBusy } from "../domain/Bulkhead.ts"
import { RateLimitExceeded } from "../domain/RateLimit.ts"
import { StoreNotFound } from "../domain/Store.ts"
import type { CurrentPrincipal } from "./Principal.ts"

/** What a client is told of `Unavailable`, whose reason stays in the service. */
export class ServiceUnavailable extends Schema.TaggedError<ServiceUnavailable>()("ServiceUnavailable", {}) {
  override get message() {
    return "The service is out of reach of its database, or overloaded; repeat the call, a write with the same idempotencyKey"
  }
}

/** What a client is told of every defect. */
export class InternalError extends Schema.TaggedError<InternalError>()("InternalError", {
  /** What names the request in the service's log. */
  requestId: Schema.String
}) {
  override get message() {
    return "Internal error"
  }
}

/** Why any call may be refused. A store that the principal is no member of is refused as one that there is not. */
export const CallError = Schema.Union([
  NotSignedIn,
  InvalidToken,
  RateLimitExceeded,
  BadRequest,
  StoreNotFound,
  OwnersOnly,
  AgentRefused,
  AgentScopeMissing,
  StoreBusy,
  ServiceUnavailable,
  InternalError
])
export type CallError = typeof CallError.Type

/** What stands before every procedure: who calls is known to it, or the call is refused. */
export class Authentication extends RpcMiddleware.Service<Authentication, { provides: CurrentPrincipal }>()(
  "rpc/Authentication",
  {
    error: CallError
  }
) {}
