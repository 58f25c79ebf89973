import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import {
  AlreadyMember,
  Invitation,
  InvitationId,
  ResetLink,
  ResetRefused,
  TooManyInvitations
} from "../../domain/access/AccountLinks.ts"
import {
  Email,
  EmailUnproven,
  LastOwner,
  Member,
  MemberNotFound,
  MerchantNotFound,
  Role
} from "../../domain/access/Merchants.ts"
import { OpenForm, PresentMember } from "../../domain/access/Presence.ts"
import { UpdateSettings } from "../../domain/access/Settings.ts"
import { Store } from "../../domain/access/Stores.ts"
import { MerchantId } from "../../domain/access/Ids.ts"
import { withDescription } from "../../domain/catalog/Fields.ts"
import { AccessPolicy, MEMBERS_AND_AGENTS, ToolDescription, OWNERS_ONLY } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { storeFields, keyedFields, WriteError } from "./CommonSchemas.ts"

/** Reads the store. Members and all agents. */
export const getStore = Rpc.make("store.get", { payload: storeFields, success: Store })
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    "Reads the store: name, language, country, time zone, currency of prices, unit of weights, number of products and product limit of the plan. Call it first: other tools use this currency and unit. Takes no arguments."
  )

/** Changes settings with a merge patch: omitted fields stay, null clears. Returns the store. Members only. */
export const updateSettings = Rpc.make("settings.update", {
  payload: { ...keyedFields, settings: UpdateSettings },
  success: Store,
  error: WriteError
})

/** The store and its settings. */
export class StoreRpcs extends RpcGroup.make(getStore, updateSettings).middleware(Authentication) {}

/** Lists the members of a store, owners first. Owners only. */
export const listMembers = Rpc.make("members.list", {
  payload: storeFields,
  success: Schema.Array(Schema.Struct({ ...Member.fields, createdAt: Schema.DateFromString }))
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Adds a merchant as a member, or changes the role of a member. Owners only. */
export const joinMember = Rpc.make("members.join", {
  payload: { ...keyedFields, email: Email, role: Role },
  success: Schema.Struct({ merchantId: MerchantId, role: Role }),
  error: Schema.Union([WriteError, MerchantNotFound, EmailUnproven, LastOwner])
}).annotate(AccessPolicy, OWNERS_ONLY)

/**
 * Removes a member, who loses access at once. Fails with `LastOwner` for the only owner and with `MemberNotFound` for
 * anybody who is no member. Owners only.
 */
export const leaveMember = Rpc.make("members.leave", {
  payload: { ...keyedFields, merchantId: MerchantId },
  success: Schema.Struct({ merchantId: MerchantId }),
  error: Schema.Union([WriteError, MemberNotFound, LastOwner])
}).annotate(AccessPolicy, OWNERS_ONLY)

const InvitationJson = {
  ...Invitation.fields,
  createdAt: Schema.DateFromString,
  expiresAt: Schema.DateFromString
}

const link = Schema.NullOr(Schema.String).annotate({
  description:
    "Path and fragment of the page that the person opens. Null in the response to a retry: if you lost the link, create another"
})

/** Invites an e-mail address. Only the first response has the link. Owners only. */
export const inviteMember = Rpc.make("members.invite", {
  payload: { ...keyedFields, email: Email, role: Role },
  success: Schema.Struct({ ...InvitationJson, link }),
  error: Schema.Union([WriteError, AlreadyMember, TooManyInvitations])
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Lists the newest 200 invitations of a store, open ones first. Owners only. */
export const listInvitations = Rpc.make("members.invitations", {
  payload: storeFields,
  success: Schema.Array(Schema.Struct(InvitationJson))
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Revokes an open invitation. Idempotent: unknown ids and other invitations succeed without effect. Owners only. */
export const revokeInvitation = Rpc.make("members.revokeInvitation", {
  payload: { ...keyedFields, id: InvitationId },
  success: Schema.Struct({ id: InvitationId }),
  error: WriteError
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Creates a link by which a member chooses a new password. Only the first response has it. Owners only. */
export const createResetLink = Rpc.make("members.createResetLink", {
  payload: { ...keyedFields, merchantId: MerchantId },
  success: Schema.Struct({ ...ResetLink.fields, expiresAt: Schema.DateFromString, link }),
  error: Schema.Union([WriteError, MemberNotFound, ResetRefused])
}).annotate(AccessPolicy, OWNERS_ONLY)

/** Members of a store, for its owners. */
export class MemberRpcs extends RpcGroup.make(
  listMembers,
  joinMember,
  leaveMember,
  inviteMember,
  listInvitations,
  revokeInvitation,
  createResetLink
).middleware(Authentication) {}

/**
 * Tells that the member has a form open, or leaves it, and returns the other members who have it open. A client repeats the
 * call every 20 seconds; without it, the member counts as gone. Members only.
 */
export const announcePresence = Rpc.make("presence.announce", {
  payload: {
    ...storeFields,
    ...OpenForm.fields,
    isOpen: withDescription(Schema.Boolean, "true: opens the form or keeps it open. false: leaves it")
  },
  success: Schema.Array(PresentMember)
})

/** Forms that members have open. */
export class PresenceRpcs extends RpcGroup.make(announcePresence).middleware(Authentication) {}
