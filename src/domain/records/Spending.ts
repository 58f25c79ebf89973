import { BigDecimal } from "effect"
import type { Customer, CustomerId } from "./Customer.ts"
import type { Order } from "./Order.ts"

const { fromNumberUnsafe, multiply, sum } = BigDecimal

/** Change of a customer's order count and total. */
export interface Spending {
  readonly orders: number
  readonly amount: BigDecimal.BigDecimal
}

type Spent = Pick<Order, "customerId" | "status" | "total">

/** Computes the changes for customers from stored orders. Customers without a change are omitted. */
export const spendingOf = (
  changes: ReadonlyArray<{ readonly before: Spent | undefined; readonly after: Spent }>
): ReadonlyMap<CustomerId, Spending> => {
  const spending = new Map<CustomerId, Spending>()
  const add = (order: Spent | undefined, orders: 1 | -1) => {
    if (order === undefined || order.customerId === null || order.status === "cancelled") return
    const known = spending.get(order.customerId) ?? { orders: 0, amount: fromNumberUnsafe(0) }
    const amount = multiply(fromNumberUnsafe(order.total), fromNumberUnsafe(orders))
    spending.set(order.customerId, { orders: known.orders + orders, amount: sum(known.amount, amount) })
  }
  for (const { after, before } of changes) {
    add(before, -1)
    add(after, 1)
  }
  return new Map([...spending].filter(([, { amount, orders }]) => orders !== 0 || !BigDecimal.isZero(amount)))
}

/** Applies the change to a customer. The total is the nearest number of at least 0 if no double has the sum. */
export const applySpending = <C extends Pick<Customer, "ordersCount" | "totalSpent" | "updatedAt">>(
  customer: C,
  { amount, orders }: Spending,
  at: Date
): C => ({
  ...customer,
  ordersCount: customer.ordersCount + orders,
  totalSpent: Math.max(0, BigDecimal.toNumberUnsafe(sum(fromNumberUnsafe(customer.totalSpent), amount))),
  updatedAt: at.toISOString()
})
