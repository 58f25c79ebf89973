import { Link } from "@tanstack/react-router"
import { lazy, Suspense } from "react"
import { type OrderSummary, PERIODS, type PeriodDays } from "../../../domain/records/OrderSummary.ts"
import { money, number } from "../../shared/data/format.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { Picture } from "../../shared/ui/display/Values.tsx"
import { EmptyState, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { Table } from "../../shared/ui/display/Table.tsx"
import { SelectField } from "../../shared/ui/form/Field.tsx"
import { Card, MutedText } from "../../shared/ui/layout/Page.tsx"
import css from "./Home.module.css"
import { homeTexts } from "./homeTexts.ts"
import { averageOf, calendarDay } from "./homeRules.ts"

const SalesChart = lazy(() => import("./SalesChart.tsx").then(({ SalesChart }) => ({ default: SalesChart })))

/** Summary of the sales of a period. */
export const useSummary = (days: PeriodDays) => {
  const storeId = useStoreId()
  return useRpcQuery(
    [storeId, "orders", "summary", days],
    (client) => client.orders.summary({ storeId, days }),
    // Sums change with the orders of others, which no event reports.
    { keepPrevious: true, refetchInterval: 300_000 }
  )
}

type SummaryQuery = ReturnType<typeof useSummary>

const isOfPeriod = (text: string) => PERIODS.find((days) => String(days) === text)

interface FigureProps {
  readonly name: string
  readonly value: string
  readonly current: number
  readonly previous: number
}

const Figure = ({ current, name, previous, value }: FigureProps) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <strong className={css["figure"]}>{value}</strong>
      <span className={css["change"]}>{homeTexts.sales.change(current, previous)}</span>
    </dd>
  </div>
)

const Figures = ({ summary: { currencyCode, current, previous } }: { readonly summary: OrderSummary }) => (
  <dl className={css["figures"]}>
    <Figure
      name={homeTexts.sales.total}
      value={money(current.sales, currencyCode)}
      current={current.sales}
      previous={previous.sales}
    />
    <Figure
      name={homeTexts.sales.orders}
      value={number(current.orders)}
      current={current.orders}
      previous={previous.orders}
    />
    <Figure
      name={homeTexts.sales.average}
      value={money(averageOf(current), currencyCode)}
      current={averageOf(current)}
      previous={averageOf(previous)}
    />
  </dl>
)

const SalesByDay = ({ summary }: { readonly summary: OrderSummary }) => (
  <>
    <Suspense fallback={<div className={css["chartSpace"]} />}>
      <SalesChart summary={summary} />
    </Suspense>
    <details>
      <summary>{homeTexts.sales.showTable}</summary>
      <Table
        caption={homeTexts.sales.caption}
        rows={summary.days.toReversed()}
        keyOf={({ date }) => date}
        columns={[
          { name: homeTexts.sales.day, cell: ({ date }) => calendarDay(date) },
          { name: homeTexts.sales.orders, cell: ({ orders }) => number(orders), isNumber: true },
          { name: homeTexts.sales.total, cell: ({ sales }) => money(sales, summary.currencyCode), isNumber: true }
        ]}
      />
    </details>
  </>
)

interface SalesCardProps {
  readonly days: PeriodDays
  readonly summary: SummaryQuery
  readonly change: (days: PeriodDays) => void
}

/** Figures of a period beside those of the period before, and a chart by day. */
export const SalesCard = ({ change, days, summary }: SalesCardProps) => {
  const storeId = useStoreId()
  return (
    <Card
      title={homeTexts.sales.title}
      actions={
        <div className={css["period"]}>
          <SelectField
            label={homeTexts.sales.period}
            value={days}
            onChange={({ target }) => {
              const next = isOfPeriod(target.value)
              if (next !== undefined) change(next)
            }}
          >
            {PERIODS.map((period) => (
              <option key={period} value={period}>
                {homeTexts.sales.days(period)}
              </option>
            ))}
          </SelectField>
          <Link to="/dashboard/$storeId/orders" params={{ storeId }}>
            {homeTexts.sales.viewAll}
          </Link>
        </div>
      }
    >
      {/* Thirteen lines are as high as the figures and the chart. */}
      <QueryBoundary query={summary} lines={13}>
        {(shown) => (
          <>
            {shown.current.orders === 0 && shown.previous.orders === 0 ? (
              <div className={css["noSales"]}>
                <EmptyState title={homeTexts.sales.empty}>
                  <p>{homeTexts.sales.emptyAdvice}</p>
                </EmptyState>
              </div>
            ) : (
              <>
                <Figures summary={shown} />
                <SalesByDay summary={shown} />
              </>
            )}
            {shown.otherCurrencies.length === 0 ? undefined : (
              <p>
                {homeTexts.sales.otherCurrencies(
                  shown.otherCurrencies.map(({ currencyCode, orders }) => [currencyCode, orders])
                )}
              </p>
            )}
            <MutedText>{homeTexts.sales.zone(shown.timezone)}</MutedText>
          </>
        )}
      </QueryBoundary>
    </Card>
  )
}

/** Products that sold most in the period, with their images. A deleted product has neither image nor page. */
export const BestSellers = ({ summary }: { readonly summary: SummaryQuery }) => {
  const storeId = useStoreId()
  const ids = summary.data?.bestSellers.map(({ productId }) => productId) ?? []
  const products = useRpcQuery(
    [storeId, "products", "ids", ids],
    (client) => client.products.list({ storeId, ids, limit: ids.length }),
    { enabled: ids.length > 0, keepPrevious: true }
  )
  const known = new Map(products.data?.items.map((product) => [product.id, product]))
  return (
    <Card title={homeTexts.bestSellers.title}>
      <QueryBoundary query={summary} lines={8}>
        {({ bestSellers, currencyCode }) =>
          bestSellers.length === 0 ? (
            <p>{homeTexts.bestSellers.empty}</p>
          ) : (
            <ol className={css["rows"]}>
              {bestSellers.map(({ name, productId, quantity, sales }) => {
                const product = known.get(productId)
                return (
                  <li key={productId}>
                    <Picture url={product?.imageUrl ?? product?.media[0]?.url} alt="" />
                    <span className={css["name"]}>
                      {product === undefined ? (
                        name
                      ) : (
                        <Link to="/dashboard/$storeId/products/$productId" params={{ storeId, productId }}>
                          {product.name}
                        </Link>
                      )}
                      <small>{homeTexts.bestSellers.sold(quantity)}</small>
                    </span>
                    <span className={css["amount"]}>{money(sales, currencyCode)}</span>
                  </li>
                )
              })}
            </ol>
          )
        }
      </QueryBoundary>
    </Card>
  )
}
