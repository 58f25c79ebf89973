import { Effect, Function as Fn, Result, Struct } from "effect"
import { ProposalDecided, Proposals } from "../../domain/access/Proposals.ts"
import { BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { canonical, isObject, type JsonObject } from "../../domain/json/Json.ts"
import { type TOUCHED_BY, touchedByCall } from "../../domain/access/ProposedMembers.ts"
import * as Rpcs from "../groups/Proposals.ts"
import { toPageRequest } from "../groups/CommonSchemas.ts"
import type { CallError } from "../Authentication.ts"
import type { Principal } from "../Principal.ts"
import { pageJson, writeJson } from "./StoredJson.ts"
import { authorizePayload, merchantIn } from "./Authorization.ts"
import { MEMBERS_ONLY } from "../Annotations.ts"
import { makeHandler } from "./Handler.ts"
import { makeHandlerFactory, type ProposedWrite, type StoreCall, type WriteHandler } from "./HandlerFactory.ts"

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

/** Errors of a write that an approval performs. */
type ApprovedError = typeof Rpcs.ProposedWriteError.Type | CallError | ProposalDecided

/** A procedure that agents may propose. The compiler finds one without an entry in the table of its members. */
type Proposable = (typeof Rpcs.PROPOSABLE)[number]["_tag"] & keyof typeof TOUCHED_BY

/** Creates the handlers of proposals. An approval performs the write of a handler in `handlers`. */
export const makeProposalHandlers = (
  handlers: Readonly<Record<Proposable, WriteHandler<typeof Rpcs.ProposedWriteError.Type | CallError>>>
) =>
  Effect.gen(function* () {
    const proposals = yield* Proposals
    const { callOf, runPrepared, runWrite, storeHandler } = yield* makeHandlerFactory
    const byTag = new Map<string, (typeof handlers)[Proposable]>(
      Rpcs.PROPOSABLE.map(({ _tag }) => [_tag, handlers[_tag]])
    )

    /** A proposal that is decided contacts no other host. */
    const prepareApproval = Effect.fnUntraced(function* ({
      payload: { edited, id, storeId },
      principal
    }: StoreCall<typeof Rpcs.approveProposal.payloadSchema.Type>) {
      const { id: by } = yield* merchantIn(principal)
      const { agentId: agent, payload: proposed, procedure, status } = yield* proposals.proposedCall(storeId, id)
      const payload = yield* Effect.fromResult(payloadToPerform(proposed, edited ?? proposed))
      const handler = byTag.get(procedure)
      if (handler === undefined) return yield* PROCEDURE_REMOVED
      const { keep, write }: ProposedWrite<ApprovedError> =
        status === "pending"
          ? yield* handler.toWrite(payload, principal)
          : { keep: Effect.void, write: Effect.fail(new ProposalDecided({ status })) }
      const isEdited = canonical(payload) !== canonical(proposed)
      const approval = proposals.approve(
        storeId,
        id,
        by,
        write,
        touchedByCall(procedure, payload),
        isEdited ? JSON.stringify(payload) : null
      )
      return { keep, write: approval, approval: { agent, by } }
    })

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
      "proposals.approve": makeHandler(
        Rpcs.approveProposal,
        Effect.fnUntraced(function* (sent, json) {
          const call = yield* callOf(sent)
          return yield* runPrepared(Rpcs.approveProposal, call, json, prepareApproval(call), Fn.identity)
        }),
        (json) => authorizePayload(json, MEMBERS_ONLY)
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
