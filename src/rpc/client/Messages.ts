import { Schema } from "effect"
import { RequestId } from "effect/rpc/RpcMessage"

/* Messages of the service. The library's client decodes the values and errors in them. */

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

/** Tests for the end of a call. */
export const isExitMessage = Schema.is(Exit)

/** Tests for a part of a stream or the end of a call. */
export const isResponseMessage = Schema.is(Schema.Union([Exit, Chunk]))

/** Numbers the calls of a client: the service takes ids that are text. */
export const makeRequestIds = () => {
  let last = 0
  return () => RequestId(String(++last))
}
