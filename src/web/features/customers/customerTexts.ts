import { countOf } from "../../shared/data/format.ts"

/** Texts of the customer pages. */
export const customerTexts = {
  list: {
    title: "Customers",
    customer: "Customer",
    email: "E-mail address",
    company: "Company",
    orders: "Orders",
    totalSpent: "Total spent",
    updated: "Updated",
    count: (matches: number | null, all?: number | null) => countOf(matches, all, "customer"),
    empty: "No customers yet",
    emptyAdvice: "Customers are written by imports. Import customers to see them here.",
    noMatches: "No customers found",
    search: "Search",
    searchPlaceholder: "Name, company or e-mail address",
    created: "Created"
  },
  details: {
    fallbackTitle: "Customer",
    back: "Customers",
    contact: "Contact",
    email: "E-mail address",
    phone: "Phone",
    company: "Company",
    marketing: "Marketing",
    subscribed: "Subscribed",
    notSubscribed: "Not subscribed",
    addresses: "Addresses",
    orders: "Orders",
    latestOrders: "Latest orders",
    noOrders: "No orders yet",
    viewOrders: "View all orders",
    totalSpent: "Total spent",
    mixed: "Orders in different currencies are added without conversion.",
    tags: "Tags",
    dates: "Dates",
    created: "Created",
    updated: "Updated"
  }
} as const
