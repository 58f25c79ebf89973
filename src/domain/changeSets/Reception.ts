import { Effect, Result, Schema, Stream, Struct } from "effect"
import { BadRequest, INVALID } from "../BadRequest.ts"
import { findRepeatedKey, splitArray } from "../json/ArrayElements.ts"
import { compileDecoder, issuesOf } from "../json/Decoder.ts"
import type { JsonText } from "../json/Document.ts"
import { canonical, isObject, lineOf } from "../json/Json.ts"
import { splitLines } from "../json/Lines.ts"
import { parseUntrusted } from "../json/UntrustedJson.ts"
import { MAX_ISSUES, truncateIssues } from "../Limits.ts"
import { type ChangeSetHeader, MAX_OPERATIONS, NewChangeSet } from "./ChangeSet.ts"
import { TooManyOperations } from "./Refusals.ts"
import type { NewContent } from "./ChangeSets.ts"
import type { ScopeGroup } from "../access/Visibility.ts"
import { Operation, scopeGroupsOfOperation, SCOPES_OF_OPERATION } from "./Operation.ts"

/** Maximum bytes of an operation, and of the header. */
const MAX_PART_BYTES = 1024 * 1024

/** Number of operations that are decoded and stored together: a few milliseconds of work. */
const OPERATIONS_PER_PART = 100

/** Form of a change set as bytes: one JSON object, or lines of which the first is the object without operations. */
export type ChangeSetFormat = "json" | "ndjson"

const OPERATIONS = Struct.keys(SCOPES_OF_OPERATION)

const decodeOperation = compileDecoder(Schema.Struct({ operation: Operation }), { errors: "all" })

/** Decodes the operation at a position of a list. Fails with one line for each problem. */
const decodeOperationAt = (
  index: number,
  operation: unknown,
  isStrict: boolean
): Result.Result<Operation, ReadonlyArray<string>> => {
  const path = `operations.${index}`
  if (!isObject(operation)) return Result.fail([`${path}: must be an object`])
  if (!OPERATIONS.some((name) => name === operation["op"])) {
    return Result.fail([`${path}.op: must be one of ${OPERATIONS.join(", ")}`])
  }
  return Result.mapBoth(decodeOperation({ operation }, isStrict), {
    onFailure: (error) => issuesOf(error).map((line) => line.replace(/^operation/, path)),
    onSuccess: (decoded) => decoded.operation
  })
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decodeNew = compileDecoder(NewChangeSet, { errors: "all" })

/** Part of the body: the object without its operations, or an operation. */
interface Part {
  readonly kind: "header" | "operation"
  readonly bytes: Result.Result<Uint8Array, string>
  /** Key that the header has twice. */
  readonly repeated?: string | undefined
}

/** A change set that was read. Its operations are stored already. */
export interface ReceivedChangeSet {
  readonly header: ChangeSetHeader
  readonly content: NewContent
}

/** Receives what is read. */
interface Receiver<E> {
  /** Stores operations from a position on. */
  readonly stage: (first: number, operations: ReadonlyArray<JsonText>) => Effect.Effect<void, E>
  /** Receives the canonical text of the content, which is the same for both formats. */
  readonly update: (text: string) => unknown
}

const partsOf = <E>(bytes: Stream.Stream<Uint8Array, E>, format: ChangeSetFormat): Stream.Stream<Part, E> =>
  format === "json"
    ? Stream.map(splitArray(bytes, "operations", MAX_PART_BYTES), (part) => ({
        kind: part.kind === "rest" ? "header" : "operation",
        bytes: Result.succeed(part.bytes),
        repeated: part.kind === "rest" ? part.repeated : undefined
      }))
    : splitLines(bytes, MAX_PART_BYTES).pipe(
        Stream.filter(({ bytes }) => Result.isFailure(bytes) || bytes.success.some((byte) => byte > 0x20)),
        Stream.map(({ bytes, number }) =>
          number === 1
            ? {
                kind: "header",
                bytes,
                repeated: Result.isSuccess(bytes) ? findRepeatedKey(bytes.success) : undefined
              }
            : { kind: "operation", bytes }
        )
      )

const badRequest = (reason: string, issues?: ReadonlyArray<string>) => new BadRequest({ reason, issues })

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
 * Reads a change set operation by operation, and passes decoded operations to `stage` in parts. All problems are reported
 * together, up to {@link MAX_ISSUES}; after the first, nothing more is stored.
 */
export const receiveChangeSet = Effect.fn("receiveChangeSet")(function* <ReadError, E>(
  bytes: Stream.Stream<Uint8Array, ReadError>,
  format: ChangeSetFormat,
  isStrict: boolean,
  { stage, update }: Receiver<E>
): Effect.fn.Return<ReceivedChangeSet, E | ReadError | BadRequest | TooManyOperations> {
  const issues: Array<string> = []
  const scopes = new Set<ScopeGroup>()
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
    for (const group of scopeGroupsOfOperation(decoded.success)) scopes.add(group)
    update(`${canonical(decoded.success)}\n`)
    return issues.length === 0 ? [JSON.stringify(decoded.success)] : []
  }

  yield* partsOf(bytes, format).pipe(
    Stream.rechunk(OPERATIONS_PER_PART),
    Stream.chunks,
    Stream.runForEach((parts) =>
      Effect.gen(function* () {
        const first = count
        const operations = parts.flatMap(({ bytes, kind, repeated }) => {
          if (kind === "operation") return addOperation(bytes)
          const parsed = parse(bytes, "body")
          if (Result.isSuccess(parsed) && repeated !== undefined)
            issues.push(lineOf([repeated], "must be given only once"))
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
  if (format === "ndjson" && listed !== undefined) {
    return yield* badRequest(INVALID, ["operations: must follow the first line, one operation a line"])
  }
  const hasOperations = isListed || listed !== undefined
  const decoded = decodeNew(
    hasOperations ? { ...rest, operations: Array.isArray(listed ?? []) ? [] : listed } : rest,
    isStrict
  )
  if (Result.isFailure(decoded)) return yield* badRequest(INVALID, issuesOf(decoded.failure))
  update(canonical(rest))
  const { change, where } = decoded.success
  return {
    header: decoded.success,
    content: where !== undefined && change !== undefined ? { where, change } : { operations: count, scopes }
  }
})
