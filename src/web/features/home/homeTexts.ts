import { plural, t } from "@lingui/core/macro"
import type { PeriodDays } from "../../../domain/records/OrderSummary.ts"
import { number, percentChange } from "../../shared/data/format.ts"

/** Texts of the home page. */
export const homeTexts = {
  title: t`Home`,
  sales: {
    title: t`Sales`,
    viewAll: t`View all orders`,
    period: t`Period`,
    days: (days: PeriodDays) => t`Last ${days} days`,
    total: t`Sales`,
    orders: t`Orders`,
    average: t`Average order`,
    change: (current: number, previous: number) =>
      previous === 0 ? t`No sales in the period before` : t`${percentChange(previous, current)} from the period before`,
    zone: (timezone: string) => t`Days in the time zone ${timezone}, until now. Cancelled orders are left out.`,
    otherCurrencies: (currencies: ReadonlyArray<readonly [currency: string, orders: number]>) =>
      t`Not included: ${currencies.map(([currency, orders]) => t`${plural(orders, { one: "# order", other: "# orders" })} in ${currency}`).join(", ")}.`,
    empty: t`No orders in this period`,
    emptyAdvice: t`Choose a longer period. Imported orders are included at the date they were placed.`,
    chart: t`Sales by day. The table below has the same figures.`,
    showTable: t`Show as table`,
    caption: t`Sales by day`,
    day: t`Day`,
    readout: (day: string, sales: string, orders: number) =>
      t`${day}: ${sales}, ${plural(orders, { one: "# order", other: "# orders" })}`
  },
  openOrders: {
    title: t`Open orders`,
    viewAll: t`View open orders`,
    empty: t`No open orders`,
    open: (total: number | null, shown: number) => {
      if (total === null) return t`The oldest ${shown} of many open orders.`
      return total > shown ? t`The oldest ${shown} of ${number(total)} open orders.` : ""
    }
  },
  bestSellers: {
    title: t`Best sellers`,
    empty: t`No products sold in this period`,
    sold: (quantity: number) => t`${number(quantity)} sold`
  },
  lowStock: {
    title: t`Low stock`,
    viewAll: t`View low stock`,
    empty: (stock: number) => t`No tracked product has a stock of ${stock} or less`,
    left: (stock: number) => (stock <= 0 ? t`Out of stock` : t`${number(stock)} left`)
  },
  start: {
    title: t`Get started`,
    advice: t`Add your first products. Sales, stock and every change to your store then appear here.`,
    createProduct: t`Create product`,
    connectAgent: t`Connect an agent`,
    connectApp: t`See connected apps`,
    importAdvice: t`To move an existing store, import its products, orders and customers under Import and export.`
  },
  products: {
    title: t`Products`,
    viewAll: t`View all products`,
    meter: t`Products used of the plan limit`,
    limitReached: t`Product limit reached. Delete products or upgrade your plan.`,
    usage: (limit: number, plan: string) =>
      t`of ${plural(limit, { one: "# product", other: "# products" })} on the ${plan} plan`
  },
  proposals: {
    title: t`Proposals`,
    empty: t`No proposals to review`,
    waiting: (proposals: number) => (proposals === 1 ? t`proposal to review` : t`proposals to review`),
    review: (proposals: number) => (proposals === 1 ? t`Review proposal` : t`Review proposals`)
  },
  apps: {
    title: t`App webhooks`,
    viewAll: t`View all apps`,
    empty: t`No apps installed`,
    shown: (apps: number) => t`Showing the first ${plural(apps, { one: "# app", other: "# apps" })}.`,
    suspended: t`Suspended`,
    paused: (since: string) => t`Paused ${since}`,
    failing: (since: string) => t`Failing since ${since}`
  },
  activity: {
    title: t`Recent activity`,
    viewAll: t`View all activity`,
    olderNotCounted: t`Older changes are not counted.`,
    times: (changes: number) => plural(changes, { one: "# change", other: "# changes" }),
    resources: {
      product: (total: number) => plural(total, { one: "# product", other: "# products" }),
      collection: (total: number) => plural(total, { one: "# collection", other: "# collections" }),
      settings: () => t`the settings`,
      agent: (total: number) => plural(total, { one: "# agent", other: "# agents" }),
      installation: (total: number) => plural(total, { one: "# app", other: "# apps" }),
      subscription: (total: number) => plural(total, { one: "# app", other: "# apps" }),
      member: (total: number) => plural(total, { one: "# member", other: "# members" }),
      invitation: (total: number) => plural(total, { one: "# invitation", other: "# invitations" })
    }
  }
} as const
