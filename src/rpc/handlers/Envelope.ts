import { Either, Schema } from "effect"
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
  readonly payload: Either.Either<JsonObject, BadRequest>
}

/** What is read of a message: its headers and traces are the client's own word, and are not. */
const Envelope = Schema.Struct({
  _tag: Schema.Literal("Request"),
  id: Schema.String.pipe(Schema.pattern(/^\d{1,15}$/)),
  tag: Schema.String,
  payload: Schema.optional(Schema.Unknown)
})

const refuse = (reason: string) => new BadRequest({ reason })

const NO_CALL = refuse('Each line must be a JSON object of a call: { "_tag": "Request", "id": "1", "tag", "payload" }')

const decodeEnvelope = compileDecoder(Envelope)
const decode = (given: unknown) => Either.mapLeft(decodeEnvelope(given), () => NO_CALL)

/** A call without a payload asks for what takes none. */
const payloadOf = (payload: unknown = {}) =>
  isObject(payload) ? Either.right(payload) : Either.left(refuse("The payload must be a JSON object"))

/** The paths of what is wrong, as of the payload. */
const issuesOf = ({ issues }: NotAcceptable) => issues.map((line) => line.replace(/^payload(?:\.|: )/, ""))

/** A call that holds what no body may hold is refused by itself. */
const refusedCall = (line: string, found: NotAcceptable): Either.Either<Call, BadRequest> =>
  Either.map(decode(JSON.parse(line)), ({ id, tag }) => ({
    id,
    tag,
    payload: Either.left(new BadRequest({ reason: INVALID, issues: issuesOf(found) }))
  }))

/** The call of a line, or why it is none. */
export const callOf = (line: string): Either.Either<Call, BadRequest> =>
  Either.match(parseUntrusted(line), {
    onLeft: (found) => (found.issues.length === 0 ? Either.left(NO_CALL) : refusedCall(line, found)),
    onRight: (message) =>
      Either.map(decode(message), ({ id, payload, tag }) => ({ id, tag, payload: payloadOf(payload) }))
  })

/** The calls of a body. One that is none ends it for all: nobody could be told by which id it failed. */
export const callsOf = (body: string): Either.Either<ReadonlyArray<Call>, BadRequest> => {
  if (hasTooManyParts(body)) return Either.left(refuse(`The body ${TOO_MANY_PARTS}`))
  const lines = body.trimEnd().split("\n", MAX_CALLS + 1)
  return lines.length > MAX_CALLS
    ? Either.left(refuse(`A body holds at most ${MAX_CALLS} calls; send the others with another request`))
    : Either.all(lines.map(callOf))
}
