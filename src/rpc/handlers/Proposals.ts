import { Effect, Function as Fn, Result } from "effect"
import { Proposals } from "../../domain/access/Proposals.ts"
import { BadRequest } from "../../domain/BadRequest.ts"
import * as Rpcs from "../groups/Proposals.ts"
import { pageRequestOf } from "../groups/CommonSchemas.ts"
import type { CallRefused } from "../Authentication.ts"
import type { Principal } from "../Principal.ts"
import { page, written } from "./StoredJson.ts"
import { merchantIn } from "./Authorization.ts"
import { makeProcedures, type WriteHandler } from "./StoreHandlers.ts"

/** The agent who asks, who sees its own alone. */
const agentIn = (principal: Principal) => (principal._tag === "Agent" ? principal.id : null)

const GONE = new BadRequest({ reason: "What the proposal would call is no longer there; reject it" })

type Proposable = (typeof Rpcs.PROPOSABLE)[number]["_tag"]

/** Proposals of what these procedures do. */
export const makeProposalProcedures = (
  procedures: Readonly<Record<Proposable, WriteHandler<typeof Rpcs.ProposedRefused.Type | CallRefused>>>
) =>
  Effect.gen(function* () {
    const proposals = yield* Proposals
    const { inStore, performed } = yield* makeProcedures
    const byTag = new Map<string, (typeof procedures)[Proposable]>(
      Rpcs.PROPOSABLE.map(({ _tag }) => [_tag, procedures[_tag]])
    )

    return {
      "proposals.list": inStore(
        Rpcs.listProposals,
        ({ payload, principal }) =>
          proposals.list(payload.storeId, {
            ...pageRequestOf(payload),
            agentId: agentIn(principal),
            isPending: payload.pending
          }),
        page
      ),
      "proposals.get": inStore(
        Rpcs.getProposal,
        ({ payload, principal }) => proposals.get(payload.storeId, payload.id, agentIn(principal)),
        Fn.identity
      ),
      "proposals.approve": inStore(
        Rpcs.approveProposal,
        (asked, given) =>
          Effect.gen(function* () {
            const { id, storeId } = asked.payload
            const { id: by } = yield* merchantIn(asked.principal)
            const { agentId: agent, payload, procedure } = yield* proposals.proposedCall(storeId, id)
            const described = yield* Effect.fromResult(
              byTag.get(procedure)?.describe(payload, asked.principal) ?? Result.fail(GONE)
            )
            const approval = proposals.approve(storeId, id, by, described)
            return yield* performed(Rpcs.approveProposal, asked, given, approval, Fn.identity, { agent, by })
          }),
        written
      ),
      "proposals.reject": inStore(
        Rpcs.rejectProposal,
        (asked, given) =>
          Effect.gen(function* () {
            const { id, reason, storeId } = asked.payload
            const { id: by } = yield* merchantIn(asked.principal)
            const rejection = proposals.reject(storeId, id, by, reason)
            return yield* performed(Rpcs.rejectProposal, asked, given, rejection, Fn.identity)
          }),
        written
      ),
      "proposals.withdraw": inStore(
        Rpcs.withdrawProposal,
        (asked, given) => {
          const { id, storeId } = asked.payload
          const withdrawal = proposals.withdraw(storeId, id, agentIn(asked.principal))
          return performed(Rpcs.withdrawProposal, asked, given, withdrawal, Fn.identity)
        },
        written
      )
    }
  })
