import { Result, Schema } from "effect"
import { BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { compileDecoder } from "../../domain/Decoder.ts"
import { isObject, type JsonObject } from "../../domain/Json.ts"
import { hasTooManyParts, type NotAcceptable, parseUntrusted, TOO_MANY_PARTS } from "../../domain/UntrustedJson.ts"

/** Calls of one body. */
export const MAX_CALLS = 16

/** A call as it was sent. */
export interface Call {
  /** What its answer is told by. */
  readonly id: string
  readonly tag: string
  /** What is asked for, or why that cannot be read. */
  readonly payload: Result.Result<JsonObject, BadRequest>
}

/** What is read of a message: its headers and traces are the client's own word, and are not. */
const Envelope = Schema.Struct({
  _tag: Schema.Literal("Request"),
  id: Schema.String.pipe(Schema.check(Schema.isPattern(/^\d{1,15}$/))),
  tag: Schema.String,
  payload: Schema.optional(Schema.Unknown)
})

const refuse = (reason: string) => new BadRequest({ reason })

const NO_CALL = refuse('Each line must be a JSON object of a call: { "_tag": "Request", "id": "1", "tag", "payload" }')

const decodeEnvelope = compileDecoder(Envelope)
const decode = (given: unknown) => Result.mapError(decodeEnvelope(given), () => NO_CALL)

/** A call without a payload asks for what takes none. */
const payloadOf = (payload: unknown = {}) =>
  isObject(payload) ? Result.succeed(payload) : Result.fail(refuse("The payload must be a JSON object"))

/** The paths of what is wrong, as of the payload. */
const issuesOf = ({ issues }: NotAcceptable) => issues.map((line) => line.replace(/^payload(?:\.|: )/, ""))

/** A call that holds what no body may hold is refused by itself. */
const refusedCall = (line: string, found: NotAcceptable): Result.Result<Call, BadRequest> =>
  Result.map(decode(JSON.parse(line)), ({ id, tag }) => ({
    id,
    tag,
    payload: Result.fail(new BadRequest({ reason: INVALID, issues: issuesOf(found) }))
  }))

/** The call of a line, or why it is none. */
export const callOf = (line: string): Result.Result<Call, BadRequest> =>
  Result.match(parseUntrusted(line), {
    onFailure: (found) => (found.issues.length === 0 ? Result.fail(NO_CALL) : refusedCall(line, found)),
    onSuccess: (message) =>
      Result.map(decode(message), ({ id, payload, tag }) => ({ id, tag, payload: payloadOf(payload) }))
  })

/** The calls of a body. One that is none ends it for all: nobody could be told by which id it failed. */
export const callsOf = (body: string): Result.Result<ReadonlyArray<Call>, BadRequest> => {
  if (hasTooManyParts(body)) return Result.fail(refuse(`The body ${TOO_MANY_PARTS}`))
  const lines = body.trimEnd().split("\n", MAX_CALLS + 1)
  return lines.length > MAX_CALLS
    ? Result.fail(refuse(`A body holds at most ${MAX_CALLS} calls; send the others with another request`))
    : Result.all(lines.map(callOf))
}
