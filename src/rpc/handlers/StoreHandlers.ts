import { Context, Effect, Result, type Schema } from "effect"
import { hash } from "node:crypto"
import { Agents } from "../../domain/access/Agents.ts"
import { type ProposalResult, Proposals } from "../../domain/access/Proposals.ts"
import { Actor, type AgentId, type MerchantId } from "../../domain/Actor.ts"
import type { BadRequest } from "../../domain/BadRequest.ts"
import { decodeWith } from "../../domain/Decoder.ts"
import { Bulkhead, WorkWeight } from "../../domain/Bulkhead.ts"
import type { JsonText } from "../../domain/Document.ts"
import { Idempotency, type IdempotencyKey } from "../../domain/Idempotency.ts"
import { canonical, type JsonObject, stringify } from "../../domain/Json.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Write } from "../../domain/Write.ts"
import { CallersOf } from "../Annotations.ts"
import { type CallRefused } from "../Authentication.ts"
import type { Principal } from "../Principal.ts"
import { actorOf, CallOrigin, CurrentPrincipal, type Origin } from "../Principal.ts"
import type { WriteRefused } from "../groups/CommonSchemas.ts"
import { authorizeIn, currentMerchant, type NotAuthorized } from "./Authorization.ts"
import { written } from "./StoredJson.ts"

/** Answers calls of a procedure with the JSON of its success. The payload is not decoded yet. */
export type Handler<Refusal> = (payload: JsonObject) => Effect.Effect<JsonText, Refusal | CallRefused, CurrentPrincipal>

/** A handler that writes. */
export interface WriteHandler<Refusal> extends Handler<Refusal> {
  /** Describes the write that a payload asks for, to be performed in the name of another principal. */
  readonly describe: (payload: JsonObject, principal: Principal) => Result.Result<Write<unknown, Refusal>, BadRequest>
}

/** The parts of a definition that a handler uses. */
export interface Definition<Payload, Refusal> {
  readonly _tag: string
  readonly payloadSchema: Schema.Codec<Payload, unknown>
  readonly errorSchema: Schema.Codec<Refusal, unknown>
  readonly annotations: Context.Context<never>
}

/** A call in a store. */
interface InStore<Payload> {
  readonly payload: Payload
  readonly principal: Principal
  readonly origin: Origin
}

/** The member that every payload of a store has. */
export interface OfStore {
  readonly storeId: StoreId
}

interface Keyed extends OfStore {
  readonly idempotencyKey: IdempotencyKey
  readonly dryRun?: boolean
}

/** Distinguishes operations under the same key. */
export const fingerprint = (tag: string, payload: JsonObject) =>
  hash("sha256", `rpc ${tag}\n${canonical(payload)}`, "buffer")

/**
 * A handler that decodes its payload strictly by a definition, and fails with the errors that it declares. Principals who
 * may not call it are refused before that: decoding costs, and its issues may tell of the store. By default, merchants call
 * it outside of a store.
 */
export const procedure = <Payload, Refusal>(
  { payloadSchema }: Definition<Payload, Refusal>,
  run: (
    payload: Payload,
    json: JsonObject
  ) => Effect.Effect<JsonText, NoInfer<Refusal> | CallRefused, CurrentPrincipal>,
  check: (json: JsonObject) => Effect.Effect<unknown, NotAuthorized, CurrentPrincipal> = () => currentMerchant
): Handler<Refusal> => {
  const decode = decodeWith(payloadSchema)
  return Effect.fnUntraced(function* (json) {
    yield* check(json)
    return yield* run(yield* Effect.fromResult(decode(json, true)), json)
  })
}

/** Constructors of handlers that read and write in a store. */
export const makeProcedures = Effect.gen(function* () {
  const { budgeted } = yield* Agents
  const { propose } = yield* Proposals
  const { withPermit } = yield* Bulkhead
  const { once } = yield* Idempotency

  /** A handler of a store, which waits for its turn among the calls of the store. */
  const inStore = <Payload extends OfStore, Refusal, Found>(
    definition: Definition<Payload, Refusal>,
    run: (asked: InStore<Payload>, json: JsonObject) => Effect.Effect<Found, NoInfer<Refusal> | CallRefused>,
    toJson: (found: Found, payload: Payload) => JsonText
  ): Handler<Refusal> => {
    const weight = Context.get(definition.annotations, WorkWeight)
    const callers = Context.get(definition.annotations, CallersOf)
    return procedure(
      definition,
      (payload, json) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const origin = yield* CallOrigin
          const found = yield* withPermit(payload.storeId, weight, run({ payload, principal, origin }, json))
          return toJson(found, payload)
        }),
      (json) => authorizeIn(json, callers)
    )
  }

  /**
   * Performs a write once for a key of its principal, or rehearses it. Writes of an agent count in its budget. An approved
   * write is performed in the name of the agent that proposed it.
   */
  const performed = <Payload extends Keyed, Made, Refusal>(
    { _tag }: { readonly _tag: string },
    { payload, principal, origin }: InStore<Payload>,
    json: JsonObject,
    write: Write<Made, Refusal>,
    toJson: (made: Made, payload: Payload) => JsonText,
    approved?: { readonly agent: AgentId; readonly by: MerchantId }
  ) =>
    once(
      {
        storeId: payload.storeId,
        actor: approved === undefined ? actorOf(principal) : Actor.Agent({ id: approved.agent }),
        approvedBy: approved?.by,
        ...origin,
        cause: null,
        mode: payload.dryRun === true ? "dryRun" : "perform"
      },
      { key: payload.idempotencyKey, fingerprint: fingerprint(_tag, json) },
      principal._tag === "Agent" && payload.dryRun !== true ? budgeted(payload.storeId, principal.id, write) : write,
      (made) => ({ status: 200, body: toJson(made, payload), etag: null })
    )

  /**
   * A handler that performs a write once and replays its response, or rehearses it. For agents that may only propose, it
   * stores a proposal of each write that needs a scope.
   */
  const write = <Payload extends Keyed, Refusal, Made>(
    definition: Definition<Payload, Refusal | WriteRefused>,
    run: (payload: Payload, principal: Principal) => Write<Made, NoInfer<Refusal> | CallRefused>,
    toJson: (made: Made, payload: Payload) => JsonText
  ): WriteHandler<Refusal | WriteRefused | CallRefused> => {
    const decode = decodeWith(definition.payloadSchema)
    const { agents } = Context.get(definition.annotations, CallersOf)
    const keptJson = (kept: ProposalResult<Made>, payload: Payload) =>
      "proposed" in kept ? `{"proposal":${kept.proposed}}` : toJson(kept.unchanged, payload)

    const perform = (asked: InStore<Payload>, json: JsonObject) => {
      const { payload, principal } = asked
      const described = run(payload, principal)
      if (principal._tag === "Merchant" || !principal.proposalsOnly || payload.dryRun === true || agents === "all") {
        return performed(definition, asked, json, described, toJson)
      }
      const proposal = { agentId: principal.id, procedure: definition._tag, payload: stringify(json) }
      return performed(definition, asked, json, propose(payload.storeId, proposal, described), keptJson)
    }

    return Object.assign(inStore(definition, perform, written), {
      describe: (json: JsonObject, principal: Principal) =>
        Result.map(decode(json, true), (payload) => run(payload, principal))
    })
  }

  return { inStore, performed, write }
})
