/*
 * Dates in the language of the texts and the time zone of the open store. The zone is kept here, because sentences and
 * columns outside of components format dates, too. Each store opens with a new page, so that no date of another zone stays.
 */

import { locale } from "./language.ts"

const formatsOf = (timeZone: string | undefined) => ({
  time: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone }),
  day: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone }),
  clock: new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone }),
  // A day such as 2026-01-31, and the time of day, to compute with.
  parts: new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", timeZone })
})

let formats = formatsOf(undefined)

/** Sets the time zone of all dates: that of a store. Undefined is that of the browser. */
export const setTimeZone = (timeZone: string | undefined): void => {
  formats = formatsOf(timeZone)
}

/** Date and time, such as Jan 31, 2026, 9:30 AM. */
export const time = (at: Date | string): string => formats.time.format(new Date(at))

/** Date, such as Jan 31, 2026. */
export const day = (at: Date | string): string => formats.day.format(new Date(at))

/** First and last time of day, such as 14:02–14:10, or one time if both are in one minute. */
export const clockSpan = (from: Date | string, to: Date | string): string =>
  formats.clock.formatRange(new Date(from), new Date(to))

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

/** Local date and time in the time zone, read as UTC. */
const localMillis = (at: number) => Date.parse(`${formats.parts.format(at).replace(" ", "T")}Z`)

const offsetAt = (at: number) => localMillis(at) - Math.floor(at / 1000) * 1000

/** Start of a day, such as 2026-01-31, or of a later one. */
export const dayStart = (date: string, daysLater = 0): string => {
  const midnight = Date.parse(`${date}T00:00:00Z`) + daysLater * 86_400_000
  // The second offset is right if the clock changes between the first guess and the start of the day.
  const start = midnight - offsetAt(midnight - offsetAt(midnight))
  return new Date(start).toISOString()
}

/** Value of a date input for a day in the past. */
export const dateDaysAgo = (days: number, now = Date.now()): string =>
  new Date(localMillis(now) - days * 86_400_000).toISOString().slice(0, 10)
