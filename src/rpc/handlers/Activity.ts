import { Effect } from "effect"
import { Activity, type EntryDocument } from "../../domain/journal/Activity.ts"
import { CatalogKind, ResourceKind, CATALOG_KINDS } from "../../domain/journal/Kinds.ts"
import { Undo, type UndoResult, type UndoRight } from "../../domain/journal/Undo.ts"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import * as Rpcs from "../groups/Activity.ts"
import { membersAndAgentsWith, type AccessPolicy, MEMBERS_ONLY, OWNERS_ONLY } from "../Annotations.ts"
import { Principal } from "../Principal.ts"
import { encodeSuccess, pageJson } from "./StoredJson.ts"
import { authorize } from "./Authorization.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"

/** Entries of a resource have the access policy of the procedures that read the resource. */
const READ_POLICIES: Record<ResourceKind, AccessPolicy> = {
  product: membersAndAgentsWith(CATALOG_KINDS.product.scopes.read),
  collection: membersAndAgentsWith(CATALOG_KINDS.collection.scopes.read),
  settings: MEMBERS_ONLY,
  member: OWNERS_ONLY,
  invitation: OWNERS_ONLY,
  agent: MEMBERS_ONLY,
  installation: MEMBERS_ONLY,
  subscription: OWNERS_ONLY
}

/** Filters kinds by access. Fails with the first authorization error if no kind remains. */
const readableKinds = (principal: Principal, store: StoreId, kinds: ReadonlyArray<ResourceKind>) =>
  Effect.flatMap(
    Effect.partition(kinds, (kind) => Effect.as(authorize(principal, store, READ_POLICIES[kind]), kind)),
    ([allowed, [error]]) => (error === undefined || allowed.length > 0 ? Effect.succeed(allowed) : Effect.fail(error))
  )

/** Members may undo all changes of the catalog; agents only their own, within their write scopes. */
const undoRightOf = (principal: Principal): UndoRight => ({
  kinds: Principal.$match(principal, {
    Merchant: () => CatalogKind.literals,
    Agent: ({ scopes }) => CatalogKind.literals.filter((kind) => scopes.includes(CATALOG_KINDS[kind].scopes.write))
  }),
  ownId: Principal.$match(principal, { Merchant: () => null, Agent: ({ id }) => id })
})

const undoResultJson = ({ undone }: UndoResult) => JSON.stringify({ undone })

export const makeActivityHandlers = Effect.gen(function* () {
  const activity = yield* Activity
  const { undo, undoSpan } = yield* Undo
  const { storeHandler, writeHandler } = yield* makeHandlerFactory

  return {
    "activity.list": storeHandler(
      Rpcs.listActivity,
      ({ payload: { limit = DEFAULT_LIMIT, resource, storeId, ...filters }, principal }) =>
        Effect.flatMap(
          readableKinds(principal, storeId, resource === undefined ? ResourceKind.literals : [resource]),
          (kinds) => activity.list(storeId, { ...filters, limit, kinds })
        ),
      pageJson
    ),

    "activity.get": storeHandler(
      Rpcs.getActivity,
      ({ payload, principal }) =>
        Effect.tap(activity.get(payload.storeId, payload.id), ({ resource }) =>
          readableKinds(principal, payload.storeId, [resource])
        ),
      ({ json }: EntryDocument) => json
    ),

    "activity.fields": storeHandler(
      Rpcs.listFieldEntries,
      ({ payload: { resource, resourceId, storeId }, principal }) =>
        Effect.andThen(readableKinds(principal, storeId, [resource]), activity.fields(storeId, resource, resourceId)),
      (items) => `{"items":${items}}`
    ),

    "activity.names": storeHandler(
      Rpcs.listNames,
      ({ payload }) => activity.names(payload.storeId, payload.ids),
      encodeSuccess(Rpcs.listNames)
    ),

    "activity.undo": writeHandler(
      Rpcs.undoActivity,
      ({ id, storeId }, principal) => undo(storeId, id, undoRightOf(principal)),
      undoResultJson
    ),
    "activity.undoSpan": writeHandler(
      Rpcs.undoActivitySpan,
      ({ storeId, ...span }, principal) => undoSpan(storeId, span, undoRightOf(principal)),
      undoResultJson
    )
  }
})
