import { Schema } from "effect"

/* Filters in the URL. */

/** Value of a date input. */
export const DateText = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\d$/))

/** Start of a day in the time zone of the browser. */
export const dayStart = (date: string, daysLater = 0): string => {
  const start = new Date(`${date}T00:00:00`)
  start.setDate(start.getDate() + daysLater)
  return start.toISOString()
}

const twoDigits = (part: number) => String(part).padStart(2, "0")

/** Value of a date input for a day in the past, in the time zone of the browser. */
export const dateDaysAgo = (days: number, now = new Date()): string => {
  const at = new Date(now)
  at.setDate(at.getDate() - days)
  return [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-")
}

/** Search with changed members. Empty ones are left out. */
export const withSearch = (search: object, change: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== "")
  )
