import { Option, Result, Schema } from "effect"
import { BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { compileDecoder } from "../../domain/json/Decoder.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { isObject, type JsonObject } from "../../domain/json/Json.ts"
import type { StoreId } from "../../domain/Store.ts"
import { hasTooManyParts, type NotAcceptable, parseUntrusted, TOO_MANY_PARTS } from "../../domain/json/UntrustedJson.ts"
import { findStoreId } from "../groups/CommonSchemas.ts"

/** Maximum number of calls in a body. */
export const MAX_CALLS = 16

/** A call before its payload is decoded. */
export interface RequestedCall {
  /** Correlates the response. */
  readonly id: string
  readonly tag: string
  /** The undecoded payload, or why it is invalid. */
  readonly payload: Result.Result<JsonObject, BadRequest>
}

/** The used fields of a message. Headers and trace ids are ignored, because the client sets them. */
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

/** Returns the payload, which is empty if absent. */
const payloadOf = (payload: unknown = {}) =>
  isObject(payload) ? Result.succeed(payload) : Result.fail(refuse("The payload must be a JSON object"))

/** Returns issues with paths relative to the payload. */
const issuesOf = ({ issues }: NotAcceptable) => issues.map((line) => line.replace(/^payload(?:\.|: )/, ""))

/** Returns a call with an invalid payload, which fails without affecting other calls. */
const invalidCall = (line: string, found: NotAcceptable): Result.Result<RequestedCall, BadRequest> =>
  Result.map(parseEnvelope(JSON.parse(line)), ({ id, tag }) => ({
    id,
    tag,
    payload: Result.fail(new BadRequest({ reason: INVALID, issues: issuesOf(found) }))
  }))

/** Parses a line. */
export const parseCall = (line: string): Result.Result<RequestedCall, BadRequest> =>
  Result.match(parseUntrusted(line), {
    onFailure: (found) => (found.issues.length === 0 ? Result.fail(NO_CALL) : invalidCall(line, found)),
    onSuccess: (message) =>
      Result.map(parseEnvelope(message), ({ id, payload, tag }) => ({ id, tag, payload: payloadOf(payload) }))
  })

/** Parses a body. An invalid line fails all calls, because its response would lack an id. */
export const parseCalls = (body: string): Result.Result<ReadonlyArray<RequestedCall>, BadRequest> => {
  if (hasTooManyParts(body)) return Result.fail(refuse(`The body ${TOO_MANY_PARTS}`))
  const lines = body.trimEnd().split("\n", MAX_CALLS + 1)
  return lines.length > MAX_CALLS
    ? Result.fail(refuse(`A body holds at most ${MAX_CALLS} calls; send the others with another request`))
    : Result.all(lines.map(parseCall))
}

/** Returns the store ids of calls, so that all roles are read in one statement. */
export const storeIdsOf = (calls: ReadonlyArray<RequestedCall>): ReadonlyArray<StoreId> =>
  calls.flatMap(({ payload }) => (Result.isSuccess(payload) ? Option.toArray(findStoreId(payload.success)) : []))

/** Encodes the end of a call as a line of ndjson. */
export const exitLine = (id: string, exit: JsonText) => `{"_tag":"Exit","requestId":"${id}","exit":${exit}}\n`

/** Encodes a success whose value is JSON text. */
export const successLine = (id: string, value: JsonText) => exitLine(id, `{"_tag":"Success","value":${value}}`)

/** Encodes a failure whose error is JSON text. */
export const failureLine = (id: string, error: JsonText) =>
  exitLine(id, `{"_tag":"Failure","cause":[{"_tag":"Fail","error":${error}}]}`)
