import { Context, DateTime, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ProductId } from "../../domain/catalog/Product.ts"
import {
  MAX_BEST_SELLERS,
  type OrderSummary,
  type PeriodDays,
  periodsOf,
  SUMMARY_MILLIS,
  SummaryTooSlow
} from "../../domain/records/OrderSummary.ts"
import { type StoreId, StoreNotFound } from "../../domain/Store.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"
import { constant, sql as fragment } from "../sql/Statement.ts"
import { visible } from "./Records.ts"

/** Milliseconds that a summary may take. */
export const SummaryTimeout = Context.Reference("layers/records/SummaryTimeout", {
  defaultValue: () => SUMMARY_MILLIS
})

/** Date of an order, as in the index `orders_by_date`. */
export const DATE = fragment`${visible("placedAt")} collate "C"`

/** Characters of a stored time, which a maximum of times with names puts first. */
const TIME_LENGTH = "2026-01-31T09:30:00.000Z".length

const readStore = rowReader(Schema.Struct({ currencyCode: Schema.String, timezone: Schema.String }))

/** Sums are the nearest doubles. */
const readRow = requiredRowReader(
  Schema.Struct({
    days: Schema.Array(Schema.Struct({ day: Schema.Int, orders: Schema.Int, sales: Schema.Finite })),
    previous: Schema.Struct({ orders: Schema.Int, sales: Schema.Finite }),
    current: Schema.Struct({ orders: Schema.Int, sales: Schema.Finite }),
    otherCurrencies: Schema.Array(Schema.Struct({ currencyCode: Schema.String, orders: Schema.Int })),
    bestSellers: Schema.Array(
      Schema.Struct({
        productId: Schema.toType(ProductId),
        name: Schema.String,
        quantity: Schema.Finite,
        sales: Schema.Finite
      })
    )
  })
)

const NO_SALES = { orders: 0, sales: 0 }

/** Makes the function that sums the orders of two periods. Each order is parsed once. */
export const makeSummarize = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return Effect.fn("Orders.summarize")(
    function* (store: StoreId, days: PeriodDays) {
      const found = yield* readStore(
        sql`select currency_code as "currencyCode", timezone from stores where id = ${store} and deleted_at is null`
      )
      if (Option.isNone(found)) return yield* new StoreNotFound()
      const { currencyCode, timezone } = found.value
      const { dates, end, previousEnd, starts } = periodsOf(days, yield* DateTime.now, timezone)
      const sums = sql`count(*)::integer as orders, coalesce(sum(total), 0) as sales`
      const row = yield* readRow(sql`
      with placed as materialized (
        select day, d."placedAt", d."currencyCode", d.total, case when day >= ${days} then d."lineItems" end as "lineItems"
        from orders, json_to_record((opening || '}')::json) as d (
          "placedAt" text, status text, "currencyCode" text, total numeric, "lineItems" json
        ), lateral (
          select width_bucket(d."placedAt" collate "C", ${plainArray(starts)}::text[] collate "C") - 1 as day
        ) as bucket
        where store_id = ${store} and ${DATE} >= ${starts[0]} and ${DATE} < ${end} and d.status <> 'cancelled'
          and (d."placedAt" collate "C" < ${previousEnd} or day >= ${days})
      ), summed as (
        select * from placed where "currencyCode" = ${currencyCode}
      ), sold as (
        select
          line."productId", sum(line.quantity) as quantity, sum(line.total) as sales,
          substr(max("placedAt" || line.name collate "C"), ${constant(TIME_LENGTH + 1)}) as name
        from summed, json_to_recordset("lineItems") as line ("productId" text, name text, quantity numeric, total numeric)
        where day >= ${days} and line."productId" is not null
        group by line."productId" order by quantity desc, line."productId" limit ${constant(MAX_BEST_SELLERS)}
      )
      select
        (select coalesce(json_agg(row_to_json(d)), '[]') from (
          select day, ${sums} from summed where day >= ${days} group by day
        ) as d) as days,
        (select row_to_json(d) from (select ${sums} from summed where day >= ${days}) as d) as current,
        (select row_to_json(d) from (select ${sums} from summed where day < ${days}) as d) as previous,
        (select coalesce(json_agg(row_to_json(d) order by orders desc, "currencyCode"), '[]') from (
          select "currencyCode", count(*)::integer as orders from placed
          where day >= ${days} and "currencyCode" <> ${currencyCode} group by "currencyCode"
        ) as d) as "otherCurrencies",
        (select coalesce(json_agg(row_to_json(d) order by quantity desc, "productId"), '[]') from sold as d) as "bestSellers"
    `)
      const byDay = new Map(row.days.map(({ day, ...sales }) => [day, sales]))
      const summary: OrderSummary = {
        ...row,
        currencyCode,
        timezone,
        days: dates.slice(days).map((date, index) => ({ date, ...(byDay.get(days + index) ?? NO_SALES) }))
      }
      return summary
    },
    (work) =>
      Effect.flatMap(SummaryTimeout, (duration) =>
        Effect.timeoutOrElse(work, { duration, orElse: () => new SummaryTooSlow() })
      ),
    orDefect
  )
})
