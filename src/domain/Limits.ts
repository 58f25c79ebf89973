import { grouped } from "./Text.ts"

/*
 * Bounds on what one JSON text may cost the process, which has one thread for all stores: what it may hold, and how many
 * issues of it are listed.
 */

/**
 * Keys that all objects of one JSON text may have together. Each distinct key is a string of its own to every pass over the
 * text, so keys cost ten times as much as items. 2,048 variants with 19 keys each fit.
 */
export const MAX_KEYS = 40_000

/** Keys that one object may have: a larger one becomes a hash table, which costs more with every key. */
export const MAX_OBJECT_KEYS = 1000

/** Numbers of one JSON text that a float may not hold: each is read and compared digit by digit. */
export const MAX_INEXACT = 20_000

const STRINGS_AND_COLONS = /"[^"\\]*(?:\\.[^"\\]*)*"|:/g

/** Checks for more than `max` matches of a token. */
export const hasMore = (text: string, pattern: RegExp, isCounted: (token: string) => boolean, max: number): boolean => {
  let count = 0
  for (const [token] of text.matchAll(pattern)) {
    if (isCounted(token) && ++count > max) return true
  }
  return false
}

/** The shortest text of a member and what parts it from the next: `"":1,`. */
const SHORTEST_MEMBER = 5

/** Checks the keys of all objects of a JSON text together. A short text, or one with few colons, is not scanned. */
export const hasTooManyKeys = (text: string): boolean => {
  if (text.length < MAX_KEYS * SHORTEST_MEMBER) return false
  let colons = 0
  for (let at = text.indexOf(":"); at !== -1 && colons <= MAX_KEYS; at = text.indexOf(":", at + 1)) colons++
  return colons > MAX_KEYS && hasMore(text, STRINGS_AND_COLONS, (token) => token === ":", MAX_KEYS)
}

export const TOO_MANY_INEXACT = `must hold at most ${grouped(MAX_INEXACT)} numbers with an exponent or more than 15 digits`

export const TOO_MANY_KEYS = `must hold at most ${grouped(MAX_KEYS)} keys in all of its objects together`

/** Issues that an answer lists: a body of a megabyte can hold 350,000 wrong values. */
export const MAX_ISSUES = 100

/** At most `max` of the lines; the last one counts the others, of which there are `count` in all. */
export const listed = (lines: ReadonlyArray<string>, count = lines.length, max = MAX_ISSUES): ReadonlyArray<string> =>
  count <= max ? lines : [...lines.slice(0, max - 1), `${grouped(count - max + 1)} more issues are not listed`]
