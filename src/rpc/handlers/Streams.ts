import { Array as Arr, Context, Effect, Schema, Stream } from "effect"
import type { Rpc, RpcGroup } from "effect/rpc"
import { decodeWith } from "../../domain/Decoder.ts"
import type { JsonText } from "../../domain/Document.ts"
import { type JsonObject, stringify } from "../../domain/Json.ts"
import { type CallRefused, CallersOf, CurrentPrincipal, type Principal } from "../Principal.ts"
import { admitIn, errorJson, type OfStore } from "./Procedure.ts"

/** A procedure that goes on answering, and what answers it: with the JSON of values, a few at a time. */
export interface Streaming<Tag extends string = string> {
  readonly tag: Tag
  readonly answer: (payload: JsonObject) => Stream.Stream<JsonText, JsonText, CurrentPrincipal>
}

/** A stream for each definition of a group, by its tag. */
export type StreamsOf<Group> = {
  readonly [Tag in Rpc.Tag<RpcGroup.Rpcs<Group>>]: Streaming<Tag>
}

/** What is read of a definition: its success is that of each value. */
interface Definition<Tag extends string, Payload, Value, Refusal> {
  readonly _tag: Tag
  readonly payloadSchema: Schema.Codec<Payload, unknown>
  readonly successSchema: {
    readonly success: Schema.Codec<Value, unknown>
    readonly error: Schema.Codec<Refusal, unknown>
  }
  readonly annotations: Context.Context<never>
}

/** A stream of a store, for who may follow it. */
export const streamInStore = <Tag extends string, Payload extends OfStore, Value, Refusal>(
  definition: Definition<Tag, Payload, Value, Refusal>,
  run: (payload: Payload, principal: Principal) => Stream.Stream<Value, NoInfer<Refusal> | CallRefused>
): Streaming<Tag> => {
  const { annotations, payloadSchema, successSchema } = definition
  const decode = decodeWith(payloadSchema)
  const encode = Schema.encodeSync(successSchema.success)
  const toJson = errorJson(successSchema.error)
  const callers = Context.get(annotations, CallersOf)
  return {
    tag: definition._tag,
    answer: (json) =>
      Stream.unwrap(
        Effect.gen(function* () {
          yield* admitIn(json, callers)
          const payload = yield* Effect.fromResult(decode(json, true))
          const principal = yield* CurrentPrincipal
          return run(payload, principal)
        })
      ).pipe(
        Stream.mapArray(Arr.map((value) => stringify(encode(value)))),
        Stream.catch((error) => Stream.fromEffect(Effect.flip(toJson(error))))
      )
  }
}
