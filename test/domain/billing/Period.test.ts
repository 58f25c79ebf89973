import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { type Period, periodEnd } from "../../../src/domain/billing/Period.ts"

const endOf = (start: string, period: Period, now: string) =>
  periodEnd(new Date(start), period, new Date(now)).toISOString()

describe("Billing period", () => {
  it("a period ends on the day it began, or on the last day of a shorter month", () => {
    const start = "2026-01-31T09:30:00.000Z"
    const ends = [
      ["2026-01-31T09:30:00.000Z", "2026-02-28T09:30:00.000Z"],
      ["2026-02-28T09:29:59.999Z", "2026-02-28T09:30:00.000Z"],
      ["2026-02-28T09:30:00.000Z", "2026-03-31T09:30:00.000Z"],
      ["2026-04-15T00:00:00.000Z", "2026-04-30T09:30:00.000Z"],
      ["2027-12-31T09:30:00.000Z", "2028-01-31T09:30:00.000Z"],
      ["2028-02-01T00:00:00.000Z", "2028-02-29T09:30:00.000Z"]
    ] as const
    for (const [now, end] of ends) assert.strictEqual(endOf(start, "month", now), end)
    const leap = "2028-02-29T00:00:00.000Z"
    assert.strictEqual(endOf(leap, "year", leap), "2029-02-28T00:00:00.000Z")
    assert.strictEqual(endOf(leap, "year", "2031-06-01T00:00:00.000Z"), "2032-02-29T00:00:00.000Z")
  })

  it("a period end is in the future by at most one period and starts the next one", () => {
    const time = FastCheck.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
    FastCheck.assert(
      FastCheck.property(time, time, FastCheck.constantFrom<Period>("month", "year"), (a, b, period) => {
        const [start, now] = a < b ? [a, b] : [b, a]
        const end = periodEnd(start, period, now)
        const days = (end.getTime() - now.getTime()) / 86_400_000
        assert.isAbove(days, 0)
        assert.isAtMost(days, period === "month" ? 31 : 366)
        const justBefore = new Date(end.getTime() - 1)
        if (justBefore >= start) assert.deepStrictEqual(periodEnd(start, period, justBefore), end)
      })
    )
  })
})
