import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Email, EmailUnproven, LastOwner, Member, MerchantNotFound, Role } from "../../domain/access/Merchants.ts"
import { UpdateSettings } from "../../domain/access/Settings.ts"
import { Store } from "../../domain/access/Stores.ts"
import { MerchantId } from "../../domain/Actor.ts"
import { CallersOf, EVERYBODY, ForAgents, OWNERS } from "../Annotations.ts"
import { Identified } from "../Authentication.ts"
import { inStore, keyed, WriteRefused } from "./CommonSchemas.ts"

/*
 * Stores, their members, and the sessions of who calls. To end a session is the same when it is done twice, and is
 * answered the same; it is in no store, where records of keys are kept, and takes none.
 */

export const getStore = Rpc.make("store.get", { payload: inStore, success: Store })
  .annotate(CallersOf, EVERYBODY)
  .annotate(
    ForAgents,
    "Answers what the store is: its name, language, country and time zone, the currency of its prices, the unit of its weights, how many products it has and how many its plan allows. Use it first."
  )

/** Changes what the store says of itself: only what is named, null clears. Answers the store. */
export const updateSettings = Rpc.make("settings.update", {
  payload: { ...keyed, settings: UpdateSettings },
  success: Store,
  error: WriteRefused
})

/** What a store says of itself. */
export class StoreRpcs extends RpcGroup.make(getStore, updateSettings).middleware(Identified) {}

/** Owners first. */
export const listMembers = Rpc.make("members.list", {
  payload: inStore,
  success: Schema.Array(Schema.Struct({ ...Member.fields, createdAt: Schema.DateFromString }))
}).annotate(CallersOf, OWNERS)

/** Makes a merchant a member, or gives a member another role. */
export const joinMember = Rpc.make("members.join", {
  payload: { ...keyed, email: Email, role: Role },
  success: Schema.Struct({ merchantId: MerchantId, role: Role }),
  error: Schema.Union([WriteRefused, MerchantNotFound, EmailUnproven, LastOwner])
}).annotate(CallersOf, OWNERS)

/** From then on the merchant is refused in the store. */
export const leaveMember = Rpc.make("members.leave", {
  payload: { ...keyed, merchantId: MerchantId },
  success: Schema.Struct({ merchantId: MerchantId }),
  error: Schema.Union([WriteRefused, LastOwner])
}).annotate(CallersOf, OWNERS)

/** The merchants who may work in a store: for its owners. */
export class MemberRpcs extends RpcGroup.make(listMembers, joinMember, leaveMember).middleware(Identified) {}
