import { Effect } from "effect"
import { AgentScopeMissing } from "../../domain/access/Agents.ts"
import type { Scope } from "../../domain/access/Scope.ts"
import { Activity, type FoundEntry, ResourceKind, SCOPES } from "../../domain/journal/Activity.ts"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import * as Rpcs from "../Activity.ts"
import { Principal } from "../Principal.ts"
import { page } from "./Answers.ts"
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

export const makeActivityProcedures = Effect.gen(function* () {
  const activity = yield* Activity
  const { inStore } = yield* makeProcedures

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
    )
  } satisfies ProceduresOf<typeof Rpcs.ActivityRpcs>
})
