import { assert, describe, it } from "@effect/vitest"
import { makeDates } from "../../src/web/shared/data/format.ts"

describe("Dates of a store", () => {
  it("dates and times are in the time zone of the store", () => {
    const { clockSpan, day, time } = makeDates("Pacific/Auckland")
    assert.strictEqual(day("2026-01-31T11:30:00Z"), "Feb 1, 2026")
    assert.match(time("2026-01-31T11:30:00Z"), /^Feb 1, 2026, 12:30\sAM$/)
    assert.match(clockSpan("2026-01-31T11:30:00Z", "2026-01-31T11:40:00Z"), /^12:30\s–\s12:40\sAM$/)
    assert.strictEqual(makeDates("America/Los_Angeles").day("2026-01-31T11:30:00Z"), "Jan 31, 2026")
  })

  it("days start at midnight of the store, also around changes of the clock", () => {
    for (const [zone, date, start, next] of [
      ["UTC", "2026-01-31", "2026-01-31T00:00:00.000Z", "2026-02-01T00:00:00.000Z"],
      ["Pacific/Auckland", "2026-04-05", "2026-04-04T11:00:00.000Z", "2026-04-05T12:00:00.000Z"],
      ["America/New_York", "2026-03-08", "2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"],
      ["Asia/Kolkata", "2026-12-31", "2026-12-30T18:30:00.000Z", "2026-12-31T18:30:00.000Z"]
    ] as const) {
      const { dayStart } = makeDates(zone)
      assert.deepStrictEqual([dayStart(date), dayStart(date, 1)], [start, next], zone)
    }
  })

  it("a date some days ago is counted from today in the store", () => {
    const now = Date.parse("2026-03-01T11:30:00Z")
    const { dateDaysAgo } = makeDates("Pacific/Auckland")
    assert.strictEqual(dateDaysAgo(0, now), "2026-03-02")
    assert.strictEqual(dateDaysAgo(7, now), "2026-02-23")
    assert.strictEqual(makeDates("Pacific/Honolulu").dateDaysAgo(1, now), "2026-02-28")
  })
})
