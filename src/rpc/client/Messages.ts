import { Schema } from "effect"
import { RequestId } from "effect/rpc/RpcMessage"

/* Messages of the service. `RpcClient` decodes the values and errors in them. */

const Exit = Schema.Struct({
  _tag: Schema.Literal("Exit"),
  requestId: Schema.String,
  exit: Schema.Union([
    Schema.TaggedStruct("Success", { value: Schema.Unknown }),
    Schema.TaggedStruct("Failure", { cause: Schema.Array(Schema.TaggedStruct("Fail", { error: Schema.Unknown })) })
  ])
})

const Chunk = Schema.Struct({
  _tag: Schema.Literal("Chunk"),
  requestId: Schema.String,
  values: Schema.NonEmptyArray(Schema.Unknown)
})

/** Tests if a message ends a call. */
export const isExitMessage = Schema.is(Exit)

/** Tests if a message is a chunk of a stream or ends a call. */
export const isResponseMessage = Schema.is(Schema.Union([Exit, Chunk]))

/** Creates a generator of request ids, which the service accepts only as strings. */
export const makeRequestIds = () => {
  let last = 0
  return () => RequestId(String(++last))
}
