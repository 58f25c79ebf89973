import { count } from "../../shared/data/format.ts"

/** Texts of the home page. */
export const homeTexts = {
  title: "Home",
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
    noProducts: "No products yet",
    noProductsAdvice: "Create your first product. Every change to your store is listed here.",
    createProduct: "Create product",
    title: "Recent activity",
    viewAll: "View all activity"
  }
} as const
