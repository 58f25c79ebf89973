/*
 * JSON that keeps the digits of its numbers. The client libraries bundle this file, one of them without dependencies:
 * do not import anything here.
 */

/** Marks an {@link ExactNumber}, also in copies. No accepted text or key contains this character. */
export const NUL = "\u0000"

/**
 * Number that a JavaScript number may not represent, with all its digits, such as `0.1234567890123456789`. The service
 * keeps every number as sent (decisions, section 1). `Number(price)` returns the nearest JavaScript number. Sending the
 * value back keeps its digits.
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

  /** Returns the digits behind a mark, so that {@link stringify} can remove the quotes. */
  toJSON(): string {
    return `${NUL}${this.text}`
  }
}

/** Number of the service: an {@link ExactNumber} where a JavaScript number would lose digits, which is rare. */
export type JsonNumber = number | ExactNumber

export type JsonObject = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)

/**
 * Matches 16 or more digits (a point allowed) or an exponent: the only spellings that a float may not represent. The
 * leading characters exclude most text, so that ids and times do not select the slow path.
 */
export const MAY_BE_INEXACT = /(?:^|[[:,\s])-?\d(?:[\d.]{15}|[\d.]*[eE])/

/** Matches a JSON string or such a number. Strings are matched so that digits inside them are skipped. */
export const STRINGS_AND_INEXACT = /"(?:[^"\\]|\\.)*"|-?(?:\d[\d.]{15,}(?:[eE][+-]?\d+)?|[\d.]+[eE][+-]?\d+)/g

const revive = (_: string, value: unknown) =>
  typeof value === "string" && value.startsWith(NUL) ? new ExactNumber(value.slice(1)) : value

export const parseExact = (text: string): unknown =>
  JSON.parse(
    text.replace(STRINGS_AND_INEXACT, (token) => (token.startsWith('"') ? token : `"\\u0000${token}"`)),
    revive
  )

/** Parses JSON that this service wrote, keeping the digits of its numbers. */
export const parse = (text: string): unknown => (MAY_BE_INEXACT.test(text) ? parseExact(text) : JSON.parse(text))

/** Converts a value to JSON text, with all digits of every {@link ExactNumber}. */
export const stringify = (value: unknown): string => bareNumbers(JSON.stringify(value))

/** Removes the marks and quotes of {@link ExactNumber}s from JSON text that another serializer produced. */
export const bareNumbers = (text: string): string =>
  text.includes("\\u0000") ? text.replace(/"\\u0000([^"]+)"/g, "$1") : text
