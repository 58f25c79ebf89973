import type { PeriodDays } from "../../../domain/records/OrderSummary.ts"
import { count, number } from "../../shared/data/format.ts"

/** Change such as "+12%", in the language of the browser. */
const change = new Intl.NumberFormat(undefined, {
  style: "percent",
  signDisplay: "exceptZero",
  maximumFractionDigits: 0
})

/** Texts of the home page. */
export const homeTexts = {
  title: "Home",
  sales: {
    title: "Sales",
    viewAll: "View all orders",
    period: "Period",
    days: (days: PeriodDays) => `Last ${days} days`,
    total: "Sales",
    orders: "Orders",
    average: "Average order",
    change: (current: number, previous: number) =>
      previous === 0
        ? "No sales in the period before"
        : `${change.format(current / previous - 1)} from the period before`,
    zone: (timezone: string) => `Days in the time zone ${timezone}, until now. Cancelled orders are left out.`,
    otherCurrencies: (currencies: ReadonlyArray<readonly [currency: string, orders: number]>) =>
      `Not included: ${currencies.map(([currency, orders]) => `${count(orders, "order")} in ${currency}`).join(", ")}.`,
    empty: "No orders in this period",
    emptyAdvice: "Choose a longer period. Imported orders are included at the date they were placed.",
    chart: "Sales by day. The table below has the same figures.",
    showTable: "Show as table",
    caption: "Sales by day",
    day: "Day",
    readout: (day: string, sales: string, orders: number) => `${day}: ${sales}, ${count(orders, "order")}`
  },
  openOrders: {
    title: "Orders to look at",
    viewAll: "View open orders",
    empty: "No open orders",
    open: (total: number | null, shown: number) =>
      total === null || total > shown
        ? `The oldest ${shown} of ${total === null ? "many" : number(total)} open orders.`
        : ""
  },
  bestSellers: {
    title: "Best sellers",
    empty: "No products sold in this period",
    sold: (quantity: number) => `${number(quantity)} sold`
  },
  lowStock: {
    title: "Low stock",
    viewAll: "View low stock",
    empty: (stock: number) => `No tracked product has a stock of ${stock} or less`,
    left: (stock: number) => (stock <= 0 ? "Out of stock" : `${number(stock)} left`)
  },
  start: {
    title: "Get started",
    advice: "Add your first products. Sales, stock and every change to your store then appear here.",
    createProduct: "Create product",
    connectAgent: "Connect an agent",
    connectApp: "See connected apps",
    importAdvice: "To move an existing store, ask the operator of this service to import its products and orders."
  },
  products: {
    title: "Products",
    viewAll: "View all products",
    meter: "Products used of the plan limit",
    limitReached: "Product limit reached. Delete products or upgrade your plan.",
    usage: (limit: number, plan: string) => `of ${count(limit, "product")} on the ${plan} plan`
  },
  proposals: {
    title: "Proposals",
    empty: "No proposals to review",
    waiting: (proposals: number) => (proposals === 1 ? "proposal to review" : "proposals to review"),
    review: (proposals: number) => (proposals === 1 ? "Review proposal" : "Review proposals")
  },
  apps: {
    title: "App webhooks",
    viewAll: "View all apps",
    empty: "No apps installed",
    shown: (apps: number) => `Showing the first ${count(apps, "app")}.`,
    suspended: "Suspended",
    paused: (since: string) => `Paused ${since}`,
    failing: (since: string) => `Failing since ${since}`
  },
  activity: {
    title: "Recent activity",
    viewAll: "View all activity",
    grouped: (entries: string) => `From the newest ${entries} changes.`,
    times: (changes: number) => count(changes, "change"),
    resources: {
      product: (total: number) => count(total, "product"),
      collection: (total: number) => count(total, "collection"),
      settings: () => "the settings",
      agent: (total: number) => count(total, "agent"),
      installation: (total: number) => count(total, "app"),
      subscription: (total: number) => count(total, "app"),
      member: (total: number) => count(total, "member"),
      invitation: (total: number) => count(total, "invitation")
    }
  }
} as const
