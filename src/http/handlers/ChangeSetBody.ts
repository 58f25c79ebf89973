import { NodeStream } from "@effect/platform-node"
import { Effect, Result, Stream } from "effect"
import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { createGunzip } from "node:zlib"
import { BadRequest, INVALID } from "../../domain/BadRequest.ts"
import {
  type ChangeSetHeader,
  MAX_OPERATIONS,
  NewChangeSet,
  type NewContent,
  TooManyOperations
} from "../../domain/changeSets/ChangeSet.ts"
import { decodeOperationAt, SCOPES_OF_OPERATION } from "../../domain/changeSets/Operation.ts"
import { splitArrays } from "../../domain/json/ArrayElements.ts"
import { compileDecoder, issuesOf } from "../../domain/json/Decoder.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { canonical, isObject } from "../../domain/json/Json.ts"
import { splitLines } from "../../domain/json/Lines.ts"
import { parseUntrusted } from "../../domain/json/UntrustedJson.ts"
import { MAX_ISSUES, truncateIssues } from "../../domain/Limits.ts"
import { makeMediaTypeTest } from "../server/BodyReader.ts"

/** Maximum bytes of the body of a change set, as sent and after decompression, and of one operation or the header. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_OPERATION_BYTES = 1024 * 1024

/** Number of operations that are decoded and stored together: a few milliseconds of work. */
const OPERATIONS_PER_PART = 100

const isJson = makeMediaTypeTest("application/json")
const isNdjson = makeMediaTypeTest("application/x-ndjson")

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decodeNew = compileDecoder(NewChangeSet, { errors: "all" })

/** Part of the body: the object without its operations, or an operation. */
interface Part {
  readonly kind: "header" | "operation"
  readonly bytes: Result.Result<Uint8Array, string>
}

/** The change set of a body. Its operations are stored already. */
export interface ReceivedChangeSet {
  readonly header: ChangeSetHeader
  readonly content: NewContent
  /** SHA-256 of the content, in the same form for both media types. */
  readonly hash: Uint8Array
}

const badRequest = (reason: string, issues?: ReadonlyArray<string>) => new BadRequest({ reason, issues })

const limited = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | BadRequest, R> =>
  Stream.mapAccumEffect(
    bytes,
    () => 0,
    (size, chunk) => {
      const total = size + chunk.length
      return total > MAX_BYTES
        ? Effect.fail(badRequest(`The body must be at most ${MAX_BYTES} bytes, also after decompression`))
        : Effect.succeed([total, [chunk]] as const)
    }
  )

/** Reads the bytes of a request and decompresses them. */
const bytesOf = (request: IncomingMessage): Stream.Stream<Uint8Array, BadRequest> => {
  const coding = request.headers["content-encoding"]
  const onError = () => badRequest("The body is incomplete")
  const sent = NodeStream.fromReadable<Uint8Array, BadRequest>({ evaluate: () => request, onError })
  if (coding === undefined || coding === "identity") return limited(sent)
  if (coding.toLowerCase() !== "gzip") {
    return Stream.fail(badRequest("The Content-Encoding of the body must be gzip, or absent"))
  }
  const onGzipError = () => badRequest("The body is not valid gzip")
  return limited(NodeStream.pipeThroughDuplex(limited(sent), { evaluate: () => createGunzip(), onError: onGzipError }))
}

const partsOf = (request: IncomingMessage): Stream.Stream<Part, BadRequest> => {
  const contentType = request.headers["content-type"]
  const bytes = bytesOf(request)
  if (isJson(contentType)) {
    return Stream.map(splitArrays(bytes, MAX_OPERATION_BYTES), ({ bytes, kind }) => ({
      kind: kind === "rest" ? "header" : "operation",
      bytes: Result.succeed(bytes)
    }))
  }
  if (isNdjson(contentType)) {
    return splitLines(bytes, MAX_OPERATION_BYTES).pipe(
      Stream.filter(({ bytes }) => Result.isFailure(bytes) || bytes.success.some((byte) => byte > 0x20)),
      Stream.map(({ bytes, number }) => ({ kind: number === 1 ? "header" : "operation", bytes }))
    )
  }
  return Stream.fail(badRequest("The Content-Type must be application/json or application/x-ndjson"))
}

