import { MAX_TOTAL } from "../../../domain/Query.ts"

/* Formats amounts and counts in the language of the browser. */

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

const plurals = new Intl.PluralRules("en")

/** Count with its noun, such as "1 product" and "12 products". */
export const count = (total: number, singular: string, plural = `${singular}s`): string =>
  `${plainFormat.format(total)} ${plurals.select(total) === "one" ? singular : plural}`

/** Count of the matches of a filter, such as "48 of 1,550 orders". Null stands for more than are counted. */
export const countOf = (matches: number | null, all: number | null | undefined, singular: string): string => {
  const matching = matches === null ? `More than ${plainFormat.format(MAX_TOTAL)}` : plainFormat.format(matches)
  if (all === undefined) return matches === null ? `${matching} ${singular}s` : count(matches, singular)
  return `${matching} of ${all === null ? `more than ${count(MAX_TOTAL, singular)}` : count(all, singular)}`
}
