import { Effect, Function as Fn, Result, Struct } from "effect"
import { Proposals } from "../../domain/access/Proposals.ts"
import { BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { canonical, isObject, type JsonObject } from "../../domain/json/Json.ts"
import * as Rpcs from "../groups/Proposals.ts"
import { toPageRequest } from "../groups/CommonSchemas.ts"
import type { CallError } from "../Authentication.ts"
import type { Principal } from "../Principal.ts"
import { pageJson, writeJson } from "./StoredJson.ts"
import { merchantIn } from "./Authorization.ts"
import { makeHandlerFactory, type WriteHandler } from "./HandlerFactory.ts"

/** Returns the filter of a list: an agent sees only its own proposals. */
const agentFilter = (principal: Principal) => (principal._tag === "Agent" ? principal.id : null)

const PROCEDURE_REMOVED = new BadRequest({ reason: "The proposed procedure no longer exists. Reject the proposal" })

/** Members of a payload that no edit changes: the target of the write and what the agent said about it. */
const fixedOf = ({ change, dryRun, expectedVersion, id, idempotencyKey, reason, storeId }: JsonObject) => ({
  storeId,
  id,
  idempotencyKey,
  expectedVersion,
  dryRun,
  reason,
  "change.variantId": isObject(change) ? change["variantId"] : undefined
})

/** Returns the payload to perform. An edited one must name the same target. */
const payloadToPerform = (proposed: JsonObject, edited: JsonObject): Result.Result<JsonObject, BadRequest> => {
  const [before, after] = [fixedOf(proposed), fixedOf(edited)]
  const changed = Struct.keys(before).filter((name) => before[name] !== after[name])
  const issues = changed.map((name) => `${name}: must be as in the proposal; only its values can be edited`)
  return issues.length === 0 ? Result.succeed(edited) : Result.fail(new BadRequest({ reason: INVALID, issues }))
}

type Proposable = (typeof Rpcs.PROPOSABLE)[number]["_tag"]

/** Creates the handlers of proposals. An approval performs the write of a handler in `handlers`. */
export const makeProposalHandlers = (
  handlers: Readonly<Record<Proposable, WriteHandler<typeof Rpcs.ProposedWriteError.Type | CallError>>>
) =>
  Effect.gen(function* () {
    const proposals = yield* Proposals
    const { storeHandler, runWrite } = yield* makeHandlerFactory
    const byTag = new Map<string, (typeof handlers)[Proposable]>(
      Rpcs.PROPOSABLE.map(({ _tag }) => [_tag, handlers[_tag]])
    )

    return {
      "proposals.list": storeHandler(
        Rpcs.listProposals,
        ({ payload, principal }) =>
          proposals.list(payload.storeId, {
            ...toPageRequest(payload),
            agentId: agentFilter(principal),
            isPending: payload.pending
          }),
        pageJson
      ),
      "proposals.get": storeHandler(
        Rpcs.getProposal,
        ({ payload, principal }) => proposals.get(payload.storeId, payload.id, agentFilter(principal)),
        Fn.identity
      ),
      "proposals.approve": storeHandler(
        Rpcs.approveProposal,
        (call, json) =>
          Effect.gen(function* () {
            const { edited, id, storeId } = call.payload
            const { id: by } = yield* merchantIn(call.principal)
            const { agentId: agent, payload: proposed, procedure } = yield* proposals.proposedCall(storeId, id)
            const payload = yield* Effect.fromResult(payloadToPerform(proposed, edited ?? proposed))
            const write = yield* Effect.fromResult(
              byTag.get(procedure)?.toWrite(payload, call.principal) ?? Result.fail(PROCEDURE_REMOVED)
            )
            const isEdited = canonical(payload) !== canonical(proposed)
            const approval = proposals.approve(storeId, id, by, write, isEdited ? JSON.stringify(payload) : null)
            return yield* runWrite(Rpcs.approveProposal, call, json, approval, Fn.identity, { agent, by })
          }),
        writeJson
      ),
      "proposals.reject": storeHandler(
        Rpcs.rejectProposal,
        (call, json) =>
          Effect.gen(function* () {
            const { id, reason, storeId } = call.payload
            const { id: by } = yield* merchantIn(call.principal)
            const rejection = proposals.reject(storeId, id, by, reason)
            return yield* runWrite(Rpcs.rejectProposal, call, json, rejection, Fn.identity)
          }),
        writeJson
      ),
      "proposals.withdraw": storeHandler(
        Rpcs.withdrawProposal,
        (call, json) => {
          const { id, storeId } = call.payload
          const withdrawal = proposals.withdraw(storeId, id, agentFilter(call.principal))
          return runWrite(Rpcs.withdrawProposal, call, json, withdrawal, Fn.identity)
        },
        writeJson
      )
    }
  })
