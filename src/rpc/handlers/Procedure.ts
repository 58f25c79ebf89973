import { Context, Effect, Option, Result, Schema } from "effect"
import type { Rpc, RpcGroup } from "effect/rpc"
import { hash } from "node:crypto"
import { AgentRefused, Agents, AgentScopeMissing } from "../../domain/access/Agents.ts"
import { OwnersOnly } from "../../domain/access/Merchants.ts"
import { type Kept, Proposals } from "../../domain/access/Proposals.ts"
import { Actor, type AgentId, type MerchantId } from "../../domain/Actor.ts"
import type { BadRequest } from "../../domain/BadRequest.ts"
import { decodeWith } from "../../domain/Decoder.ts"
import { Bulkhead, WorkWeight } from "../../domain/Bulkhead.ts"
import type { JsonText } from "../../domain/Document.ts"
import { Idempotency, type IdempotencyKey } from "../../domain/Idempotency.ts"
import { canonical, type JsonObject, stringify } from "../../domain/Json.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import type { Write } from "../../domain/Write.ts"
import {
  actorOf,
  type Callers,
  CallersOf,
  CallRefused,
  CallOrigin,
  CurrentPrincipal,
  type Origin,
  Principal
} from "../Principal.ts"
import type { WriteRefused } from "../Shapes.ts"
import { written } from "./Answers.ts"

/** A procedure, and what answers its calls: with the JSON of its success, or of an error that its definition declares. */
export interface Procedure<Tag extends string = string> {
  readonly tag: Tag
  readonly answer: (payload: JsonObject) => Effect.Effect<JsonText, JsonText, CurrentPrincipal>
}

/** A procedure that writes. */
export interface Writing<Tag extends string, Refusal> extends Procedure<Tag> {
  /** The write that is asked for with a payload, to be done in another's name. */
  readonly describe: (payload: JsonObject, principal: Principal) => Result.Result<Write<unknown, Refusal>, BadRequest>
}

/** A procedure for each definition of a group, by its tag. */
export type ProceduresOf<Group> = {
  readonly [Tag in Rpc.Tag<RpcGroup.Rpcs<Group>>]: Procedure<Tag>
}

/** What is read of a definition. */
export interface Definition<Tag extends string, Payload, Refusal> {
  readonly _tag: Tag
  readonly payloadSchema: Schema.Codec<Payload, unknown>
  readonly errorSchema: Schema.Codec<Refusal, unknown>
  readonly annotations: Context.Context<never>
}

/** Of a call in a store: what it says, who says it, and where. */
interface InStore<Payload> {
  readonly payload: Payload
  readonly principal: Principal
  readonly origin: Origin
}

/** What every payload of a store says. */
export interface OfStore {
  readonly storeId: StoreId
}

interface Keyed extends OfStore {
  readonly idempotencyKey: IdempotencyKey
  readonly dryRun?: boolean
}

/** What tells one operation from another under the same key. */
export const fingerprint = (tag: string, payload: JsonObject) =>
  hash("sha256", `rpc ${tag}\n${canonical(payload)}`, "buffer")

/** Encodes an error of a definition, or one that any call may be refused with. */
export const errorJson = <Refusal>(schema: Schema.Codec<Refusal, unknown>) => {
  const encode = Schema.encodeEffect(Schema.Union([schema, CallRefused]))
  return (error: Refusal | CallRefused): Effect.Effect<JsonText> => Effect.orDie(Effect.map(encode(error), stringify))
}

type NotAdmitted = StoreNotFound | OwnersOnly | AgentRefused | AgentScopeMissing

/**
 * A procedure, by default one for merchants that is of no store. It may refuse with what its definition declares. Whoever
 * may not call it is refused before the payload is decoded: that costs, and its issues are none of their business.
 */
export const procedure = <Tag extends string, Payload, Refusal>(
  { _tag, errorSchema, payloadSchema }: Definition<Tag, Payload, Refusal>,
  run: (
    payload: Payload,
    json: JsonObject
  ) => Effect.Effect<JsonText, NoInfer<Refusal> | CallRefused, CurrentPrincipal>,
  admitted: (json: JsonObject) => Effect.Effect<unknown, NotAdmitted, CurrentPrincipal> = () => currentMerchant
): Procedure<Tag> => {
  const decode = decodeWith(payloadSchema)
  const toJson = errorJson(errorSchema)
  return {
    tag: _tag,
    answer: (json) =>
      admitted(json).pipe(
        Effect.andThen(Effect.suspend(() => Effect.fromResult(decode(json, true)))),
        Effect.flatMap((payload) => run(payload, json)),
        Effect.catch((error) => Effect.flip(toJson(error)))
      )
  }
}

