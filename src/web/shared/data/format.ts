import { MAX_TOTAL } from "../../../domain/Query.ts"
import { language } from "./language.ts"

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
