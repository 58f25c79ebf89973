import { BigDecimal } from "effect"

/*
 * Numbers of JSON texts. `JSON.parse` rounds a number that a double does not hold, without an error, so that the service
 * would store another value than the client sent. RFC 7493 (I-JSON), section 2.2, advises text for such numbers.
 */

/** Maximum magnitude of an amount (docs/spec/values.md). */
export const MAX_NUMBER = 999_999_999_999_999

/** Reason why a number is rejected. A double holds all usual numbers of 15 digits. */
export const NOT_A_DOUBLE = "must be a number that a double (IEEE 754) holds; round it to at most 15 digits"

/** The same reason where any value is accepted, with the advice of RFC 7493. */
export const NOT_A_DOUBLE_OR_TEXT = `${NOT_A_DOUBLE}, or send it as text`

const DECIMAL = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i

/** Spells a decimal as digits and a power of ten: equal values have equal spellings. */
const spelled = (decimal: string): string => {
  const [, sign, whole = "", decimals = "", exponent = "0"] = DECIMAL.exec(decimal) ?? []
  const digits = `${whole}${decimals}`.replace(/^0+/, "")
  let end = digits.length
  // `/0+$/` would take quadratic time.
  while (digits[end - 1] === "0") end--
  const power = Number(exponent) - decimals.length + digits.length - end
  return end === 0 ? "0" : `${sign === "-" ? sign : ""}${digits.slice(0, end)}e${power}`
}

/** Converts decimal text to the number that prints as the same value. Returns NaN if there is none. */
export const toDouble = (decimal: string): number => {
  const number = Number(decimal)
  // A double holds all decimals of up to 15 digits that are not close to zero.
  if (decimal.length <= 15 && Number.isFinite(number) && Math.abs(number) > 1e-300) return number
  const printed = String(number)
  return printed === decimal || spelled(printed) === spelled(decimal) ? number : Number.NaN
}

/**
 * Matches a number of 16 or more digits (a point allowed), or with an exponent of 3 or more. A double holds all others.
 * The leading characters exclude most text, so that ids and times do not select the slow path.
 */
const MAY_BE_ROUNDED = /(?:^|[[:,\s])-?\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d{3})/

/** Matches a JSON string or such a number. Strings are matched so that digits inside them are skipped. */
const STRINGS_AND_LONG_NUMBERS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d(?:[\d.]{15,}(?:[eE][+-]?\d+)?|[\d.]*[eE][+-]?\d{3,})/g

/** Parses JSON. A number that no double holds becomes infinite, as no other number of a JSON text does. */
export const parseNumbers = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  if (!MAY_BE_ROUNDED.test(text)) return value
  const marked = text.replace(STRINGS_AND_LONG_NUMBERS, (token) =>
    token.startsWith('"') || !Number.isNaN(toDouble(token)) ? token : "1e999"
  )
  return marked === text ? value : JSON.parse(marked)
}

/** Converts a computed decimal to the number with the same value. Returns NaN if no double has it. */
export const doubleOf = (decimal: BigDecimal.BigDecimal): number => toDouble(BigDecimal.format(decimal))

/** Adds two numbers as decimals: 0.1 + 0.2 is 0.3. Returns NaN if no double has the sum. */
export const plus = (a: number, b: number): number =>
  doubleOf(BigDecimal.sum(BigDecimal.fromNumberUnsafe(a), BigDecimal.fromNumberUnsafe(b)))
