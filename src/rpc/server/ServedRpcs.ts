import { Schema } from "effect"
import { type Rpc, RpcGroup, type RpcMiddleware } from "effect/rpc"
import { isObject, type JsonObject } from "../../domain/Json.ts"
import { followChanges } from "../groups/Changes.ts"
import { CallError, Authentication } from "../Authentication.ts"
import { Rpcs } from "../Rpcs.ts"

/** A payload that is not decoded yet, with all digits of its numbers. Its handler decodes it once access is checked. */
const RawPayload = Schema.declare((given): given is JsonObject => isObject(given), { toCodecJson: () => undefined })

/** JSON text that goes out as it is, in place of the decoded success that clients read. */
const StoredJson = Schema.String

/** A definition as it is served: raw payload in, JSON text out. */
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

/** The definitions of a group as they are served. */
export function served<R extends Rpc.Any>(group: RpcGroup.RpcGroup<R>): RpcGroup.RpcGroup<Served<R>>
export function served(group: { readonly requests: ReadonlyMap<string, Definition> }): RpcGroup.Any {
  return RpcGroup.make(...[...group.requests.values()].map((rpc) => servedRpc(rpc)))
}

/** The procedures of the second surface. */
export const ServedRpcs = served(Rpcs)

/** The procedures that stream. The library encodes their values. */
export const ServedStreams = RpcGroup.make(followChanges.setPayload(RawPayload).setError(CallError)).middleware(
  Authentication
)
