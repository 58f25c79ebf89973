import { plural, t } from "@lingui/core/macro"
import { countOf } from "../../shared/data/format.ts"

/** Texts of the customer pages. */
export const customerTexts = {
  list: {
    title: t`Customers`,
    customer: t`Customer`,
    email: t`E-mail address`,
    company: t`Company`,
    orders: t`Orders`,
    totalSpent: t`Total spent`,
    updated: t`Updated`,
    count: countOf({
      total: (total) => plural(total, { one: "# customer", other: "# customers" }),
      moreThan: (total) => t`More than ${plural(total, { one: "# customer", other: "# customers" })}`,
      of: (matches, total) => t`${matches} of ${plural(total, { one: "# customer", other: "# customers" })}`,
      ofMoreThan: (matches, total) =>
        t`${matches} of more than ${plural(total, { one: "# customer", other: "# customers" })}`
    }),
    empty: t`No customers yet`,
    emptyAdvice: t`Customers are written by imports. Import customers to see them here.`,
    noMatches: t`No customers found`,
    search: t`Search`,
    searchPlaceholder: t`Name, company, e-mail or phone`,
    created: t`Created`
  },
  details: {
    fallbackTitle: t`Customer`,
    back: t`Customers`,
    contact: t`Contact`,
    email: t`E-mail address`,
    phone: t`Phone`,
    company: t`Company`,
    marketing: t`Marketing`,
    subscribed: t`Subscribed`,
    notSubscribed: t`Not subscribed`,
    addresses: t`Addresses`,
    orders: t`Orders`,
    latestOrders: t`Latest orders`,
    noOrders: t`No orders yet`,
    viewOrders: t`View all orders`,
    totalSpent: t`Total spent`,
    mixed: t`Orders in different currencies are added without conversion.`,
    tags: t`Tags`,
    dates: t`Dates`,
    created: t`Created`,
    updated: t`Updated`
  }
} as const
