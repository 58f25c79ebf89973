import { Effect } from "effect"
import { Activity, type EntryDocument } from "../../domain/journal/Activity.ts"
import { CatalogKind, ResourceKind, SCOPES } from "../../domain/journal/Kinds.ts"
import { Undo, type UndoResult, type UndoRight } from "../../domain/journal/Undo.ts"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import * as Rpcs from "../groups/Activity.ts"
import { agentsWith, type Callers, MEMBERS, OWNERS } from "../Annotations.ts"
import { Principal } from "../Principal.ts"
import { encoded, page } from "./StoredJson.ts"
import { authorize } from "./Authorization.ts"
import { makeProcedures } from "./StoreHandlers.ts"

/** Who is told what became of a resource: who may read it by procedures of its own. */
const READERS: Record<ResourceKind, Callers> = {
  product: agentsWith(SCOPES.product.read),
  collection: agentsWith(SCOPES.collection.read),
  settings: MEMBERS,
  member: OWNERS,
  agent: MEMBERS,
  installation: MEMBERS,
  subscription: OWNERS
}

/** Of these kinds the ones that a principal may read. Who may read none of them is told why. */
const readable = (principal: Principal, store: StoreId, kinds: ReadonlyArray<ResourceKind>) =>
  Effect.flatMap(
    Effect.partition(kinds, (kind) => Effect.as(authorize(principal, store, READERS[kind]), kind)),
    ([allowed, [refused]]) =>
      refused === undefined || allowed.length > 0 ? Effect.succeed(allowed) : Effect.fail(refused)
  )

/** Members undo what anybody wrote, agents what they wrote themselves, of resources that they may write. */
const rightOf = (principal: Principal): UndoRight => ({
  kinds: Principal.$match(principal, {
    Merchant: () => CatalogKind.literals,
    Agent: ({ scopes }) => CatalogKind.literals.filter((kind) => scopes.includes(SCOPES[kind].write))
  }),
  ownId: Principal.$match(principal, { Merchant: () => null, Agent: ({ id }) => id })
})

const undoneJson = ({ undone }: UndoResult) => JSON.stringify({ undone })

export const makeActivityProcedures = Effect.gen(function* () {
  const activity = yield* Activity
  const { undo, undoSpan } = yield* Undo
  const { inStore, write } = yield* makeProcedures

  return {
    "activity.list": inStore(
      Rpcs.listActivity,
      ({ payload: { limit = DEFAULT_LIMIT, resource, storeId, ...asked }, principal }) =>
        Effect.flatMap(
          readable(principal, storeId, resource === undefined ? ResourceKind.literals : [resource]),
          (kinds) => activity.list(storeId, { ...asked, limit, kinds })
        ),
      page
    ),

    "activity.get": inStore(
      Rpcs.getActivity,
      ({ payload, principal }) =>
        Effect.tap(activity.get(payload.storeId, payload.id), ({ resource }) =>
          readable(principal, payload.storeId, [resource])
        ),
      ({ json }: EntryDocument) => json
    ),

    "activity.names": inStore(
      Rpcs.listNames,
      ({ payload }) => activity.names(payload.storeId, payload.ids),
      encoded(Rpcs.listNames)
    ),

    "activity.undo": write(
      Rpcs.undoActivity,
      ({ id, storeId }, principal) => undo(storeId, id, rightOf(principal)),
      undoneJson
    ),
    "activity.undoSpan": write(
      Rpcs.undoActivitySpan,
      ({ storeId, ...span }, principal) => undoSpan(storeId, span, rightOf(principal)),
      undoneJson
    )
  }
})
