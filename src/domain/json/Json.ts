import { BigDecimal } from "effect"
import { cutText } from "../Text.ts"
import { ExactNumber, isObject, type JsonNumber, NUL, stringify } from "./ExactJson.ts"

export {
  bareNumbers,
  ExactNumber,
  isObject,
  type JsonNumber,
  type JsonObject,
  MAY_BE_INEXACT,
  NUL,
  parse,
  parseExact,
  stringify,
  STRINGS_AND_INEXACT
} from "./ExactJson.ts"

/** Tests whether a copied object was an {@link ExactNumber} before a schema rebuilt it. */
export const wasNumber = (value: object): boolean => Object.hasOwn(value, NUL)

/** Converts a number to a decimal, keeping all digits. */
export const decimal = (value: JsonNumber): BigDecimal.BigDecimal =>
  BigDecimal.fromStringUnsafe(value instanceof ExactNumber ? value.text : String(value))

/** Tests whether `a` is less than `b`, comparing all digits: two different numbers may be equal as floats. */
export const isBelow = (a: JsonNumber, b: JsonNumber): boolean =>
  Number(a) < Number(b) || (Number(a) === Number(b) && BigDecimal.isLessThan(decimal(a), decimal(b)))

export const isEqual = (a: JsonNumber, b: JsonNumber): boolean => BigDecimal.equals(decimal(a), decimal(b))

/** Formats a decimal without an exponent. */
const plain = ({ scale, value }: BigDecimal.BigDecimal): string => {
  const sign = value < 0n ? "-" : ""
  const digits = `${value < 0n ? -value : value}`.padStart(scale + 1, "0")
  return scale > 0
    ? `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
    : `${sign}${digits}${"0".repeat(-scale)}`
}

/** Formats a number as a decimal without an exponent, with all its digits. */
export const decimalText = (value: JsonNumber): string => plain(decimal(value))

/** Adds two numbers exactly: 0.1 + 0.2 is 0.3. */
export const plus = (a: JsonNumber, b: JsonNumber): JsonNumber => {
  const text = plain(BigDecimal.normalize(BigDecimal.sum(decimal(a), decimal(b))))
  return isEqual(Number(text), new ExactNumber(text)) ? Number(text) : new ExactNumber(text)
}

/** Maximum magnitude of a number in any field (docs/spec/values.md). */
export const MAX_NUMBER = 999_999_999_999_999

/** Maximum length of the decimal text of a number: far above any price, far below the 16,383 decimals of `numeric`. */
export const MAX_DIGITS = 255

/** Serializes a value canonically: independent of key order, white space and the spelling of numbers. */
export const canonical = (value: unknown): string => stringify(sorted(value))

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Number of significant digits that every float represents exactly. */
const FLOAT_DIGITS = 15

/**
 * Returns the canonical spelling: `1e2` becomes `100`; digits beyond float precision become an integer with an
 * exponent.
 */
const spelled = ({ text }: ExactNumber): JsonNumber => {
  const [, sign = "", whole = "", decimals = "", exponent = "0"] = DECIMAL.exec(text) ?? []
  const digits = `${whole}${decimals}`.replace(/^0+/, "")
  const significant = digits.replace(/0+$/, "")
  const power = Number(exponent) - decimals.length + digits.length - significant.length
  return significant.length <= FLOAT_DIGITS ? Number(text) : new ExactNumber(`${sign}${significant}e${power}`)
}

/** Converts a calculated decimal to a JSON number with all its digits. */
export const numberOf = (value: BigDecimal.BigDecimal): JsonNumber => spelled(new ExactNumber(BigDecimal.format(value)))

/** Copies a value with sorted keys. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (value instanceof ExactNumber) return spelled(value)
  if (!isObject(value)) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value).toSorted()) copy[key] = sorted(value[key])
  return copy
}

/**
 * Limit for exponents. Numbers closer to zero, and zeros with such an exponent, have more decimals than `numeric`
 * holds.
 */
const MIN_EXPONENT = 300

/** Returns the reason why the service rejects a number, or undefined. */
export const numberProblem = (value: JsonNumber): string | undefined => {
  const magnitude = Math.abs(Number(value))
  const tooLarge = `must be a number of at most ${MAX_NUMBER}`
  if (magnitude > MAX_NUMBER) return tooLarge
  if (!(value instanceof ExactNumber)) return undefined
  const [digits = "", exponent = "0"] = value.text.split(/[eE]/)
  const vanished = magnitude < 1e-300 && (/[1-9]/.test(digits) || Math.abs(Number(exponent)) > MIN_EXPONENT)
  if (vanished || value.text.length > MAX_DIGITS) return `must be a number of at most ${MAX_DIGITS} digits`
  return magnitude === MAX_NUMBER && isBelow(MAX_NUMBER, new ExactNumber(value.text.replace(/^-/, "")))
    ? tooLarge
    : undefined
}

/** Maximum length of a path in characters: a key can be as long as the body, and each of its values can add a line. */
const MAX_PATH = 255

/** Formats the path of a value, such as `variants.0.price`, truncated to 255 characters. */
export const pathOf = (keys: ReadonlyArray<PropertyKey>): string => {
  let path = ""
  for (const key of keys) {
    const name = String(key).slice(0, MAX_PATH + 1)
    path = path === "" ? name : `${path}.${name}`
    if (path.length > MAX_PATH) return `${cutText(path, MAX_PATH)}…`
  }
  return path
}

/** Formats a problem with its path. A problem of the whole value has no path. */
export const lineOf = (keys: ReadonlyArray<PropertyKey>, reason: string): string =>
  keys.length === 0 ? reason : `${pathOf(keys)}: ${reason}`

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g

/** Returns the exact text of a member of a JSON object, or of the last member with that name. `json` must be valid. */
export const memberText = (json: string, name: string): string | undefined => {
  let text: string | undefined
  let depth = 0
  let before = ""
  let start: number | undefined
  for (const { 0: token, index } of json.matchAll(TOKENS)) {
    if (depth === 1 && start !== undefined && (token === "," || token === "}")) {
      text = json.slice(start, index).trim()
      start = undefined
    }
    if (token === "{" || token === "[") depth++
    if (token === "}" || token === "]") depth--
    if (depth === 1 && token === ":" && JSON.parse(before) === name) start = index + 1
    before = token
  }
  return text
}
