import { Schema } from "effect"
import { type Rpc, RpcGroup, type RpcMiddleware } from "effect/rpc"
import { isObject, type JsonObject } from "../../domain/json/Json.ts"
import { followChangeSet } from "../groups/ChangeSets.ts"
import { followChanges } from "../groups/Changes.ts"
import { CallError, Authentication } from "../Authentication.ts"
import { Rpcs } from "../Rpcs.ts"

/** An undecoded payload. The handler decodes it after authorization. */
const RawPayload = Schema.declare((value): value is JsonObject => isObject(value), { toCodecJson: () => undefined })

/** A response as JSON text, which is sent without encoding. */
const StoredJson = Schema.String

/** A definition with raw payload and JSON text as response. */
type Served<R> =
  R extends Rpc.Rpc<infer Tag, Schema.Top, Schema.Top, infer E, infer M, infer Q>
    ? Rpc.Rpc<Tag, typeof RawPayload, typeof StoredJson, Schema.Union<readonly [E, typeof CallError]>, M, Q>
    : never

type Definition = Rpc.Rpc<string, Schema.Top, Schema.Top, Schema.Top, RpcMiddleware.AnyService>

const servedRpc = <Tag extends string, E extends Schema.Top, M extends RpcMiddleware.AnyService, Q>(
  rpc: Rpc.Rpc<Tag, Schema.Top, Schema.Top, E, M, Q>
) =>
  rpc
    .setPayload(RawPayload)
    .setSuccess(StoredJson)
    .setError(Schema.Union([rpc.errorSchema, CallError]))

/** Converts the definitions of a group to raw payloads and JSON responses. */
export function served<R extends Rpc.Any>(group: RpcGroup.RpcGroup<R>): RpcGroup.RpcGroup<Served<R>>
export function served(group: { readonly requests: ReadonlyMap<string, Definition> }): RpcGroup.Any {
  return RpcGroup.make(...[...group.requests.values()].map((rpc) => servedRpc(rpc)))
}

/** All procedures as the server handles them. */
export const ServedRpcs = served(Rpcs)

/** All streams. `RpcServer` encodes their values. */
export const ServedStreams = RpcGroup.make(
  followChanges.setPayload(RawPayload).setError(CallError),
  followChangeSet.setPayload(RawPayload).setError(CallError)
).middleware(Authentication)
