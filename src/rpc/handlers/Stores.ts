import { Effect, Function as Fn, Redacted } from "effect"
import { AccountLinks, LINK_PATHS, type NewLink } from "../../domain/access/AccountLinks.ts"
import { visibleStore } from "../../domain/access/Masks.ts"
import type { MerchantId } from "../../domain/access/Ids.ts"
import { Merchants } from "../../domain/access/Merchants.ts"
import { Presence } from "../../domain/access/Presence.ts"
import { Stores } from "../../domain/access/Stores.ts"
import { extend, type JsonText } from "../../domain/json/Document.ts"
import type { IdempotencyKey } from "../../domain/Idempotency.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { CallError } from "../Authentication.ts"
import type { WriteError } from "../groups/CommonSchemas.ts"
import * as Rpcs from "../groups/Stores.ts"
import { encodeSuccess } from "./StoredJson.ts"
import { grantsOf } from "../Principal.ts"
import { merchantIn } from "./Authorization.ts"
import type { Definition } from "./Handler.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"

export const makeStoreHandlers = Effect.gen(function* () {
  const merchants = yield* Merchants
  const stores = yield* Stores
  const links = yield* AccountLinks
  const presence = yield* Presence
  const { storeHandler, runWrite, writeHandler } = yield* makeHandlerFactory
  const joinedJson = encodeSuccess(Rpcs.joinMember)
  const leftJson = encodeSuccess(Rpcs.leaveMember)
  const invitedJson = encodeSuccess(Rpcs.listInvitations)
  const revokedJson = encodeSuccess(Rpcs.revokeInvitation)

  /** Creates a handler of a write that creates a link. Only the first response has it, because only its hash is stored. */
  const linkHandler = <Payload extends { readonly storeId: StoreId; readonly idempotencyKey: IdempotencyKey }, A, E>(
    definition: Definition<Payload, E | WriteError>,
    path: string,
    create: (payload: Payload, by: MerchantId) => NewLink<A, NoInfer<E> | CallError>,
    toJson: (value: A) => JsonText
  ) =>
    storeHandler(
      definition,
      (call, json) =>
        Effect.gen(function* () {
          const { id } = yield* merchantIn(call.principal)
          const { token, write } = create(call.payload, id)
          const { replayed, text } = yield* runWrite(definition, call, json, write, toJson)
          return extend(text, JSON.stringify({ link: replayed ? null : `${path}#${Redacted.value(token)}` }))
        }),
      Fn.identity
    )

  return {
    "store.get": storeHandler(
      Rpcs.getStore,
      ({ payload, principal }) =>
        Effect.map(stores.get(payload.storeId), (store) => visibleStore(grantsOf(principal), store)),
      encodeSuccess(Rpcs.getStore)
    ),
    "settings.update": writeHandler(
      Rpcs.updateSettings,
      ({ settings, storeId }) => stores.updateSettings(storeId, settings),
      encodeSuccess(Rpcs.updateSettings)
    ),

    "members.list": storeHandler(
      Rpcs.listMembers,
      ({ payload }) => merchants.members(payload.storeId),
      encodeSuccess(Rpcs.listMembers)
    ),
    "members.join": writeHandler(
      Rpcs.joinMember,
      ({ email, role, storeId }) => merchants.join(storeId, email, role),
      (merchantId, { role }) => joinedJson({ merchantId, role })
    ),
    "members.leave": writeHandler(
      Rpcs.leaveMember,
      ({ merchantId, storeId }) => merchants.leave(storeId, merchantId),
      (_, { merchantId }) => leftJson({ merchantId })
    ),
    "members.invite": linkHandler(
      Rpcs.inviteMember,
      LINK_PATHS.invitation,
      ({ email, role, storeId }, by) => links.invite(storeId, by, email, role),
      JSON.stringify
    ),
    "members.invitations": storeHandler(
      Rpcs.listInvitations,
      ({ payload }) => links.invitations(payload.storeId),
      invitedJson
    ),
    "members.revokeInvitation": writeHandler(
      Rpcs.revokeInvitation,
      ({ id, storeId }) => links.revoke(storeId, id),
      (_, { id }) => revokedJson({ id })
    ),
    "members.createResetLink": linkHandler(
      Rpcs.createResetLink,
      LINK_PATHS.reset,
      ({ merchantId, storeId }, by) => links.createReset(storeId, by, merchantId),
      ({ expiresAt, merchantId }) => JSON.stringify({ merchantId, expiresAt })
    ),

    "presence.announce": storeHandler(
      Rpcs.announcePresence,
      ({ payload: { isOpen, storeId, ...form }, principal }) =>
        Effect.flatMap(merchantIn(principal), ({ id }) =>
          isOpen ? presence.announce(storeId, id, form) : Effect.as(presence.leave(storeId, id, form), "[]")
        ),
      Fn.identity
    )
  }
})
