import { Schema } from "effect"
import { type FromServerEncoded, RequestId } from "effect/rpc/RpcMessage"

/*
 * Messages of the service, as the clients of earlier releases read them: the cause of a failure is one object. The
 * library's client reads a list of reasons (docs/decisions/0015).
 */

const Ended = Schema.Struct({
  _tag: Schema.Literal("Exit"),
  requestId: Schema.String,
  exit: Schema.Union([
    Schema.TaggedStruct("Success", { value: Schema.optionalKey(Schema.Unknown) }),
    Schema.TaggedStruct("Failure", { cause: Schema.TaggedStruct("Fail", { error: Schema.Unknown }) })
  ])
})

const isEnded = Schema.is(Ended)

const isChunk = Schema.is(
  Schema.Struct({
    _tag: Schema.Literal("Chunk"),
    requestId: Schema.String,
    values: Schema.NonEmptyArray(Schema.Unknown)
  })
)

/** Numbers the calls of a client. To the service, an id is text. */
export const requestIds = () => {
  let last = 0
  return () => RequestId(String(++last))
}

/** The end of a call as the library's client reads it, if a message is one. */
export const exitIn = (message: unknown): Extract<FromServerEncoded, { readonly _tag: "Exit" }> | undefined => {
  if (!isEnded(message)) return undefined
  const { exit, requestId } = message
  return {
    _tag: "Exit",
    requestId,
    exit:
      exit._tag === "Success"
        ? { _tag: "Success", value: exit.value ?? null }
        : { _tag: "Failure", cause: [exit.cause] }
  }
}

/** Likewise, a part of a stream or the end of a call. */
export const messageIn = (message: unknown): FromServerEncoded | undefined =>
  isChunk(message) ? message : exitIn(message)
