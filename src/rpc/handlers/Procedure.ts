import type { Rpc, RpcGroup } from "@effect/rpc"
import { Context, Effect, Schema } from "effect"
import { hash } from "node:crypto"
import { AgentRefused, AgentScopeMissing } from "../../domain/access/Agents.ts"
import { OwnersOnly } from "../../domain/access/Merchants.ts"
import { decodeWith } from "../../domain/BadRequest.ts"
import { Bulkhead, WorkWeight } from "../../domain/Bulkhead.ts"
import type { JsonText } from "../../domain/Document.ts"
import { Idempotency, type IdempotencyKey } from "../../domain/Idempotency.ts"
import { canonical, type JsonObject, stringify } from "../../domain/Json.ts"
import { type StoreId, StoreNotFound } from "../../domain/Store.ts"
import type { Write } from "../../domain/Write.ts"
import {
  actorOf,
  type Callers,
  CallersOf,
  CallRefused,
  CurrentPrincipal,
  CurrentRequestId,
  Principal
} from "../Principal.ts"
import type { WriteRefused } from "../Shapes.ts"
import { written } from "./Answers.ts"

/** A procedure, and what answers its calls: with the JSON of its success, or of an error that its definition declares. */
export interface Procedure<Tag extends string = string> {
  readonly tag: Tag
  readonly answer: (payload: JsonObject) => Effect.Effect<JsonText, JsonText, CurrentPrincipal>
}

/** A procedure for each definition of a group, by its tag. */
export type ProceduresOf<Group> = {
  readonly [Tag in Rpc.Tag<RpcGroup.Rpcs<Group>>]: Procedure<Tag>
}

/** What is read of a definition. */
interface Definition<Tag extends string, Payload, PayloadJson, Refusal, RefusalJson> {
  readonly _tag: Tag
  readonly payloadSchema: Schema.Schema<Payload, PayloadJson>
  readonly errorSchema: Schema.Schema<Refusal, RefusalJson>
  readonly annotations: Context.Context<never>
}

/** Of a call in a store: what it says, and who says it. */
interface InStore<Payload> {
  readonly payload: Payload
  readonly principal: Principal
  readonly requestId: string | undefined
}

interface OfStore {
  readonly storeId: StoreId
}

interface Keyed extends OfStore {
  readonly idempotencyKey: IdempotencyKey
  readonly dryRun?: boolean
}

/** What tells one operation from another under the same key. */
const fingerprint = (tag: string, payload: JsonObject) => hash("sha256", `rpc ${tag}\n${canonical(payload)}`, "buffer")

/** Encodes an error of a definition, or one that any call may be refused with. */
export const errorJson = <Refusal, RefusalJson>(schema: Schema.Schema<Refusal, RefusalJson>) => {
  const encode = Schema.encode(Schema.Union(schema, CallRefused))
  return (error: Refusal | CallRefused): Effect.Effect<JsonText> => Effect.orDie(Effect.map(encode(error), stringify))
}

/** A procedure of no store. It may refuse with what its definition declares. */
export const procedure = <Tag extends string, Payload, PayloadJson, Refusal, RefusalJson>(
  { _tag, errorSchema, payloadSchema }: Definition<Tag, Payload, PayloadJson, Refusal, RefusalJson>,
  run: (payload: Payload, json: JsonObject) => Effect.Effect<JsonText, NoInfer<Refusal> | CallRefused, CurrentPrincipal>
): Procedure<Tag> => {
  const decode = decodeWith(payloadSchema)
  const toJson = errorJson(errorSchema)
  return {
    tag: _tag,
    answer: (json) =>
      decode(json, true).pipe(
        Effect.flatMap((payload) => run(payload, json)),
        Effect.catchAll((error) => Effect.flip(toJson(error)))
      )
  }
}

type NotAdmitted = StoreNotFound | OwnersOnly | AgentRefused | AgentScopeMissing

/** Whether a principal may call what `callers` may, in a store. Whether there is one where they may do nothing is not told. */
const admit = (principal: Principal, store: StoreId, callers: Callers): Effect.Effect<void, NotAdmitted> =>
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

/** The merchant who calls, for what is theirs and in no store. */
export const currentMerchant = Effect.flatMap(CurrentPrincipal, (principal) =>
  principal._tag === "Merchant" ? Effect.succeed(principal) : new AgentRefused()
)

/** The frames of procedures that read and write in a store. */
export const makeProcedures = Effect.gen(function* () {
  const { inTurn } = yield* Bulkhead
  const { once } = yield* Idempotency

  /** A procedure of a store, in its turn among what is asked there: answers with what `run` finds. */
  const inStore = <Tag extends string, Payload extends OfStore, PayloadJson, Refusal, RefusalJson, Found>(
    definition: Definition<Tag, Payload, PayloadJson, Refusal, RefusalJson>,
    run: (asked: InStore<Payload>, json: JsonObject) => Effect.Effect<Found, NoInfer<Refusal> | CallRefused>,
    toJson: (found: Found, payload: Payload) => JsonText
  ): Procedure<Tag> => {
    const weight = Context.get(definition.annotations, WorkWeight)
    const callers = Context.get(definition.annotations, CallersOf)
    return procedure(definition, (payload, json) =>
      Effect.gen(function* () {
        const principal = yield* CurrentPrincipal
        const requestId = yield* CurrentRequestId
        yield* admit(principal, payload.storeId, callers)
        const found = yield* inTurn(payload.storeId, weight, run({ payload, principal, requestId }, json))
        return toJson(found, payload)
      })
    )
  }

  /** A write: performed once for a key of its principal, and answered with the same text each time; or only rehearsed. */
  const write = <Tag extends string, Payload extends Keyed, PayloadJson, Refusal, RefusalJson, Made>(
    definition: Definition<Tag, Payload, PayloadJson, Refusal | WriteRefused, RefusalJson>,
    run: (payload: Payload, principal: Principal) => Write<Made, NoInfer<Refusal> | CallRefused>,
    toJson: (made: Made, payload: Payload) => JsonText
  ): Procedure<Tag> =>
    inStore(
      definition,
      ({ payload, principal, requestId }, json) =>
        once(
          {
            storeId: payload.storeId,
            actor: actorOf(principal),
            surface: "rpc",
            cause: null,
            requestId,
            mode: payload.dryRun === true ? "rehearse" : "perform"
          },
          { key: payload.idempotencyKey, fingerprint: fingerprint(definition._tag, json) },
          run(payload, principal),
          (made) => ({ status: 200, body: toJson(made, payload), etag: null })
        ),
      written
    )

  return { inStore, write }
})
