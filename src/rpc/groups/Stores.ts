import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Email, EmailUnproven, LastOwner, Member, MerchantNotFound, Role } from "../../domain/access/Merchants.ts"
import { UpdateSettings } from "../../domain/access/Settings.ts"
import { Store } from "../../domain/access/Stores.ts"
import { MerchantId } from "../../domain/Actor.ts"
import { AccessPolicy, MEMBERS_AND_AGENTS, ToolDescription, OWNERS_ONLY } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { storeFields, keyedFields, WriteError } from "./CommonSchemas.ts"

/*
 * Stores, their members, and the sessions of who calls. To end a session is the same when it is done twice, and is
 * answered the same; it is in no store, where records of keys are kept, and takes none.
 */

export const getStore = Rpc.make("store.get", { payload: storeFields, success: Store })
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    "Answers what the store is: its name, language, country and time zone, the currency of its prices, the unit of its weights, how many products it has and how many its plan allows. Use it first."
  )

/** Changes what the store says of itself: only what is named, null clears. Answers the store. */
export const updateSettings = Rpc.make("settings.update", {
  payload: { ...keyedFields, settings: UpdateSettings },
  success: Store,
  error: WriteError
})

/** What a store says of itself. */
export class StoreRpcs extends RpcGroup.make(getStore, updateSettings).middleware(Authentication) {}

/** Owners first. */
export const listMembers = Rpc.make("members.list", {
  payload: storeFields,
  success: Schema.Array(Schema.Struct({ ...Member.fields, createdAt: Schema.DateFromString }))
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Makes a merchant a member, or gives a member another role. */
export const joinMember = Rpc.make("members.join", {
  payload: { ...keyedFields, email: Email, role: Role },
  success: Schema.Struct({ merchantId: MerchantId, role: Role }),
  error: Schema.Union([WriteError, MerchantNotFound, EmailUnproven, LastOwner])
}).annotate(AccessPolicy, OWNERS_ONLY)

/** From then on the merchant is refused in the store. */
export const leaveMember = Rpc.make("members.leave", {
  payload: { ...keyedFields, merchantId: MerchantId },
  success: Schema.Struct({ merchantId: MerchantId }),
  error: Schema.Union([WriteError, LastOwner])
}).annotate(AccessPolicy, OWNERS_ONLY)

/** The merchants who may work in a store: for its owners. */
export class MemberRpcs extends RpcGroup.make(listMembers, joinMember, leaveMember).middleware(Authentication) {}
