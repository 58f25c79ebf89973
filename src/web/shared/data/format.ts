import { createContext, useContext } from "react"
import { MAX_TOTAL } from "../../../domain/Query.ts"
import type { Product } from "../../../domain/catalog/Product.ts"
import { plus } from "../../../domain/json/Numbers.ts"
import { language, locale } from "./language.ts"

/* Formats amounts in the language of the browser, and lists in that of the texts. */

const moneyFormats = new Map<string, Intl.NumberFormat>()

const moneyFormat = (currency: string) => {
  const known = moneyFormats.get(currency)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency })
  moneyFormats.set(currency, format)
  return format
}

/** Amount of money, such as €19.50. */
export const money = (amount: number, currency: string): string => moneyFormat(currency).format(amount)

const changeFormat = new Intl.NumberFormat(undefined, {
  style: "percent",
  signDisplay: "exceptZero",
  maximumFractionDigits: 0
})

/** Change from one amount to another, such as +12%. The first is not zero. */
export const percentChange = (before: number, after: number): string => changeFormat.format(after / before - 1)

const plainFormat = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 })

/** Number, such as 1,234.5. */
export const number = (amount: number): string => plainFormat.format(amount)

const lists = new Intl.ListFormat(language)

/** Parts of a sentence, such as "products, orders and customers". */
export const sentenceList = (parts: Iterable<string>): string => lists.format(parts)

const choices = new Intl.ListFormat(language, { type: "disjunction" })

/** Choices in a sentence, such as "480.50 or 480,50". */
export const alternatives = (parts: Iterable<string>): string => choices.format(parts)

interface CountTexts {
  readonly total: (total: number) => string
  readonly moreThan: (total: number) => string
  readonly of: (matches: string, total: number) => string
  readonly ofMoreThan: (matches: string, total: number) => string
}

/**
 * Count of the matches of a filter, such as "48 of 1,550 orders". Null stands for more than are counted, and `all` is
 * undefined without a filter.
 */
export const countOf =
  (texts: CountTexts) =>
  (matches: number | null, all?: number | null): string => {
    if (matches === null) return texts.moreThan(MAX_TOTAL)
    if (all === undefined) return texts.total(matches)
    return all === null ? texts.ofMoreThan(number(matches), MAX_TOTAL) : texts.of(number(matches), all)
  }

/* Dates in the language of the texts. */

/** Makes the formats of a time zone. Undefined is that of the browser. */
export const makeDates = (timeZone?: string) => {
  const format = (options: Intl.DateTimeFormatOptions, language = locale) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone })
  const times = format({ dateStyle: "medium", timeStyle: "short" })
  const days = format({ dateStyle: "medium" })
  const clock = format({ timeStyle: "short" })
  // A day such as 2026-01-31, and the time of day, to compute with.
  const parts = format({ dateStyle: "short", timeStyle: "medium" }, "sv-SE")

  /** Local date and time in the time zone, read as UTC. */
  const localMillis = (at: number) => Date.parse(`${parts.format(at).replace(" ", "T")}Z`)
  const offsetAt = (at: number) => localMillis(at) - Math.floor(at / 1000) * 1000

  return {
    /** Date and time, such as Jan 31, 2026, 9:30 AM. */
    time: (at: Date | string): string => times.format(new Date(at)),

    /** Date, such as Jan 31, 2026. */
    day: (at: Date | string): string => days.format(new Date(at)),

    /** First and last time of day, such as 14:02–14:10, or one time if both are in one minute. */
    clockSpan: (from: Date | string, to: Date | string): string => clock.formatRange(new Date(from), new Date(to)),

    /** Start of a day, such as 2026-01-31, or of a later one. */
    dayStart: (date: string, daysLater = 0): string => {
      const midnight = Date.parse(`${date}T00:00:00Z`) + daysLater * 86_400_000
      // The second offset is right if the clock changes between the first guess and the start of the day.
      const start = midnight - offsetAt(midnight - offsetAt(midnight))
      return new Date(start).toISOString()
    },

    /** Value of a date input for a day in the past. */
    dateDaysAgo: (days: number, now = Date.now()): string =>
      new Date(localMillis(now) - days * 86_400_000).toISOString().slice(0, 10)
  }
}

export type Dates = ReturnType<typeof makeDates>

/** Dates of the open store. The developer portal has those of the browser. */
export const DatesContext = createContext(makeDates())

export const useDates = (): Dates => useContext(DatesContext)

const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" })

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60]
] as const

/** Relative time, such as "3 minutes ago". */
export const ago = (at: Date | string, now = Date.now()): string => {
  const seconds = (new Date(at).getTime() - now) / 1000
  const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1]
  return relative.format(Math.round(seconds / length), unit)
}

/**
 * Stock that pages show (docs/spec/inventory.md): that of the variants together if there are any, otherwise that of the
 * product. Undefined if the stock is not tracked.
 */
export const shownStock = ({
  stock,
  trackInventory,
  variants
}: Pick<Product, "stock" | "trackInventory" | "variants">): number | undefined => {
  if (!trackInventory) return undefined
  return variants.length === 0 ? stock : variants.reduce((sum, variant) => plus(sum, variant.stock ?? 0), 0)
}
