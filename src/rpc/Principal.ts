import { RpcMiddleware } from "@effect/rpc"
import { Context, Data, Schema } from "effect"
import type { Role } from "../domain/access/Merchants.ts"
import { NotSignedIn, type SessionId } from "../domain/access/Sessions.ts"
import { Actor, type MerchantId } from "../domain/Actor.ts"
import { BadRequest } from "../domain/BadRequest.ts"
import { StoreBusy } from "../domain/Bulkhead.ts"
import { type StoreId, StoreNotFound } from "../domain/Store.ts"

/** Who calls: a merchant, by a session, with what they may do in the stores that their calls name. */
export type Principal = Data.TaggedEnum<{
  Merchant: {
    readonly id: MerchantId
    readonly sessionId: SessionId
    readonly roles: Readonly<Record<StoreId, Role>>
  }
}>

export const Principal = Data.taggedEnum<Principal>()

/** As whom a principal writes. */
export const actorOf: (principal: Principal) => Actor = Principal.$match({
  Merchant: ({ id }) => Actor.Merchant({ id })
})

/** Who the call that is being answered comes from. */
export class CurrentPrincipal extends Context.Tag("rpc/CurrentPrincipal")<CurrentPrincipal, Principal>() {}

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
export const CallRefused = Schema.Union(
  NotSignedIn,
  BadRequest,
  StoreNotFound,
  StoreBusy,
  ServiceUnavailable,
  InternalError
)
export type CallRefused = typeof CallRefused.Type

/** What stands before every procedure: who calls is known to it, or the call is refused. */
export class Identified extends RpcMiddleware.Tag<Identified>()("rpc/Identified", {
  provides: CurrentPrincipal,
  failure: CallRefused
}) {}
