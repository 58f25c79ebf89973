import { Result } from "effect"
import { ExactNumber, lineOf, MAY_BE_INEXACT, NUL, numberProblem, parseExact, STRINGS_AND_INEXACT } from "./Json.ts"
import { listed, MAX_ISSUES } from "./Limits.ts"
import { grouped } from "./Text.ts"

/*
 * JSON that a client sent: bounds on what one text may cost the process, which has one thread for all stores, and what no
 * text may hold. Pages load it only with their forms.
 */

/** Levels of nested arrays and objects. */
export const MAX_DEPTH = 64

/**
 * Keys, objects and arrays that one JSON text may have together. Each is an allocation, and each distinct key a string, in
 * every pass over the text: they cost up to ten times as much as other items. 2,048 variants with 17 keys each fit.
 */
export const MAX_PARTS = 40_000

/** Keys that one object may have: a larger one becomes a hash table, which costs more with every key. */
export const MAX_OBJECT_KEYS = 1000

/** Numbers of one JSON text that a float may not hold: each is read and compared digit by digit. */
export const MAX_INEXACT = 20_000

/** Checks for more than `max` matches of a token. */
export const hasMore = (text: string, pattern: RegExp, isCounted: (token: string) => boolean, max: number): boolean => {
  let count = 0
  for (const [token] of text.matchAll(pattern)) {
    if (isCounted(token) && ++count > max) return true
  }
  return false
}

/** The shortest text of a part and what follows it: `{},`. */
const SHORTEST_PART = 3

const [QUOTE, COLON, BRACKET, BACKSLASH, BRACE] = [0x22, 0x3a, 0x5b, 0x5c, 0x7b]

/** Counts keys, objects and arrays of a JSON text without parsing it, which alone would take 40 ms. */
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

export const TOO_MANY_INEXACT = `must hold at most ${grouped(MAX_INEXACT)} numbers with an exponent or more than 15 digits`

export const TOO_MANY_PARTS = `must hold at most ${grouped(MAX_PARTS)} keys, objects and arrays together`

const textProblem = (text: string) => {
  if (text.includes(NUL)) return "must not hold the NUL character"
  return text.isWellFormed() ? undefined : "must not hold half of a surrogate pair"
}

/**
 * Checks all text of a JSON text at once. NUL and half of a surrogate pair need an escape there, unless the whole is not
 * well formed.
 */
const isPlain = (json: string): boolean => !json.includes("\\") && json.isWellFormed()

/** Finds values that no body may hold, wherever they are. One line each: `path: reason`. */
const problems = (value: unknown, anyNumber: boolean, isTextPlain: boolean): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let count = 0
  const path: Array<string | number> = []
  const inText = isTextPlain ? () => undefined : textProblem
  // `__proto__` is no ordinary member to JavaScript: it would be lost on the way, so it is refused.
  const inKey = (key: string) => (key === "__proto__" ? "must not be __proto__" : inText(key))
  const tell = (reason: string | undefined) => {
    if (reason === undefined) return
    count += 1
    if (count <= MAX_ISSUES) lines.push(lineOf(path, reason))
  }
  const enter = (key: string | number, item: unknown) => {
    path.push(key)
    look(item)
    path.pop()
  }
  const look = (value: unknown): void => {
    if (typeof value === "string") return tell(inText(value))
    if (typeof value === "number" || value instanceof ExactNumber) {
      return tell(anyNumber ? undefined : numberProblem(value))
    }
    if (typeof value !== "object" || value === null) return
    if (path.length === MAX_DEPTH) return tell(`must not be nested deeper than ${MAX_DEPTH} levels`)
    if (Array.isArray(value)) return value.forEach((item, index) => enter(index, item))
    const entries = Object.entries(value)
    // What is kept verbatim is not taken apart, so its objects may be of any size.
    if (entries.length > MAX_OBJECT_KEYS && !(anyNumber && path.length > 0)) {
      return tell(`must be an object of at most ${grouped(MAX_OBJECT_KEYS)} keys`)
    }
    for (const [key, item] of entries) {
      const named = inKey(key)
      if (named === undefined) enter(key, item)
      else tell(`a key ${named}`)
    }
  }
  look(value)
  return listed(lines, count)
}

/** The text was not JSON at all (no issues), or holds what no body may hold. */
export interface NotAcceptable {
  readonly issues: ReadonlyArray<string>
}

/**
 * JSON that a client sent. The first pass bounds its depth, so that the second may recurse. With `anyNumber` it may hold
 * numbers that the service does not calculate with.
 */
export const parseUntrusted = (text: string, anyNumber = false): Result.Result<unknown, NotAcceptable> => {
  if (hasTooManyParts(text)) return Result.fail({ issues: [TOO_MANY_PARTS] })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return Result.fail({ issues: [] })
  }
  const isTextPlain = isPlain(text)
  const first = problems(value, anyNumber, isTextPlain)
  if (first.length > 0 || !MAY_BE_INEXACT.test(text)) {
    return first.length > 0 ? Result.fail({ issues: first }) : Result.succeed(value)
  }
  if (hasMore(text, STRINGS_AND_INEXACT, (token) => !token.startsWith('"'), MAX_INEXACT)) {
    return Result.fail({ issues: [TOO_MANY_INEXACT] })
  }
  const exact = parseExact(text)
  const second = problems(exact, anyNumber, isTextPlain)
  return second.length > 0 ? Result.fail({ issues: second }) : Result.succeed(exact)
}
