import { language } from "../../shared/data/language.ts"
import { settingsTexts } from "./settingsTexts.ts"

/* Names of languages, time zones and browsers. */

/** Time zones of the browser, and the current one. */
export const timezones = (set: string): ReadonlyArray<string> =>
  [...new Set([set, "UTC", ...Intl.supportedValuesOf("timeZone")])].toSorted()

/** Name of a language tag, such as "German (Germany)". Undefined if the tag is unknown. */
export const languageName = (tag: string): string | undefined => {
  try {
    return new Intl.DisplayNames(language, { type: "language", fallback: "none" }).of(tag)
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

const nameOfToken = (userAgent: string, names: ReadonlyArray<readonly [token: string, name: string]>) =>
  names.find(([token]) => userAgent.includes(token))?.[1]

/** Readable name of a user agent, such as "Firefox on Linux". */
export const browserName = (userAgent: string | null): string => {
  if (userAgent === null) return settingsTexts.sessions.unknownBrowser
  const browser = nameOfToken(userAgent, BROWSERS)
  const system = nameOfToken(userAgent, SYSTEMS)
  if (browser === undefined) return userAgent
  return system === undefined ? browser : settingsTexts.sessions.browserOnSystem(browser, system)
}
