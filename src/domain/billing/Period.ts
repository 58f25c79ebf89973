import { Schema } from "effect"

/** How long what is paid for lasts. */
export const Period = Schema.Literals(["month", "year"])
export type Period = typeof Period.Type

const MONTHS: Record<Period, number> = { month: 1, year: 12 }

/** So many months later, in UTC: the same day, or the last one of a month that does not have it. */
const monthsAfter = (time: Date, months: number) => {
  const later = new Date(time)
  later.setUTCDate(1)
  later.setUTCMonth(later.getUTCMonth() + months)
  const days = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate()
  later.setUTCDate(Math.min(time.getUTCDate(), days))
  return later
}

/**
 * When the period ends that `now` is in, of those that follow each other from `start` on. Each is counted from `start`, so
 * that what began on the 31st ends on the 31st again wherever there is one.
 */
export const periodEnd = (start: Date, period: Period, now: Date): Date => {
  const elapsed = (now.getUTCFullYear() - start.getUTCFullYear()) * 12 + now.getUTCMonth() - start.getUTCMonth()
  const whole = Math.max(1, Math.floor(elapsed / MONTHS[period]))
  const end = monthsAfter(start, whole * MONTHS[period])
  return end > now ? end : monthsAfter(start, (whole + 1) * MONTHS[period])
}
