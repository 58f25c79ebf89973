import { ExactNumber, type JsonNumber, parse, stringify } from "../../domain/json/ExactJson.ts"

export type { ExactNumber, JsonNumber }

/** Creates a number with all of its digits, as in `exactNumber("0.1234567890123456789")`. */
export const exactNumber = (digits: string): ExactNumber => {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(digits)) throw new TypeError("digits must be a JSON number")
  return new ExactNumber(digits)
}

/** Parses JSON like `JSON.parse`, but numbers keep all digits, as in the responses of the client. */
export const parseJson: (text: string) => unknown = parse

/** Serializes JSON like `JSON.stringify`, but writes an {@link ExactNumber} with all digits. */
export const stringifyJson: (value: unknown) => string = stringify
