import { BigDecimal } from "effect"
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

/** Whether an object that a schema took apart and put together again was a number. */
export const wasNumber = (value: object): boolean => Object.hasOwn(value, NUL)

/** A number with all of its digits, to reckon with. */
export const decimal = (value: JsonNumber): BigDecimal.BigDecimal =>
  BigDecimal.fromStringUnsafe(value instanceof ExactNumber ? value.text : String(value))

/** Whether `a` is below `b`, to the last digit: as floats two different numbers may be one. */
export const isBelow = (a: JsonNumber, b: JsonNumber): boolean =>
  Number(a) < Number(b) || (Number(a) === Number(b) && BigDecimal.isLessThan(decimal(a), decimal(b)))

export const isEqual = (a: JsonNumber, b: JsonNumber): boolean => BigDecimal.equals(decimal(a), decimal(b))

/** Without an exponent. */
const plain = ({ scale, value }: BigDecimal.BigDecimal): string => {
  const sign = value < 0n ? "-" : ""
  const digits = `${value < 0n ? -value : value}`.padStart(scale + 1, "0")
  return scale > 0
    ? `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
    : `${sign}${digits}${"0".repeat(-scale)}`
}

/** The sum, to the last digit: 0.1 and 0.2 are 0.3. */
export const plus = (a: JsonNumber, b: JsonNumber): JsonNumber => {
  const text = plain(BigDecimal.normalize(BigDecimal.sum(decimal(a), decimal(b))))
  return isEqual(Number(text), new ExactNumber(text)) ? Number(text) : new ExactNumber(text)
}

/** The largest magnitude of a number, in any field (decisions, section 1). */
export const MAX_NUMBER = 999_999_999_999_999

/** The longest decimal text of a number: far above any price, far below the 16,383 decimals of `numeric`. */
export const MAX_DIGITS = 255

/**
 * JSON text in which neither the order of keys nor white space nor the spelling of a number matters: the same for bodies
 * that say the same.
 */
export const canonical = (value: unknown): string => stringify(sorted(value))

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Digits that a float holds, whatever they are. */
const FLOAT_DIGITS = 15

/** One spelling for each number: `1e2` is `100`, and what a float does not hold is its digits and an exponent. */
const spelled = ({ text }: ExactNumber): JsonNumber => {
  const [, sign = "", whole = "", decimals = "", exponent = "0"] = DECIMAL.exec(text) ?? []
  const digits = `${whole}${decimals}`.replace(/^0+/, "")
  const significant = digits.replace(/0+$/, "")
  const power = Number(exponent) - decimals.length + digits.length - significant.length
  return significant.length <= FLOAT_DIGITS ? Number(text) : new ExactNumber(`${sign}${significant}e${power}`)
}

/** What was reckoned, with all of its digits. */
export const numberOf = (value: BigDecimal.BigDecimal): JsonNumber => spelled(new ExactNumber(BigDecimal.format(value)))

/** A copy with the keys in order. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (value instanceof ExactNumber) return spelled(value)
  if (!isObject(value)) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value).toSorted()) copy[key] = sorted(value[key])
  return copy
}

/** A number closer to zero has more decimals than `numeric` holds; so has a zero of such an exponent. */
const MIN_EXPONENT = 300

/** Why a number is none that the service takes, if it is not. */
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

/** Characters of a path in a line: a key may be as long as the body, and there may be a line for each of its values. */
const MAX_PATH = 255

/** Where a value stands, as in `variants.0.price`; cut short where it would be longer than a line is read. */
export const pathOf = (keys: ReadonlyArray<PropertyKey>): string => {
  let path = ""
  for (const key of keys) {
    const name = String(key).slice(0, MAX_PATH + 1)
    path = path === "" ? name : `${path}.${name}`
    if (path.length > MAX_PATH) return `${path.slice(0, MAX_PATH).toWellFormed()}…`
  }
  return path
}

/** What is wrong and where; of the whole value there is no place to name. */
export const lineOf = (keys: ReadonlyArray<PropertyKey>, reason: string): string =>
  keys.length === 0 ? reason : `${pathOf(keys)}: ${reason}`

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g

/** The text of a member of an object, to the letter; of several the last, as everywhere. `json` was parsed before. */
export const memberText = (json: string, name: string): string | undefined => {
  let found: string | undefined
  let depth = 0
  let before = ""
  let start: number | undefined
  for (const { 0: token, index } of json.matchAll(TOKENS)) {
    if (depth === 1 && start !== undefined && (token === "," || token === "}")) {
      found = json.slice(start, index).trim()
      start = undefined
    }
    if (token === "{" || token === "[") depth++
    if (token === "}" || token === "]") depth--
    if (depth === 1 && token === ":" && JSON.parse(before) === name) start = index + 1
    before = token
  }
  return found
}
