import { grouped } from "./Text.ts"

/*
 * Bounds on what one JSON text may cost the process, which has one thread for all stores: what it may hold, and how many
 * issues of it are listed.
 */

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

/** Issues that an answer lists: a body of a megabyte can hold 350,000 wrong values. */
export const MAX_ISSUES = 100

/** At most `max` of the lines; the last one counts the others, of which there are `count` in all. */
export const listed = (lines: ReadonlyArray<string>, count = lines.length, max = MAX_ISSUES): ReadonlyArray<string> =>
  count <= max ? lines : [...lines.slice(0, max - 1), `${grouped(count - max + 1)} more issues are not listed`]
