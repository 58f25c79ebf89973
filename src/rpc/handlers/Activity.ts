import { Effect } from "effect"
import { AgentScopeMissing } from "../../domain/access/Agents.ts"
import type { Scope } from "../../domain/access/Scope.ts"
import { Activity, type FoundEntry, ResourceKind, SCOPES } from "../../domain/journal/Activity.ts"
import { Undo, type Undone, type UndoRight } from "../../domain/journal/Undo.ts"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import * as Rpcs from "../Activity.ts"
import { Principal } from "../Principal.ts"
import { encoded, page } from "./Answers.ts"
import { makeProcedures, type ProceduresOf } from "./Procedure.ts"

/** Whether a principal has a scope: members have all of them. */
const hasScope = (principal: Principal, scope: Scope) =>
  Principal.$match(principal, { Merchant: () => true, Agent: ({ scopes }) => scopes.includes(scope) })

/** Of these kinds the ones that a principal may read. Who may read none of them is told what is missing. */
const readable = (principal: Principal, kinds: ReadonlyArray<ResourceKind>) => {
  const [first] = kinds
  const allowed = kinds.filter((kind) => hasScope(principal, SCOPES[kind].read))
  return first !== undefined && allowed.length === 0
    ? new AgentScopeMissing({ scope: SCOPES[first].read })
    : Effect.succeed(allowed)
}

/** Members undo what anybody wrote, agents what they wrote themselves, of resources that they may write. */
const rightOf = (principal: Principal): UndoRight => ({
  kinds: ResourceKind.literals.filter((kind) => hasScope(principal, SCOPES[kind].write)),
  ownId: Principal.$match(principal, { Merchant: () => null, Agent: ({ id }) => id })
})

const undoneJson = ({ undone }: Undone) => JSON.stringify({ undone })

export const makeActivityProcedures = Effect.gen(function* () {
  const activity = yield* Activity
  const { undo, undoSpan } = yield* Undo
  const { inStore, write } = yield* makeProcedures

  return {
    "activity.list": inStore(
      Rpcs.listActivity,
      ({ payload: { limit = DEFAULT_LIMIT, resource, storeId, ...asked }, principal }) =>
        Effect.flatMap(readable(principal, resource === undefined ? ResourceKind.literals : [resource]), (kinds) =>
          activity.list(storeId, { ...asked, limit, kinds })
        ),
      page
    ),

    "activity.get": inStore(
      Rpcs.getActivity,
      ({ payload, principal }) =>
        Effect.tap(activity.get(payload.storeId, payload.id), ({ resource }) => readable(principal, [resource])),
      ({ json }: FoundEntry) => json
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
  } satisfies ProceduresOf<typeof Rpcs.ActivityRpcs>
})
