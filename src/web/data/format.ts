import { ExactNumber, type JsonNumber } from "../../domain/Json.ts"

/* Amounts, times and counts as people of this browser's language read them. What is exact stays exact. */

/** For `Intl`, which takes decimal text with all of its digits. */
const textOf = (amount: JsonNumber) => (amount instanceof ExactNumber ? amount.text : String(amount))

const isDecimal = (text: string): text is `${number}` => Number.isFinite(Number(text))

const digits = (format: Intl.NumberFormat, amount: JsonNumber) => {
  const text = textOf(amount)
  return isDecimal(text) ? format.format(text) : text
}

const moneyFormats = new Map<string, Intl.NumberFormat>()

const moneyFormat = (currency: string) => {
  const known = moneyFormats.get(currency)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency })
  moneyFormats.set(currency, format)
  return format
}

/** An amount of money, as in €19.50. */
export const money = (amount: JsonNumber, currency: string): string => digits(moneyFormat(currency), amount)

const plainFormat = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 })

/** A number, as in 1,234.5. */
export const number = (amount: JsonNumber): string => digits(plainFormat, amount)

const plurals = new Intl.PluralRules("en")

/** How many there are, as in "1 product" and "12 products". */
export const count = (total: number, singular: string, plural = `${singular}s`): string =>
  `${plainFormat.format(total)} ${plurals.select(total) === "one" ? singular : plural}`

const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })

/** A moment with its day, as in Jan 31, 2026, 9:30 AM, in the time zone of the browser. */
export const time = (at: Date | string): string => timeFormat.format(new Date(at))

/** The day of a moment. */
export const day = (at: Date | string): string => dayFormat.format(new Date(at))

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" })

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60]
] as const

/** How long ago, as in "3 minutes ago". */
export const ago = (at: Date | string, now = Date.now()): string => {
  const seconds = (new Date(at).getTime() - now) / 1000
  const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1]
  return relative.format(Math.round(seconds / length), unit)
}
