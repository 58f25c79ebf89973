import { count } from "../../data/format.ts"

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
    caption: (customers: number) => `${count(customers, "customer")}, oldest first`,
    empty: "No customers yet",
    emptyAdvice: "Customers imported into this store appear here.",
    noMatches: "No customers created or updated since this date"
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
    totalSpent: "Total spent, in the currencies of the orders",
    tags: "Tags",
    dates: "Dates",
    created: "Created",
    updated: "Updated"
  }
} as const
