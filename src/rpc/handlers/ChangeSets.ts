import { Effect, Function as Fn } from "effect"
import { maskChangeSet } from "../../domain/access/Masks.ts"
import { Scope } from "../../domain/access/Scope.ts"
import { type ChangeSetRight, ChangeSets, type NewContent, scopeGroupsOf } from "../../domain/changeSets/ChangeSets.ts"
import { scopeGroupsOfOperation } from "../../domain/changeSets/Operation.ts"
import type { WriteContext } from "../../domain/Write.ts"
import * as Rpcs from "../groups/ChangeSets.ts"
import { toPageRequest } from "../groups/CommonSchemas.ts"
import { actorOf, Principal } from "../Principal.ts"
import { requireScopes } from "./Authorization.ts"
import { makeHandlerFactory, type StoreCall, type StorePayload } from "./HandlerFactory.ts"
import { makeWriteJson, pageJson } from "./StoredJson.ts"

/** Members see all sets of the store, agents their own. */
export const rightOf: (principal: Principal) => ChangeSetRight = Principal.$match({
  Merchant: () => ({ scopes: Scope.literals, ownId: null }),
  Agent: ({ id, scopes }) => ({ scopes, ownId: id })
})

/** Returns who applies a set; null for an agent that only proposes it. */
const applierOf = (principal: Principal) =>
  principal._tag === "Agent" && principal.proposalsOnly ? null : actorOf(principal)

/** Content of a set, and the scopes that it needs. */
const contentOf = ({ change, operations, where }: typeof Rpcs.createChangeSet.payloadSchema.Type): NewContent => {
  if (where !== undefined && change !== undefined) return { where, change }
  return {
    operations: operations?.length ?? 0,
    scopes: new Set((operations ?? []).flatMap(scopeGroupsOfOperation))
  }
}

/** A replay may follow a change of the scopes. */
const setJson = makeWriteJson(maskChangeSet)

const contextOf = ({ origin, payload: { storeId }, principal }: StoreCall<StorePayload>): WriteContext => ({
  storeId,
  actor: actorOf(principal),
  ...origin,
  cause: null,
  mode: "perform"
})

export const makeChangeSetHandlers = Effect.gen(function* () {
  const sets = yield* ChangeSets
  const { runWrite, storeHandler, writeHandler } = yield* makeHandlerFactory

  return {
    "changeSets.create": storeHandler(
      Rpcs.createChangeSet,
      (call, json) =>
        Effect.gen(function* () {
          const { payload, principal } = call
          const { operations = [], storeId } = payload
          const content = contentOf(payload)
          yield* requireScopes(principal, scopeGroupsOf(content))
          const write = Effect.gen(function* () {
            const id = yield* sets.begin(storeId)
            yield* sets.stage(
              storeId,
              id,
              0,
              operations.map((operation) => JSON.stringify(operation))
            )
            return yield* sets.create(contextOf(call), id, payload, content)
          })
          return yield* runWrite(Rpcs.createChangeSet, call, json, write, Fn.identity)
        }),
      setJson
    ),
    "changeSets.list": storeHandler(
      Rpcs.listChangeSets,
      ({ payload, principal }) =>
        sets.list(payload.storeId, { ...toPageRequest(payload), isUnfinished: payload.unfinished }, rightOf(principal)),
      pageJson
    ),
    "changeSets.get": storeHandler(
      Rpcs.getChangeSet,
      ({ payload, principal }) => sets.get(payload.storeId, payload.id, rightOf(principal)),
      Fn.identity
    ),
    "changeSets.results": storeHandler(
      Rpcs.listChangeSetResults,
      ({ payload, principal }) =>
        sets.results(payload.storeId, payload.id, toPageRequest(payload), payload.outcome, rightOf(principal)),
      pageJson
    ),
    "changeSets.apply": writeHandler(
      Rpcs.applyChangeSet,
      ({ id, onConflict = "skip", storeId }, principal) =>
        sets.apply(storeId, id, onConflict, rightOf(principal), applierOf(principal)),
      Fn.identity,
      { isDeferred: true, mask: maskChangeSet }
    ),
    "changeSets.cancel": storeHandler(
      Rpcs.cancelChangeSet,
      (call, json) => {
        const { payload, principal } = call
        const write = sets.cancel(payload.storeId, payload.id, rightOf(principal))
        return runWrite(Rpcs.cancelChangeSet, call, json, write, Fn.identity)
      },
      setJson
    ),
    "changeSets.undo": storeHandler(
      Rpcs.undoChangeSet,
      (call, json) => {
        const write = sets.undo(contextOf(call), call.payload.id, rightOf(call.principal))
        return runWrite(Rpcs.undoChangeSet, call, json, write, Fn.identity)
      },
      setJson
    )
  }
})
