import { Option, Result, Schema } from "effect"
import { BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { compileDecoder } from "../../domain/Decoder.ts"
import type { JsonText } from "../../domain/Document.ts"
import { isObject, type JsonObject } from "../../domain/Json.ts"
import type { StoreId } from "../../domain/Store.ts"
import { hasTooManyParts, type NotAcceptable, parseUntrusted, TOO_MANY_PARTS } from "../../domain/UntrustedJson.ts"
import { findStoreId } from "../groups/CommonSchemas.ts"

/** Calls of one body. */
export const MAX_CALLS = 16

/** A call as a client sent it. */
export interface RequestedCall {
  /** Names the call in the response. */
  readonly id: string
  readonly tag: string
  /** A payload that is not decoded yet, or the reason why it cannot be read. */
  readonly payload: Result.Result<JsonObject, BadRequest>
}

/** The members of a message that are read. Headers and trace ids are not: its sender chooses them. */
const Envelope = Schema.Struct({
  _tag: Schema.Literal("Request"),
  id: Schema.String.pipe(Schema.check(Schema.isPattern(/^\d{1,15}$/))),
  tag: Schema.String,
  payload: Schema.optional(Schema.Unknown)
})

const refuse = (reason: string) => new BadRequest({ reason })

const NO_CALL = refuse('Each line must be a JSON object of a call: { "_tag": "Request", "id": "1", "tag", "payload" }')

const decodeEnvelope = compileDecoder(Envelope)
const parseEnvelope = (given: unknown) => Result.mapError(decodeEnvelope(given), () => NO_CALL)

/** A call without a payload has an empty one. */
const payloadOf = (payload: unknown = {}) =>
  isObject(payload) ? Result.succeed(payload) : Result.fail(refuse("The payload must be a JSON object"))

/** Issues with paths inside of the payload. */
const issuesOf = ({ issues }: NotAcceptable) => issues.map((line) => line.replace(/^payload(?:\.|: )/, ""))

/** A call whose payload holds values that no body may hold: it is refused alone. */
const refusedCall = (line: string, found: NotAcceptable): Result.Result<RequestedCall, BadRequest> =>
  Result.map(parseEnvelope(JSON.parse(line)), ({ id, tag }) => ({
    id,
    tag,
    payload: Result.fail(new BadRequest({ reason: INVALID, issues: issuesOf(found) }))
  }))

/** The call in a line. */
export const parseCall = (line: string): Result.Result<RequestedCall, BadRequest> =>
  Result.match(parseUntrusted(line), {
    onFailure: (found) => (found.issues.length === 0 ? Result.fail(NO_CALL) : refusedCall(line, found)),
    onSuccess: (message) =>
      Result.map(parseEnvelope(message), ({ id, payload, tag }) => ({ id, tag, payload: payloadOf(payload) }))
  })

/** The calls of a body. An invalid line fails all of them, since it has no id to answer to. */
export const parseCalls = (body: string): Result.Result<ReadonlyArray<RequestedCall>, BadRequest> => {
  if (hasTooManyParts(body)) return Result.fail(refuse(`The body ${TOO_MANY_PARTS}`))
  const lines = body.trimEnd().split("\n", MAX_CALLS + 1)
  return lines.length > MAX_CALLS
    ? Result.fail(refuse(`A body holds at most ${MAX_CALLS} calls; send the others with another request`))
    : Result.all(lines.map(parseCall))
}

/** The stores that calls name: the roles of their sender in all of them are read at once. */
export const storeIdsOf = (calls: ReadonlyArray<RequestedCall>): ReadonlyArray<StoreId> =>
  calls.flatMap(({ payload }) => (Result.isSuccess(payload) ? Option.toArray(findStoreId(payload.success)) : []))

/** A line for the end of a call, as the library's ndjson has it. */
export const exitLine = (id: string, exit: JsonText) => `{"_tag":"Exit","requestId":"${id}","exit":${exit}}\n`

/** A line for a success that is JSON text already. */
export const successLine = (id: string, value: JsonText) => exitLine(id, `{"_tag":"Success","value":${value}}`)

/** A line for a failure with an encoded error. */
export const failureLine = (id: string, error: JsonText) =>
  exitLine(id, `{"_tag":"Failure","cause":[{"_tag":"Fail","error":${error}}]}`)
