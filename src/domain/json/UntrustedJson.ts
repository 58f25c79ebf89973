import { Result } from "effect"
import { lineOf, NUL } from "./Json.ts"
import { truncateIssues, MAX_ISSUES } from "../Limits.ts"
import { formatInteger } from "../Text.ts"
import { NOT_A_DOUBLE, NOT_A_DOUBLE_OR_TEXT, parseNumbers } from "./Numbers.ts"

/*
 * JSON sent by clients: limits on the cost of parsing one text, because one thread serves all stores, and content that
 * no text may have. Web pages load this module only with their forms.
 */

/** Maximum depth of nested arrays and objects. */
export const MAX_DEPTH = 64

/**
 * Maximum number of keys, objects and arrays in one JSON text. Each object and array is an allocation and each distinct
 * key a string, in every pass: they cost up to ten times as much as other items. 2,048 variants with 17 keys each fit.
 */
export const MAX_PARTS = 40_000

/** Maximum number of keys in one object. Larger objects become hash tables, which cost more with every key. */
export const MAX_OBJECT_KEYS = 1000

/** Length of the shortest part with its separator: `{},`. */
const SHORTEST_PART = 3

const [QUOTE, COLON, BRACKET, BACKSLASH, BRACE] = [0x22, 0x3a, 0x5b, 0x5c, 0x7b]

/** Counts keys, objects and arrays without parsing, which would take 40 ms. */
export const hasTooManyParts = (text: string): boolean => {
  if (text.length < MAX_PARTS * SHORTEST_PART) return false
  let parts = 0
  let isInString = false
  for (let at = 0; at < text.length && parts <= MAX_PARTS; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isInString = !isInString
    else if (isInString) at += code === BACKSLASH ? 1 : 0
    else if (code === COLON || code === BRACE || code === BRACKET) parts++
  }
  return parts > MAX_PARTS
}

export const TOO_MANY_PARTS = `must contain at most ${formatInteger(MAX_PARTS)} keys, objects and arrays in total`

/** Members that accept any JSON: opaque values of products, values of app data, values of rules. */
const OPEN_MEMBERS: ReadonlySet<string | number> = new Set(["metafields", "customFields", "value"])

const textProblem = (text: string) => {
  if (text.includes(NUL)) return "must not contain the NUL character"
  return text.isWellFormed() ? undefined : "must not contain an unpaired surrogate"
}

/**
 * Tests whether no string of a JSON text can contain a NUL or an unpaired surrogate. Both need an escape, unless the
 * whole text is malformed.
 */
const isPlain = (json: string): boolean => !json.includes("\\") && json.isWellFormed()

/** Finds invalid content at any depth. Returns one line for each problem: `path: reason`. */
const problems = (value: unknown, isTextPlain: boolean): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let count = 0
  const path: Array<string | number> = []
  const inText = isTextPlain ? () => undefined : textProblem
  // JavaScript treats `__proto__` as a special member and would lose its value, so it is rejected.
  const inKey = (key: string) => (key === "__proto__" ? "must not be __proto__" : inText(key))
  const tell = (reason: string | undefined) => {
    if (reason === undefined) return
    count += 1
    if (count <= MAX_ISSUES) lines.push(lineOf(path, reason))
  }
  const notADouble = () => (path.some((key) => OPEN_MEMBERS.has(key)) ? NOT_A_DOUBLE_OR_TEXT : NOT_A_DOUBLE)
  const enter = (key: string | number, item: unknown) => {
    path.push(key)
    look(item)
    path.pop()
  }
  const look = (value: unknown): void => {
    if (typeof value === "string") return tell(inText(value))
    if (typeof value === "number") return tell(Number.isFinite(value) ? undefined : notADouble())
    if (typeof value !== "object" || value === null) return
    if (path.length === MAX_DEPTH) return tell(`must not be nested deeper than ${MAX_DEPTH} levels`)
    if (Array.isArray(value)) return value.forEach((item, index) => enter(index, item))
    const entries = Object.entries(value)
    if (entries.length > MAX_OBJECT_KEYS) {
      return tell(`must be an object of at most ${formatInteger(MAX_OBJECT_KEYS)} keys`)
    }
    for (const [key, item] of entries) {
      const named = inKey(key)
      if (named === undefined) enter(key, item)
      else tell(`a key ${named}`)
    }
  }
  look(value)
  return truncateIssues(lines, count)
}

/** Rejected text. `issues` is empty if the text is not JSON. */
export interface NotAcceptable {
  readonly issues: ReadonlyArray<string>
}

/** Parses JSON sent by a client. */
export const parseUntrusted = (text: string): Result.Result<unknown, NotAcceptable> => {
  if (hasTooManyParts(text)) return Result.fail({ issues: [TOO_MANY_PARTS] })
  let value: unknown
  try {
    value = parseNumbers(text)
  } catch {
    return Result.fail({ issues: [] })
  }
  const issues = problems(value, isPlain(text))
  return issues.length > 0 ? Result.fail({ issues }) : Result.succeed(value)
}
