import { Effect, Function as Fn, Result } from "effect"
import type { IncomingMessage } from "node:http"
import { BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { isObject, memberText } from "../../domain/Json.ts"
import { parseUntrusted } from "../../domain/UntrustedJson.ts"
import { LARGE_BODY, paced } from "../../domain/Pacing.ts"
import { Encoded } from "../../domain/Write.ts"

/** Bytes of a request's body (decisions, section 4). */
const MAX_BODY = 1024 * 1024

/** Bytes of a too large body that are still read, so that a client that sends before it reads gets its response. */
const MAX_DRAINED = 16 * MAX_BODY

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })

/** A body that was received, or the reason why not, and the headers that describe it. */
interface ReceivedBody {
  readonly body: Result.Result<Uint8Array, BadRequest>
  readonly header: (name: "content-type" | "content-encoding") => string | undefined
}

const badRequest = (reason: string, issues?: ReadonlyArray<string>) => new BadRequest({ reason, issues })

/** Makes a test for a media type, with `charset=utf-8` or without a charset. */
export const makeMediaTypeTest = (type: string) => {
  const pattern = new RegExp(`^${type}\\s*(?:;\\s*charset\\s*=\\s*"?utf-8"?\\s*)?$`, "i")
  return (contentType: string | undefined): boolean => contentType !== undefined && pattern.test(contentType.trim())
}

const isJson = makeMediaTypeTest("application/json")

/** Receives the bytes of a body. More than `limit` are received and dropped, up to {@link MAX_DRAINED}, and refused. */
export const readBody = (message: IncomingMessage, limit = MAX_BODY): Effect.Effect<Buffer, BadRequest> =>
  Effect.callback<Buffer, BadRequest>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const tooLarge = () => resume(badRequest(`The body must be at most ${limit} bytes`))
    message.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      if (size > MAX_DRAINED) tooLarge()
    })
    message.on("end", () => (size > limit ? tooLarge() : resume(Effect.succeed(Buffer.concat(chunks)))))
    message.on("error", () => resume(badRequest("The body was not received whole")))
  })

/** Decodes a body as UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): Effect.Effect<string, BadRequest> =>
  Effect.try({
    try: () => utf8.decode(bytes),
    catch: () => badRequest("The body is not valid UTF-8")
  })

const readJsonText = Effect.fnUntraced(function* ({ body, header }: ReceivedBody) {
  if (!isJson(header("content-type"))) {
    return yield* badRequest(
      "The body must be sent with Content-Type: application/json, without parameters but charset=utf-8"
    )
  }
  if (header("content-encoding") !== undefined) {
    return yield* badRequest("The body must not be compressed; send it without Content-Encoding")
  }
  return yield* decodeUtf8(yield* Effect.fromResult(body))
})

/**
 * Parses a body as a JSON object. `said` holds its members as they were sent, `given` those to decode: the member
 * `verbatim` is its JSON text there. Work on a large body runs through `pace`.
 */
export const parseJsonBody = Effect.fnUntraced(function* (received: ReceivedBody, verbatim?: string) {
  const text = yield* readJsonText(received)
  const pace: typeof paced = text.length < LARGE_BODY ? Fn.identity : paced
  const parsed = yield* pace(Effect.sync(() => parseUntrusted(text, verbatim !== undefined)))
  if (Result.isFailure(parsed)) {
    const { issues } = parsed.failure
    return yield* issues.length === 0 ? badRequest("The body is not valid JSON") : badRequest(INVALID, issues)
  }
  if (!isObject(parsed.success)) return yield* badRequest("The body must be a JSON object")
  const member = verbatim === undefined ? undefined : memberText(text, verbatim)
  const given =
    verbatim === undefined || member === undefined
      ? parsed.success
      : { ...parsed.success, [verbatim]: new Encoded(member) }
  return { said: parsed.success, given, pace }
})