const parse = (bytes: Part["bytes"], path: string): Result.Result<unknown, ReadonlyArray<string>> => {
  if (Result.isFailure(bytes)) return Result.fail([`${path}: ${bytes.failure}`])
  const text = Result.try({ try: () => utf8.decode(bytes.success), catch: () => [`${path}: is not valid UTF-8`] })
  return Result.flatMap(text, (json) =>
    Result.mapError(parseUntrusted(json), ({ issues }) =>
      issues.length === 0 ? [`${path}: is not valid JSON`] : issues.map((line) => `${path}.${line}`)
    )
  )
}

/**
 * Reads the body of a change set, operation by operation, and passes decoded operations to `stage` in parts. All problems
 * of the body are reported together, up to {@link MAX_ISSUES}; after the first, nothing more is stored.
 */
export const receiveChangeSet = Effect.fn("receiveChangeSet")(function* <E>(
  request: IncomingMessage,
  isStrict: boolean,
  stage: (first: number, operations: ReadonlyArray<JsonText>) => Effect.Effect<void, E>
): Effect.fn.Return<ReceivedChangeSet, E | BadRequest | TooManyOperations> {
  const hash = createHash("sha256")
  const issues: Array<string> = []
  const scopes = new Set<(typeof SCOPES_OF_OPERATION)[keyof typeof SCOPES_OF_OPERATION]>()
  let header: unknown
  let count = 0
  let isListed = false

  const addOperation = (bytes: Part["bytes"]): ReadonlyArray<JsonText> => {
    const index = count++
    if (issues.length >= MAX_ISSUES) return []
    const decoded = Result.flatMap(parse(bytes, `operations.${index}`), (operation) =>
      decodeOperationAt(index, operation, isStrict)
    )
    if (Result.isFailure(decoded)) {
      issues.push(...decoded.failure)
      return []
    }
    scopes.add(SCOPES_OF_OPERATION[decoded.success.op])
    hash.update(`${canonical(decoded.success)}\n`)
    return issues.length === 0 ? [JSON.stringify(decoded.success)] : []
  }

  yield* partsOf(request).pipe(
    Stream.rechunk(OPERATIONS_PER_PART),
    Stream.chunks,
    Stream.runForEach((parts) =>
      Effect.gen(function* () {
        const first = count
        const operations = parts.flatMap(({ bytes, kind }) => {
          if (kind === "operation") return addOperation(bytes)
          const parsed = parse(bytes, "body")
          if (Result.isSuccess(parsed)) header = parsed.success
          else issues.push(...parsed.failure)
          return []
        })
        if (count > MAX_OPERATIONS) return yield* new TooManyOperations({ limit: MAX_OPERATIONS })
        isListed ||= count > 0
        if (operations.length > 0) yield* stage(first, operations)
        yield* Effect.yieldNow
      })
    )
  )
  if (issues.length > 0) return yield* badRequest(INVALID, truncateIssues(issues))
  if (!isObject(header)) return yield* badRequest("The body must be a JSON object")
  const { operations: listed, ...rest } = header
  if (isNdjson(request.headers["content-type"]) && listed !== undefined) {
    return yield* badRequest(INVALID, ["operations: must follow the first line, one operation a line"])
  }
  const hasOperations = isListed || listed !== undefined
  const decoded = decodeNew(
    hasOperations ? { ...rest, operations: Array.isArray(listed ?? []) ? [] : listed } : rest,
    isStrict
  )
  if (Result.isFailure(decoded)) return yield* badRequest(INVALID, issuesOf(decoded.failure))
  hash.update(canonical(rest))
  const { change, where } = decoded.success
  return {
    header: decoded.success,
    content: where !== undefined && change !== undefined ? { where, change } : { operations: count, scopes },
    hash: hash.digest()
  }
})
