import { COUNTRIES } from "../../../domain/access/Settings.ts"

/* Countries, languages and time zones, in the words of the browser's language. */

/** What can be chosen. */
export interface Choice {
  readonly value: string
  readonly name: string
}

/** Every country, by its name. */
export const countries = (): ReadonlyArray<Choice> => {
  const names = new Intl.DisplayNames(undefined, { type: "region" })
  return [...COUNTRIES]
    .map((value) => ({ value, name: names.of(value) ?? value }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

/** Every time zone that the browser knows, and the one that is set. */
export const timezones = (set: string): ReadonlyArray<string> =>
  [...new Set([set, "UTC", ...Intl.supportedValuesOf("timeZone")])].toSorted()

/** What a language tag stands for, as in "German (Germany)"; nothing of one that stands for none. */
export const languageName = (tag: string): string | undefined => {
  try {
    return new Intl.DisplayNames(undefined, { type: "language", fallback: "none" }).of(tag)
  } catch {
    return undefined
  }
}

const BROWSERS = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"]
] as const

const SYSTEMS = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["Linux", "Linux"]
] as const

const nameOfSign = (userAgent: string, among: ReadonlyArray<readonly [sign: string, name: string]>) =>
  among.find(([sign]) => userAgent.includes(sign))?.[1]

/** A browser by the name that people know it by, as in "Firefox on Linux"; what is none as it calls itself. */
export const browserName = (userAgent: string | null): string => {
  if (userAgent === null) return "Unknown browser"
  const browser = nameOfSign(userAgent, BROWSERS)
  const system = nameOfSign(userAgent, SYSTEMS)
  if (browser === undefined) return userAgent
  return system === undefined ? browser : `${browser} on ${system}`
}