/** Whether a principal may call what `callers` may, in a store. Whether there is one where they may do nothing is not told. */
export const admit = (principal: Principal, store: StoreId, callers: Callers): Effect.Effect<void, NotAdmitted> =>
  Principal.$match(principal, {
    Merchant: ({ roles }): Effect.Effect<void, NotAdmitted> => {
      const role = roles[store]
      if (role === undefined) return new StoreNotFound()
      return callers.members === "owners" && role !== "owner" ? new OwnersOnly() : Effect.void
    },
    Agent: ({ scopes, storeId }): Effect.Effect<void, NotAdmitted> => {
      if (storeId !== store) return new StoreNotFound()
      if (callers.agents === "none") return new AgentRefused()
      if (callers.agents === "all" || scopes.includes(callers.agents)) return Effect.void
      return new AgentScopeMissing({ scope: callers.agents })
    }
  })

const decodeStore = Schema.decodeUnknownOption(StoreId)

/** The store that a payload names. */
export const storeIn = (json: JsonObject): Option.Option<StoreId> => decodeStore(json["storeId"])

/** Admits the current principal to the store that a payload names. A payload without a store is left to its decoder. */
export const admitIn = (json: JsonObject, callers: Callers): Effect.Effect<void, NotAdmitted, CurrentPrincipal> =>
  Option.match(storeIn(json), {
    onNone: () => Effect.void,
    onSome: (store) => Effect.flatMap(CurrentPrincipal, (principal) => admit(principal, store, callers))
  })

export type Merchant = Extract<Principal, { readonly _tag: "Merchant" }>

/** The merchant who calls. */
export const merchantIn = (principal: Principal): Effect.Effect<Merchant, AgentRefused> =>
  principal._tag === "Merchant" ? Effect.succeed(principal) : new AgentRefused()

/** The same, for what is theirs and in no store. */
export const currentMerchant = Effect.flatMap(CurrentPrincipal, merchantIn)

/** The frames of procedures that read and write in a store. */
export const makeProcedures = Effect.gen(function* () {
  const { budgeted } = yield* Agents
  const { propose } = yield* Proposals
  const { inTurn } = yield* Bulkhead
  const { once } = yield* Idempotency

  /** A procedure of a store, in its turn among what is asked there: answers with what `run` finds. */
  const inStore = <Tag extends string, Payload extends OfStore, Refusal, Found>(
    definition: Definition<Tag, Payload, Refusal>,
    run: (asked: InStore<Payload>, json: JsonObject) => Effect.Effect<Found, NoInfer<Refusal> | CallRefused>,
    toJson: (found: Found, payload: Payload) => JsonText
  ): Procedure<Tag> => {
    const weight = Context.get(definition.annotations, WorkWeight)
    const callers = Context.get(definition.annotations, CallersOf)
    return procedure(
      definition,
      (payload, json) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const origin = yield* CallOrigin
          const found = yield* inTurn(payload.storeId, weight, run({ payload, principal, origin }, json))
          return toJson(found, payload)
        }),
      (json) => admitIn(json, callers)
    )
  }

  /**
   * Performs a write once for a key of its principal, or rehearses it. What an agent performs is of its budget. What a
   * merchant approves is done in the name of the agent that proposed it.
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
        mode: payload.dryRun === true ? "rehearse" : "perform"
      },
      { key: payload.idempotencyKey, fingerprint: fingerprint(_tag, json) },
      principal._tag === "Agent" && payload.dryRun !== true ? budgeted(payload.storeId, principal.id, write) : write,
      (made) => ({ status: 200, body: toJson(made, payload), etag: null })
    )

  /**
   * A write: performed once, and answered with the same text each time; or only rehearsed. What agents need a scope for is
   * kept as a proposal where the agent may only propose.
   */
  const write = <Tag extends string, Payload extends Keyed, Refusal, Made>(
    definition: Definition<Tag, Payload, Refusal | WriteRefused>,
    run: (payload: Payload, principal: Principal) => Write<Made, NoInfer<Refusal> | CallRefused>,
    toJson: (made: Made, payload: Payload) => JsonText
  ): Writing<Tag, Refusal | CallRefused> => {
    const decode = decodeWith(definition.payloadSchema)
    const { agents } = Context.get(definition.annotations, CallersOf)
    const keptJson = (kept: Kept<Made>, payload: Payload) =>
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

    return {
      ...inStore(definition, perform, written),
      describe: (json, principal) => Result.map(decode(json, true), (payload) => run(payload, principal))
    }
  }

  return { inStore, performed, write }
})
