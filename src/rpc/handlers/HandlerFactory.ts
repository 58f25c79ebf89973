import { Context, Effect, Function as Fn, Option, type Scope } from "effect"
import { hash } from "node:crypto"
import { type Mask, noMask } from "../../domain/access/Masks.ts"
import { Agents } from "../../domain/access/Agents.ts"
import { type ProposalResult, Proposals } from "../../domain/access/Proposals.ts"
import type { AgentId, MerchantId } from "../../domain/access/Ids.ts"
import { Actor } from "../../domain/Actor.ts"
import type { BadRequest } from "../../domain/BadRequest.ts"
import { decodeWith } from "../../domain/json/Decoder.ts"
import { Bulkhead, WorkWeight } from "../../domain/Bulkhead.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { Idempotency, type IdempotencyKey } from "../../domain/Idempotency.ts"
import { canonical, type JsonObject } from "../../domain/json/Json.ts"
import { CallBody } from "../../domain/Pacing.ts"
import type { StoreId } from "../../domain/Store.ts"
import { withReason, type Write, type WriteContext } from "../../domain/Write.ts"
import { AccessPolicy } from "../Annotations.ts"
import { type CallError } from "../Authentication.ts"
import type { Principal } from "../Principal.ts"
import { actorOf, CallOrigin, CurrentPrincipal, type Origin } from "../Principal.ts"
import type { WriteError } from "../groups/CommonSchemas.ts"
import { authorizePayload } from "./Authorization.ts"
import { type Definition, type Handler, makeHandler } from "./Handler.ts"
import { makeWriteJson, writeJson } from "./StoredJson.ts"

/** The parts of a proposed write. */
export interface ProposedWrite<E> {
  /** Runs before the transaction. */
  readonly keep: Effect.Effect<void, E>
  /** Returns the response if the write changes no resource of the journal. */
  readonly write: Write<JsonText | null, E>
}

/** A handler of a write that agents may propose. */
export interface WriteHandler<E> extends Handler<E> {
  /**
   * Decodes a payload into its write, and gets from other hosts the data that it needs until the scope ends. The approval of
   * a proposal performs the write.
   */
  readonly toWrite: (
    payload: JsonObject,
    principal: Principal
  ) => Effect.Effect<ProposedWrite<E>, E | BadRequest, Scope.Scope>
}

/** A decoded call in a store. */
export interface StoreCall<Payload> {
  readonly payload: Payload
  readonly principal: Principal
  readonly origin: Origin
}

/** The field that every payload of a store has. */
export interface StorePayload {
  readonly storeId: StoreId
}

interface WritePayload extends StorePayload {
  readonly idempotencyKey: IdempotencyKey
  readonly dryRun?: boolean
  readonly reason?: string
}

/** Hashes procedure and payload. A key that was used with another fingerprint fails with `KeyReused`. */
export const fingerprint = (tag: string, payload: JsonObject) =>
  hash("sha256", `rpc ${tag}\n${canonical(payload)}`, "buffer")

const proposedJson = (proposed: JsonText): JsonText => `{"proposal":${proposed}}`

const lengthOf = ({ length }: JsonText) => length

