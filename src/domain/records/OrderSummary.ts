import { DateTime, Schema } from "effect"
import { field, withDescription } from "../catalog/Fields.ts"
import { ProductId } from "../catalog/Product.ts"
import { MAX_NUMBER } from "../json/Numbers.ts"

/* Sales of a period (docs/spec/orders-and-customers.md). */

/** Milliseconds that a summary may take. It reads every order of two periods. */
export const SUMMARY_MILLIS = 5000

/** Maximum number of best sellers. */
export const MAX_BEST_SELLERS = 5

/** Periods that a summary has, in days. */
export const PERIODS = [7, 30, 90] as const

export const PeriodDays = Schema.Literals(PERIODS).annotate({
  message: "must be 7, 30 or 90",
  description: "Length of the period in days, which ends now. Today counts as a day"
})
export type PeriodDays = typeof PeriodDays.Type

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Sum of amounts. It exceeds the bound of a single amount only if the orders of a period do together. */
const Sum = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

const salesFields = {
  orders: field(Count, "Number of orders in the currency of the store", 12),
  sales: field(Sum, "Sum of their totals", 1840.5)
}

/** Sales of two periods of the same length, by day. */
export const OrderSummary = Schema.Struct({
  currencyCode: withDescription(Schema.String, "Currency of all sums: that of the store"),
  timezone: withDescription(Schema.String, "Time zone of the days: that of the store"),
  days: Schema.Array(Schema.Struct({ date: field(Schema.String, "Day", "2026-01-31"), ...salesFields })).annotate({
    description: "Days of the period in ascending order, including days without orders"
  }),
  current: withDescription(Schema.Struct(salesFields), "Sums of the period"),
  previous: withDescription(
    Schema.Struct(salesFields),
    "Sums of the same number of days before the period, until the same time of day"
  ),
  otherCurrencies: Schema.Array(
    Schema.Struct({ currencyCode: Schema.String, orders: field(Count, "Number of orders", 2) })
  ).annotate({ description: "Orders of the period in other currencies, which no sum includes" }),
  bestSellers: Schema.Array(
    Schema.Struct({
      productId: ProductId,
      name: withDescription(Schema.String, "Name on the newest order"),
      quantity: field(Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: MAX_NUMBER })), "Pieces sold", 31),
      sales: field(Sum, "Sum of the line totals, before discounts on whole orders, shipping and tax", 620)
    })
  ).annotate({
    description: `Products with the highest quantity in orders of the period in the currency of the store, at most ${MAX_BEST_SELLERS}`
  })
}).annotate({ identifier: "OrderSummary" })
export type OrderSummary = typeof OrderSummary.Type

/** Bounds of two consecutive periods. Days start at midnight in a time zone. */
export interface Periods {
  /** Starts of all days, the `days` of the former period first, and their dates. */
  readonly starts: ReadonlyArray<string>
  readonly dates: ReadonlyArray<string>
  /** Ends of the periods: now, and the same local time that many days ago. */
  readonly end: string
  readonly previousEnd: string
}

/** Returns the periods that end now, in RFC 3339 in UTC. Days have 23 to 25 hours when the clocks change. */
export const periodsOf = (days: PeriodDays, now: DateTime.Utc, timezone: string): Periods => {
  const local = DateTime.setZoneNamedUnsafe(now, timezone)
  const all = Array.from({ length: 2 * days }, (_, index) =>
    DateTime.startOf(DateTime.subtract(local, { days: 2 * days - 1 - index }), "day")
  )
  return {
    starts: all.map(DateTime.formatIso),
    dates: all.map(DateTime.formatIsoDate),
    end: DateTime.formatIso(now),
    previousEnd: DateTime.formatIso(DateTime.subtract(local, { days }))
  }
}

/** The summary takes longer than {@link SUMMARY_MILLIS}. */
export class SummaryTooSlow extends Schema.TaggedError<SummaryTooSlow>()("SummaryTooSlow", {}) {
  override get message() {
    return `This summary takes longer than ${SUMMARY_MILLIS / 1000} seconds; choose a shorter period`
  }
}
