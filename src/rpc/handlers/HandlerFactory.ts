import { Context, Effect, Option, Result, type Schema, type Scope } from "effect"
import { hash } from "node:crypto"
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
import { authorizePayload, currentMerchant, type NotAuthorized } from "./Authorization.ts"
import { writeJson } from "./StoredJson.ts"

/** Handles a call. Receives the undecoded payload and succeeds with the JSON of the response. */
export type Handler<E> = (payload: JsonObject) => Effect.Effect<JsonText, E | CallError, CurrentPrincipal>

/** A handler of a write that agents may propose. */
export interface WriteHandler<E> extends Handler<E> {
  /** Decodes a payload into its write. The approval of a proposal performs it. */
  readonly toWrite: (payload: JsonObject, principal: Principal) => Result.Result<Write<unknown, E>, BadRequest>
}

/** The parts of an `Rpc` that a handler uses. */
export interface Definition<Payload, E> {
  readonly _tag: string
  readonly payloadSchema: Schema.Codec<Payload, unknown>
  readonly errorSchema: Schema.Codec<E, unknown>
  readonly annotations: Context.Context<never>
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

/**
 * Creates a handler that decodes its payload strictly. Authorization runs first, because decoding costs CPU and its issues
 * can disclose data of a store. By default only merchants are authorized.
 */
export const makeHandler = <Payload, E>(
  { payloadSchema }: Definition<Payload, E>,
  run: (payload: Payload, json: JsonObject) => Effect.Effect<JsonText, NoInfer<E> | CallError, CurrentPrincipal>,
  authorization: (json: JsonObject) => Effect.Effect<unknown, NotAuthorized, CurrentPrincipal> = () => currentMerchant
): Handler<E> => {
  const decode = decodeWith(payloadSchema)
  return Effect.fnUntraced(function* (json) {
    yield* authorization(json)
    const { pace } = yield* CallBody
    return yield* run(yield* pace(Effect.suspend(() => Effect.fromResult(decode(json, true)))), json)
  })
}

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
    toJson: (value: A, payload: Payload) => JsonText
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
          const response = Effect.map(run({ payload, principal, origin }, json), (value) => toJson(value, payload))
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
   */
  const writeHandler = <Payload extends WritePayload, E, A>(
    definition: Definition<Payload, E | WriteError>,
    write: (payload: Payload, principal: Principal) => Write<A, NoInfer<E> | WriteError | CallError>,
    toJson: (value: A, payload: Payload) => JsonText,
    { isDeferred = false }: { readonly isDeferred?: boolean } = {}
  ): WriteHandler<E | WriteError | CallError> => {
    const decode = decodeWith(definition.payloadSchema)
    const toWrite = (payload: Payload, principal: Principal) =>
      withReason(write(payload, principal), payload.reason ?? null)
    const { agents } = Context.get(definition.annotations, AccessPolicy)
    const proposalJson = (result: ProposalResult<A>, payload: Payload) =>
      "proposed" in result ? `{"proposal":${result.proposed}}` : toJson(result.unchanged, payload)

    const run = (call: StoreCall<Payload>, json: JsonObject) => {
      const { payload, principal } = call
      const reasoned = toWrite(payload, principal)
      const isOpen = agents === "all" && !isDeferred
      if (principal._tag === "Merchant" || !principal.proposalsOnly || payload.dryRun === true || isOpen) {
        return runWrite(definition, call, json, reasoned, toJson)
      }
      const proposal = { agentId: principal.id, procedure: definition._tag, payload: JSON.stringify(json), isDeferred }
      return runWrite(definition, call, json, propose(payload.storeId, proposal, reasoned), proposalJson)
    }

    return Object.assign(storeHandler(definition, run, writeJson), {
      toWrite: (json: JsonObject, principal: Principal) =>
        Result.map(decode(json, true), (payload) => toWrite(payload, principal))
    })
  }

  /**
   * Creates a handler of a write that first waits for another host, without a slot of the store and only if the write was
   * not performed before. `keep` runs in a slot, before the transaction. Agents with `proposalsOnly` perform the write.
   */
  const preparedHandler = <Payload extends WritePayload, E, A, Prepared>(
    definition: Definition<Payload, E | WriteError>,
    {
      keep,
      prepare,
      write
    }: {
      readonly prepare: (payload: Payload) => Effect.Effect<Prepared, NoInfer<E> | CallError, Scope.Scope>
      readonly keep: (payload: Payload, prepared: Prepared) => Effect.Effect<void, NoInfer<E> | CallError>
      readonly write: (payload: Payload, prepared: Prepared) => Write<A, NoInfer<E> | CallError>
    },
    toJson: (value: A, payload: Payload) => JsonText
  ): Handler<E | WriteError | CallError> => {
    const policy = Context.get(definition.annotations, AccessPolicy)
    const weight = Context.get(definition.annotations, WorkWeight)
    return makeHandler(
      definition,
      Effect.fnUntraced(function* (payload, json) {
        const call = { payload, principal: yield* CurrentPrincipal, origin: yield* CallOrigin }
        const { context, keyed } = yield* keyedWrite(definition, call, json)
        const earlier = yield* find(context, keyed)
        if (Option.isSome(earlier)) return writeJson(earlier.value)
        const prepared = yield* prepare(payload)
        const { storeId } = payload
        const { length: bytes } = yield* CallBody
        const performed = Effect.andThen(
          keep(payload, prepared),
          runWrite(definition, call, json, write(payload, prepared), toJson)
        )
        const operation = { storeId, name: definition._tag, weight, bytes }
        return writeJson(yield* withPermit(operation, performed, ({ text }) => lengthOf(text)))
      }, Effect.scoped),
      (json) => authorizePayload(json, policy)
    )
  }

  return { storeHandler, runWrite, writeHandler, preparedHandler }
})
