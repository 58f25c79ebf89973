import { plural, t } from "@lingui/core/macro"
import { countOf } from "../../shared/data/format.ts"

/** Texts of the order pages. */
export const orderTexts = {
  list: {
    title: t`Orders`,
    order: t`Order`,
    placed: t`Placed`,
    customer: t`Customer`,
    status: t`Status`,
    payment: t`Payment`,
    fulfillment: t`Fulfillment`,
    items: t`Items`,
    total: t`Total`,
    count: countOf({
      total: (total) => plural(total, { one: "# order", other: "# orders" }),
      moreThan: (total) => t`More than ${plural(total, { one: "# order", other: "# orders" })}`,
      of: (matches, total) => t`${matches} of ${plural(total, { one: "# order", other: "# orders" })}`,
      ofMoreThan: (matches, total) => t`${matches} of more than ${plural(total, { one: "# order", other: "# orders" })}`
    }),
    empty: t`No orders yet`,
    emptyAdvice: t`Orders are written by imports. Import orders to see them here.`,
    noMatches: t`No orders found`,
    search: t`Search`,
    searchPlaceholder: t`Number, product, name, e-mail or phone`,
    anyStatus: t`Any status`,
    from: t`Placed from`,
    to: t`Placed until`,
    lastWeek: t`Last 7 days`,
    lastMonth: t`Last 30 days`,
    allCustomers: t`Show orders of all customers`
  },
  details: {
    fallbackTitle: t`Order`,
    title: (number: string) => t`Order ${number}`,
    back: t`Orders`,
    items: t`Items`,
    note: t`Note`,
    customer: t`Customer`,
    paymentAndFulfillment: t`Payment and fulfillment`,
    payment: t`Payment`,
    fulfillment: t`Fulfillment`,
    shippingAddress: t`Shipping address`,
    billingAddress: t`Billing address`,
    timeline: t`Timeline`,
    placed: t`Placed`,
    imported: t`Imported`,
    updated: t`Last changed by an import`,
    print: t`Print order`,
    product: t`Product`,
    price: t`Price`,
    quantity: t`Quantity`,
    discount: t`Discount`,
    total: t`Total`,
    itemsCaption: t`Order items`,
    subtotal: t`Subtotal`,
    shipping: t`Shipping`,
    tax: t`Tax`,
    noCustomer: t`No customer account`,
    viewCustomer: t`View customer`
  }
} as const