/** Provides constructors of handlers that read and write in a store. */
export const makeHandlerFactory = Effect.gen(function* () {
  const { budgeted } = yield* Agents
  const { propose } = yield* Proposals
  const { withPermit } = yield* Bulkhead
  const { find, once } = yield* Idempotency

  /** Creates a handler that checks the access policy of its definition and runs in the bulkhead of the store. */
  const storeHandler = <Payload extends StorePayload, E, A>(
    definition: Definition<Payload, E>,
    run: (call: StoreCall<Payload>, json: JsonObject) => Effect.Effect<A, NoInfer<E> | CallError>,
    toJson: (value: A, payload: Payload, principal: Principal) => JsonText
  ): Handler<E> => {
    const name = definition._tag
    const weight = Context.get(definition.annotations, WorkWeight)
    const policy = Context.get(definition.annotations, AccessPolicy)
    return makeHandler(
      definition,
      (payload, json) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const origin = yield* CallOrigin
          const { length: bytes } = yield* CallBody
          const response = Effect.map(run({ payload, principal, origin }, json), (value) =>
            toJson(value, payload, principal)
          )
          return yield* withPermit({ storeId: payload.storeId, name, weight, bytes }, response, lengthOf)
        }),
      (json) => authorizePayload(json, policy)
    )
  }

  /** The context and the key of a write. An approved write has the context of the agent that proposed it. */
  const keyedWrite = Effect.fnUntraced(function* <Payload extends WritePayload>(
    { _tag }: { readonly _tag: string },
    { payload, principal, origin }: StoreCall<Payload>,
    json: JsonObject,
    approval?: { readonly agent: AgentId; readonly by: MerchantId }
  ) {
    const { pace } = yield* CallBody
    const fingerprinted = yield* pace(Effect.sync(() => fingerprint(_tag, json)))
    const context: WriteContext = {
      storeId: payload.storeId,
      actor: approval === undefined ? actorOf(principal) : Actor.Agent({ id: approval.agent }),
      approvedBy: approval?.by,
      ...origin,
      cause: null,
      mode: payload.dryRun === true ? "dryRun" : "perform"
    }
    return { context, keyed: { key: payload.idempotencyKey, fingerprint: fingerprinted } }
  })

  /** Performs a write once per idempotency key of its principal, or as a dry run. Writes of an agent count in its budget. */
  const runWrite = <Payload extends WritePayload, A, E>(
    definition: { readonly _tag: string },
    call: StoreCall<Payload>,
    json: JsonObject,
    write: Write<A, E>,
    toJson: (value: A, payload: Payload) => JsonText,
    approval?: { readonly agent: AgentId; readonly by: MerchantId }
  ) =>
    Effect.gen(function* () {
      const { payload, principal } = call
      const { context, keyed } = yield* keyedWrite(definition, call, json, approval)
      return yield* once(
        context,
        keyed,
        principal._tag === "Agent" && payload.dryRun !== true ? budgeted(payload.storeId, principal.id, write) : write,
        (value) => toJson(value, payload)
      )
    })

  /**
   * Creates a handler that performs a write once and replays its response. An agent with `proposalsOnly` stores a proposal
   * instead, unless the procedure is open to all agents. `isDeferred`: the write changes resources after its commit.
   * `mask` reduces the response to what the caller sees.
   */
  const writeHandler = <Payload extends WritePayload, E, A>(
    definition: Definition<Payload, E | WriteError>,
    write: (payload: Payload, principal: Principal) => Write<A, NoInfer<E> | WriteError | CallError>,
    toJson: (value: A, payload: Payload) => JsonText,
    { isDeferred = false, mask = noMask }: { readonly isDeferred?: boolean; readonly mask?: Mask } = {}
  ): WriteHandler<E | WriteError | CallError> => {
    const decode = decodeWith(definition.payloadSchema)
    const toWrite = (payload: Payload, principal: Principal) =>
      withReason(write(payload, principal), payload.reason ?? null)
    const { agents } = Context.get(definition.annotations, AccessPolicy)
    const run = (call: StoreCall<Payload>, json: JsonObject) => {
      const { payload, principal } = call
      const reasoned = toWrite(payload, principal)
      const isOpen = agents === "all" && !isDeferred
      if (principal._tag === "Merchant" || !principal.proposalsOnly || payload.dryRun === true || isOpen) {
        return runWrite(definition, call, json, reasoned, toJson)
      }
      const proposal = { agentId: principal.id, procedure: definition._tag, payload: JSON.stringify(json), isDeferred }
      const answerJson = (result: ProposalResult<A>) =>
        "proposed" in result ? proposedJson(result.proposed) : toJson(result.unchanged, payload)
      return runWrite(definition, call, json, propose(payload.storeId, proposal, reasoned), answerJson)
    }

    return Object.assign(storeHandler(definition, run, makeWriteJson(mask)), {
      toWrite: (json: JsonObject, principal: Principal) =>
        Effect.map(Effect.fromResult(decode(json, true)), (payload) => ({
          keep: Effect.void,
          write: Effect.as(toWrite(payload, principal), null)
        }))
    })
  }

  /**
   * Performs a write that first needs data of other hosts, without a slot of the store and only if the write was not
   * performed before. `keep` and the write run in a slot.
   */
  const runPrepared = Effect.fnUntraced(function* <Payload extends WritePayload, A, Kept, Written, Failed, R>(
    definition: Definition<Payload, unknown>,
    call: StoreCall<Payload>,
    json: JsonObject,
    prepare: Effect.Effect<
      {
        readonly keep: Effect.Effect<void, Kept>
        readonly write: Write<A, Written>
        readonly approval?: { readonly agent: AgentId; readonly by: MerchantId }
      },
      Failed,
      R
    >,
    toJson: (value: A, payload: Payload) => JsonText
  ) {
    const { context, keyed } = yield* keyedWrite(definition, call, json)
    const earlier = yield* find(context, keyed)
    if (Option.isSome(earlier)) return writeJson(earlier.value, call.payload, call.principal)
    const { approval, keep, write } = yield* prepare
    const { length: bytes } = yield* CallBody
    const weight = Context.get(definition.annotations, WorkWeight)
    const operation = { storeId: call.payload.storeId, name: definition._tag, weight, bytes }
    const performed = Effect.andThen(keep, runWrite(definition, call, json, write, toJson, approval))
    return writeJson(
      yield* withPermit(operation, performed, ({ text }) => lengthOf(text)),
      call.payload,
      call.principal
    )
  }, Effect.scoped)

  /** Reads the principal and the origin of a call. */
  const callOf = Effect.fnUntraced(function* <Payload>(payload: Payload) {
    return { payload, principal: yield* CurrentPrincipal, origin: yield* CallOrigin }
  })

  /**
   * Creates a handler of a write that first waits for another host. A call of an agent with `proposalsOnly` becomes a
   * proposal: no other host is contacted before a member approves it. `check` refuses payloads without contacting one.
   */
  const preparedHandler = <Payload extends WritePayload, E, A, Prepared>(
    definition: Definition<Payload, E | WriteError>,
    {
      check,
      keep,
      prepare,
      write
    }: {
      readonly check: (payload: Payload) => Effect.Effect<void, NoInfer<E> | CallError>
      readonly prepare: (payload: Payload) => Effect.Effect<Prepared, NoInfer<E> | CallError, Scope.Scope>
      readonly keep: (payload: Payload, prepared: Prepared) => Effect.Effect<void, NoInfer<E> | CallError>
      readonly write: (payload: Payload, prepared: Prepared) => Write<A, NoInfer<E> | CallError>
    },
    toJson: (value: A, payload: Payload) => JsonText
  ): WriteHandler<E | WriteError | CallError> => {
    const decode = decodeWith(definition.payloadSchema)
    const policy = Context.get(definition.annotations, AccessPolicy)

    const prepareWrite = (payload: Payload) =>
      Effect.map(prepare(payload), (prepared) => ({
        keep: keep(payload, prepared),
        write: Effect.map(withReason(write(payload, prepared), payload.reason ?? null), (value) =>
          toJson(value, payload)
        )
      }))

    const prepareProposal = Effect.fnUntraced(function* (payload: Payload, agentId: AgentId, json: JsonObject) {
      yield* check(payload)
      const proposal = { agentId, procedure: definition._tag, payload: JSON.stringify(json), isDeferred: true }
      return {
        keep: Effect.void,
        write: Effect.map(propose(payload.storeId, proposal, Effect.succeed(null)), (result) =>
          "proposed" in result ? proposedJson(result.proposed) : JSON.stringify(result.unchanged)
        )
      }
    })

    const handler = makeHandler(
      definition,
      Effect.fnUntraced(function* (payload, json) {
        const call = yield* callOf(payload)
        const { principal } = call
        return yield* principal._tag === "Agent" && principal.proposalsOnly
          ? runPrepared(definition, call, json, prepareProposal(payload, principal.id, json), Fn.identity)
          : runPrepared(definition, call, json, prepareWrite(payload), Fn.identity)
      }),
      (json) => authorizePayload(json, policy)
    )

    return Object.assign(handler, {
      toWrite: (json: JsonObject) => Effect.flatMap(Effect.fromResult(decode(json, true)), prepareWrite)
    })
  }

  return { callOf, storeHandler, runPrepared, runWrite, writeHandler, preparedHandler }
})
