import { count } from "../../data/format.ts"

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
    caption: (orders: number) => `${count(orders, "order")}, oldest first`,
    empty: "No orders yet",
    emptyAdvice: "Orders imported into this store appear here.",
    noMatches: "No orders created or updated since this date"
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
