/*
 * JSON whose numbers keep their digits. The clients are made of this file, one of which has no dependencies: it imports
 * nothing.
 */

/** No accepted text or key holds it, so it marks what is not text: an {@link ExactNumber}, also once it is copied. */
export const NUL = "\u0000"

/**
 * A number that a JavaScript number may not hold, with all of its digits, as in `0.1234567890123456789`: the service keeps
 * every number as it was sent (decisions, section 1). `Number(price)` is the nearest number there is. Sent back, it is
 * what it was.
 */
export class ExactNumber {
  readonly [NUL]: string

  constructor(text: string) {
    this[NUL] = text
  }

  get text(): string {
    return this[NUL]
  }

  valueOf(): number {
    return Number(this.text)
  }

  /** Marked, so that {@link stringify} can put the bare digits back. */
  toJSON(): string {
    return `${NUL}${this.text}`
  }
}

/** A number of the service: an {@link ExactNumber} where a JavaScript number would lose digits, which few have. */
export type JsonNumber = number | ExactNumber

export type JsonObject = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)

/**
 * Sixteen digits in a row (a point allowed) or an exponent: the only spellings a float may fail to hold. What stands
 * before tells most numbers from text, so that ids and times do not send a document the slow way.
 */
export const MAY_BE_INEXACT = /(?:^|[[:,\s])-?\d(?:[\d.]{15}|[\d.]*[eE])/

/** A JSON string, or a number of such a spelling. Strings are matched so that digits inside them are passed over. */
export const STRINGS_AND_INEXACT = /"(?:[^"\\]|\\.)*"|-?(?:\d[\d.]{15,}(?:[eE][+-]?\d+)?|[\d.]+[eE][+-]?\d+)/g

const revive = (_: string, value: unknown) =>
  typeof value === "string" && value.startsWith(NUL) ? new ExactNumber(value.slice(1)) : value

export const parseExact = (text: string): unknown =>
  JSON.parse(
    text.replace(STRINGS_AND_INEXACT, (token) => (token.startsWith('"') ? token : `"\\u0000${token}"`)),
    revive
  )

/** JSON that this service wrote itself, with the digits of its numbers. */
export const parse = (text: string): unknown => (MAY_BE_INEXACT.test(text) ? parseExact(text) : JSON.parse(text))

/** A value to JSON text, every {@link ExactNumber} with all of its digits. */
export const stringify = (value: unknown): string => bareNumbers(JSON.stringify(value))

/** JSON text that was made of values by another, every {@link ExactNumber} with all of its digits. */
export const bareNumbers = (text: string): string =>
  text.includes("\\u0000") ? text.replace(/"\\u0000([^"]+)"/g, "$1") : text
