import { ExactNumber, type JsonNumber, parse, stringify } from "../../domain/ExactJson.ts"

export type { ExactNumber, JsonNumber }

/** A number with all of these digits, as in `exactNumber("0.1234567890123456789")`. */
export const exactNumber = (digits: string): ExactNumber => {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(digits)) throw new TypeError("digits must be a JSON number")
  return new ExactNumber(digits)
}

/** `JSON.parse`, but that numbers keep their digits, as in the answers of the client. */
export const parseJson: (text: string) => unknown = parse

/** `JSON.stringify`, but that an {@link ExactNumber} is written as the number it is. */
export const stringifyJson: (value: unknown) => string = stringify
