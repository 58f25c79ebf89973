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

/** Replaces `Unavailable` in responses; the cause is only logged. */
export class ServiceUnavailable extends Schema.TaggedError<ServiceUnavailable>()("ServiceUnavailable", {}) {
  override get message() {
    return "The service is temporarily unavailable. Retry the call; send a write with the same idempotencyKey"
  }
}

/** Replaces every defect in responses; the cause is only logged. */
export class InternalError extends Schema.TaggedError<InternalError>()("InternalError", {
  /** Id of the request in the log. */
  requestId: Schema.String
}) {
  override get message() {
    return "Internal error"
  }
}

/** Errors of every call. A store that the principal does not belong to fails with `StoreNotFound`. */
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

/** Middleware of every procedure. Provides the principal or fails the call. */
export class Authentication extends RpcMiddleware.Service<Authentication, { provides: CurrentPrincipal }>()(
  "rpc/Authentication",
  {
    error: CallError
  }
) {}
