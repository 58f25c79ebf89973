import { countOf } from "../../shared/data/format.ts"

/** Texts of the order pages. */
export const orderTexts = {
  list: {
    title: "Orders",
    order: "Order",
    placed: "Placed",
    customer: "Customer",
    status: "Status",
    payment: "Payment",
    fulfillment: "Fulfillment",
    items: "Items",
    total: "Total",
    count: (matches: number | null, all?: number | null) => countOf(matches, all, "order"),
    empty: "No orders yet",
    emptyAdvice: "Orders imported into this store appear here.",
    noMatches: "No orders found",
    search: "Order number",
    anyStatus: "Any status",
    from: "Placed from",
    to: "Placed until",
    lastWeek: "Last 7 days",
    lastMonth: "Last 30 days",
    allCustomers: "Show orders of all customers"
  },
  details: {
    fallbackTitle: "Order",
    title: (number: string) => `Order ${number}`,
    back: "Orders",
    items: "Items",
    note: "Note",
    customer: "Customer",
    paymentAndFulfillment: "Payment and fulfillment",
    payment: "Payment",
    fulfillment: "Fulfillment",
    shippingAddress: "Shipping address",
    billingAddress: "Billing address",
    dates: "Dates",
    created: "Created",
    updated: "Updated",
    product: "Product",
    price: "Price",
    quantity: "Quantity",
    discount: "Discount",
    total: "Total",
    itemsCaption: "Order items",
    subtotal: "Subtotal",
    shipping: "Shipping",
    tax: "Tax",
    noCustomer: "No customer account",
    viewCustomer: "View customer"
  }
} as const
