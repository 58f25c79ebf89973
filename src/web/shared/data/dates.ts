import { createContext, useContext } from "react"
import { locale } from "./language.ts"

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
