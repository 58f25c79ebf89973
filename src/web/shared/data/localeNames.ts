import { COUNTRIES } from "../../../domain/access/Settings.ts"
import { CURRENCIES } from "../../../domain/catalog/Currencies.ts"
import { language } from "./language.ts"

/* Names of codes in the language of the texts. */

export interface Choice {
  readonly value: string
  readonly name: string
}

const sorted = (codes: Iterable<string>, nameOf: (code: string) => string): ReadonlyArray<Choice> =>
  [...codes]
    .map((value) => ({ value, name: nameOf(value) }))
    .toSorted((one, other) => one.name.localeCompare(other.name, language))

/** Countries, sorted by name. */
export const countries = (): ReadonlyArray<Choice> => {
  const names = new Intl.DisplayNames(language, { type: "region" })
  return sorted(COUNTRIES, (code) => names.of(code) ?? code)
}

/** Currencies with their codes, sorted by name. */
export const currencies = (): ReadonlyArray<Choice> => {
  const names = new Intl.DisplayNames(language, { type: "currency", fallback: "none" })
  return sorted(CURRENCIES, (code) => {
    const name = names.of(code)
    return name === undefined ? code : `${name} (${code})`
  })
}

const LENGTHS = { mm: "millimeter", cm: "centimeter", m: "meter", in: "inch", ft: "foot" } as const

/** Units of length, from small to large. */
export const lengthUnits = (): ReadonlyArray<Choice> =>
  Object.entries(LENGTHS).map(([value, unit]) => {
    const parts = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).formatToParts(2)
    return { value, name: `${parts.find(({ type }) => type === "unit")?.value ?? value} (${value})` }
  })
