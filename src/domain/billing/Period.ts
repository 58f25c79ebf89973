import { Schema } from "effect"

/** Billing period of a plan. */
export const Period = Schema.Literals(["month", "year"])
export type Period = typeof Period.Type

const MONTHS: Record<Period, number> = { month: 1, year: 12 }

/** Adds months in UTC: the same day, or the last day of a shorter month. */
const monthsAfter = (time: Date, months: number) => {
  const later = new Date(time)
  later.setUTCDate(1)
  later.setUTCMonth(later.getUTCMonth() + months)
  const days = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate()
  later.setUTCDate(Math.min(time.getUTCDate(), days))
  return later
}

/**
 * Returns the end of the period that contains `now`. All periods are counted from `start`, so that a subscription from
 * the 31st ends on the 31st in every month that has one.
 */
export const periodEnd = (start: Date, period: Period, now: Date): Date => {
  const elapsed = (now.getUTCFullYear() - start.getUTCFullYear()) * 12 + now.getUTCMonth() - start.getUTCMonth()
  const whole = Math.max(1, Math.floor(elapsed / MONTHS[period]))
  const end = monthsAfter(start, whole * MONTHS[period])
  return end > now ? end : monthsAfter(start, (whole + 1) * MONTHS[period])
}
