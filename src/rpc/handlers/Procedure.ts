import type { Rpc, RpcGroup } from "@effect/rpc"
import { Context, Effect, Schema } from "effect"
import { hash } from "node:crypto"
import { OwnersOnly, type Role } from "../../domain/access/Merchants.ts"
import { decodeWith } from "../../domain/BadRequest.ts"
import { Bulkhead, WorkWeight } from "../../domain/Bulkhead.ts"
import type { JsonText } from "../../domain/Document.ts"
import { Idempotency, type IdempotencyKey } from "../../domain/Idempotency.ts"
import { canonical, type JsonObject, stringify } from "../../domain/Json.ts"
import { type StoreId, StoreNotFound } from "../../domain/Store.ts"
import type { Write } from "../../domain/Write.ts"
import { actorOf, CallRefused, CurrentPrincipal, Principal } from "../Principal.ts"
import type { WriteRefused } from "../Shapes.ts"

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
  readonly role: Role
}

interface OfStore {
  readonly storeId: StoreId
}

interface Keyed extends OfStore {
  readonly idempotencyKey: IdempotencyKey
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

export const requireOwner = (role: Role): Effect.Effect<void, OwnersOnly> =>
  role === "owner" ? Effect.void : new OwnersOnly()

/** What a principal may do in a store. Whether there is one where they may do nothing is not told. */
const roleIn = (principal: Principal, store: StoreId): Effect.Effect<Role, StoreNotFound> =>
  Principal.$match(principal, {
    Merchant: ({ roles }) => Effect.mapError(Effect.fromNullable(roles[store]), () => new StoreNotFound())
  })

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
    return procedure(definition, (payload, json) =>
      Effect.gen(function* () {
        const principal = yield* CurrentPrincipal
        const role = yield* roleIn(principal, payload.storeId)
        const found = yield* inTurn(payload.storeId, weight, run({ payload, principal, role }, json))
        return toJson(found, payload)
      })
    )
  }

  /** A write: performed once for a key of its principal, and answered with the same text each time. */
  const write = <Tag extends string, Payload extends Keyed, PayloadJson, Refusal, RefusalJson, Made>(
    definition: Definition<Tag, Payload, PayloadJson, Refusal | WriteRefused, RefusalJson>,
    run: (payload: Payload) => Write<Made, NoInfer<Refusal> | StoreNotFound>,
    toJson: (made: Made, payload: Payload) => JsonText
  ): Procedure<Tag> =>
    inStore(
      definition,
      ({ payload, principal }, json) =>
        once(
          { storeId: payload.storeId, actor: actorOf(principal), surface: "rpc", cause: null, mode: "perform" },
          { key: payload.idempotencyKey, fingerprint: fingerprint(definition._tag, json) },
          run(payload),
          (made) => ({ status: 200, body: toJson(made, payload), etag: null })
        ),
      ({ body }) => body
    )

  return { inStore, write }
})
