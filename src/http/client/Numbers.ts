import { ExactNumber as Exact, parse, stringify } from "../../domain/Json.ts"

/**
 * A number that a JavaScript number may not hold, with all of its digits: the service keeps every number as it was sent.
 * `Number(price)` is the nearest number there is. Sent back, it is what it was.
 */
export interface ExactNumber {
  readonly text: string
  readonly valueOf: () => number
}

/** A number of the service: an {@link ExactNumber} where a JavaScript number would lose digits, which few have. */
export type JsonNumber = number | ExactNumber

/** A number with all of these digits, as in `exactNumber("0.1234567890123456789")`. */
export const exactNumber = (digits: string): ExactNumber => {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(digits)) throw new TypeError("digits must be a JSON number")
  return new Exact(digits)
}

/** `JSON.parse`, but that numbers keep their digits, as in the answers of the client. */
export const parseJson: (text: string) => unknown = parse

/** `JSON.stringify`, but that an {@link ExactNumber} is written as the number it is. */
export const stringifyJson: (value: unknown) => string = stringify
