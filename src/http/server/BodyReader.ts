/*
 * Works around Node, which ends the connection of a client that still sends a refused body, decodes invalid UTF-8
 * without an error, and rounds numbers in `JSON.parse`.
 */

import { Effect, Result } from "effect"
import type { IncomingMessage } from "node:http"
import { BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { isObject } from "../../domain/json/Json.ts"
import { parseUntrusted } from "../../domain/json/UntrustedJson.ts"
import { unpaced, type Pacing } from "../../domain/Pacing.ts"

/** Bytes of a request body (docs/spec/requests.md). */
const MAX_BODY = 1024 * 1024

/** Bytes of a too large body that are still read, so that a client that sends before it reads gets its response. */
const MAX_DRAINED = 16 * MAX_BODY

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })

/** A body, or the error of reading it, and the headers that describe it. */
interface ReceivedBody {
  readonly body: Result.Result<Uint8Array, BadRequest>
  readonly header: (name: "content-type" | "content-encoding") => string | undefined
}

const badRequest = (reason: string, issues?: ReadonlyArray<string>) => new BadRequest({ reason, issues })

/**
 * Makes a test for a media type, with `charset=utf-8` or without a charset. Parameters may be empty (RFC 9110, section
 * 5.6.6).
 */
export const makeMediaTypeTest = (type: string) => {
  const pattern = new RegExp(`^${type}\\s*(?:;\\s*(?:charset\\s*=\\s*"?utf-8"?\\s*)?)*$`, "i")
  return (contentType: string | undefined): boolean => contentType !== undefined && pattern.test(contentType.trim())
}

const isJson = makeMediaTypeTest("application/json")

const receive = (request: IncomingMessage, limit: number) =>
  Effect.callback<Buffer, BadRequest>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const failTooLarge = () => resume(badRequest(`The body must be at most ${limit} bytes`))
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      if (size > MAX_DRAINED) failTooLarge()
    })
    request.on("end", () => (size > limit ? failTooLarge() : resume(Effect.succeed(Buffer.concat(chunks)))))
    request.on("error", () => resume(badRequest("The body is incomplete")))
  })

/** Bodies of requests in progress, which are handled again if their store moves to another cell. */
const received: WeakMap<IncomingMessage, Buffer> = new WeakMap()

/** Reads the bytes of a body. Fails if there are more than `limit`, after draining up to {@link MAX_DRAINED}. */
export const readBody = (request: IncomingMessage, limit = MAX_BODY): Effect.Effect<Buffer, BadRequest> =>
  Effect.suspend(() => {
    const body = received.get(request)
    if (body !== undefined) return Effect.succeed(body)
    return Effect.tap(receive(request, limit), (body) => Effect.sync(() => received.set(request, body)))
  })

/** True if a request can be handled again: its body was not read, or is remembered. */
export const isRepeatable = (request: IncomingMessage): boolean => !request.readableDidRead || received.has(request)

/** Decodes a body as UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): Effect.Effect<string, BadRequest> =>
  Effect.try({
    try: () => utf8.decode(bytes),
    catch: () => badRequest("The body is not valid UTF-8; encode it as UTF-8")
  })

const readJsonText = Effect.fnUntraced(function* ({ body, header }: ReceivedBody) {
  if (!isJson(header("content-type"))) {
    return yield* badRequest(
      "The Content-Type must be application/json, also of a merge patch, without parameters other than charset=utf-8"
    )
  }
  if (header("content-encoding") !== undefined) {
    return yield* badRequest("The body must not be compressed; send it without Content-Encoding")
  }
  return yield* decodeUtf8(yield* Effect.fromResult(body))
})

/** Parses a body as a JSON object. Routes that accept large bodies pass `paceOf`. */
export const parseJsonBody = Effect.fnUntraced(function* (
  received: ReceivedBody,
  paceOf: Pacing["Service"]["paceOf"] = () => unpaced
) {
  const text = yield* readJsonText(received)
  const pace = paceOf(text.length)
  const parsed = yield* pace(Effect.sync(() => parseUntrusted(text)))
  if (Result.isFailure(parsed)) {
    const { issues } = parsed.failure
    return yield* issues.length === 0 ? badRequest("The body is not valid JSON") : badRequest(INVALID, issues)
  }
  if (!isObject(parsed.success)) return yield* badRequest("The body must be a JSON object")
  return { json: parsed.success, pace }
})
