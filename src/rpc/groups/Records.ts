import type { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { WorkWeight } from "../../domain/Bulkhead.ts"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { Customer, CustomerId, CustomerNotFound, CustomerQuery } from "../../domain/records/Customer.ts"
import { Order, OrderId, OrderNotFound, OrderQuery } from "../../domain/records/Order.ts"
import { OrderSummary, PeriodDays, SummaryTooSlow } from "../../domain/records/OrderSummary.ts"
import { QueryCursor, QueryTooSlow } from "../../domain/Query.ts"
import { Instant } from "../../domain/Time.ts"
import { membersAndAgentsWith, AccessPolicy, ToolDescription } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { storeFields, Page, pageFields, QueryPage } from "./CommonSchemas.ts"

/*
 * Orders and customers of a store, read-only. Personal data is for members. Agents read null instead, as apps without the
 * capability `customer_pii` do.
 */

const recordPageFields = <A, I>(cursor: Schema.Codec<A, I>) => ({
  ...pageFields(cursor),
  updatedSince: optional(
    withDescription(
      Instant,
      "Only records with an `updatedAt` at or after this time, in RFC 3339, such as 2026-01-31T09:30:00Z. Send the same value for each page"
    )
  )
})

/** Lists orders in ascending order of id. Members, and agents with `read_orders`. */
export const listOrders = Rpc.make("orders.list", { payload: recordPageFields(OrderId), success: Page(Order, OrderId) })
  .annotate(AccessPolicy, membersAndAgentsWith("read_orders"))
  .annotate(
    ToolDescription,
    'Lists the orders of the store with their lines and amounts in pages, oldest first. Use a small `limit`, because an order can have 1,000 lines, and `updatedSince` to read only recent changes. Pass `nextCursor` as `cursor` for the next page. Amounts are decimals in the `currencyCode` of the order. `email`, `shippingAddress` and `billingAddress` are always null. No tool changes orders. Example: { "updatedSince": "2026-01-31T09:30:00Z", "limit": 5 }'
  )

/** Lists orders by filters and sort order. Members, and agents with `read_orders`. */
export const queryOrders = Rpc.make("orders.query", {
  payload: { ...pageFields(QueryCursor), ...OrderQuery.fields },
  success: QueryPage(Order),
  error: QueryTooSlow
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("read_orders"))
  .annotate(
    ToolDescription,
    'Lists the orders that match all given filters, sorted, newest first by default, with their number (`total`). Use it to find an order by `number`, the orders of a customer, or the largest orders of a period; to follow changes, use orders.list. Use a small `limit`, because an order can have 1,000 lines. Pass `nextCursor` as `cursor` with the same filters and sort for the next page. `email`, `shippingAddress` and `billingAddress` are always null. Example: { "placedSince": "2026-01-01T00:00:00Z", "sort": "-total", "limit": 5 }'
  )

/** Reads one order. Members, and agents with `read_orders`. */
export const getOrder = Rpc.make("orders.get", {
  payload: { ...storeFields, id: OrderId },
  success: Order,
  error: OrderNotFound
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_orders"))
  .annotate(
    ToolDescription,
    "Reads one order with all its lines, by id. Use orders.list to find the id; `number` is the order number that people use. `email`, `shippingAddress` and `billingAddress` are always null."
  )

/** Sums the sales of a period by day. Members, and agents with `read_orders`. */
export const summarizeOrders = Rpc.make("orders.summary", {
  payload: { ...storeFields, days: PeriodDays },
  success: OrderSummary,
  error: SummaryTooSlow
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("read_orders"))
  .annotate(
    ToolDescription,
    'Sums the sales of the last 7, 30 or 90 days: for each day, for the whole period and for the period before, with the best-selling products. Use it for questions about revenue and trends; to see single orders, use orders.query. Days follow the time zone of the store, and sums are in its currency: orders in other currencies are only counted, in `otherCurrencies`. Cancelled orders do not count. Example: { "days": 30 }'
  )

/** Orders of a store. */
export class OrderRpcs extends RpcGroup.make(listOrders, queryOrders, getOrder, summarizeOrders).middleware(
  Authentication
) {}

/** Lists customers in ascending order of id. Members, and agents with `read_customers`. */
export const listCustomers = Rpc.make("customers.list", {
  payload: recordPageFields(CustomerId),
  success: Page(Customer, CustomerId)
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_customers"))
  .annotate(
    ToolDescription,
    'Lists the customers of the store in pages, oldest first, with their number of orders (`ordersCount`) and their total (`totalSpent`). Use `updatedSince` to read only recent changes. Pass `nextCursor` as `cursor` for the next page. `email`, `phone` and `addresses` are always null. No tool changes customers. Example: { "updatedSince": "2026-01-31T09:30:00Z" }'
  )

/** Lists customers by search and sort order. Members, and agents with `read_customers`. */
export const queryCustomers = Rpc.make("customers.query", {
  payload: { ...pageFields(QueryCursor), ...CustomerQuery.fields },
  success: QueryPage(Customer),
  error: QueryTooSlow
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("read_customers"))
  .annotate(
    ToolDescription,
    'Lists the customers whose name or company contains a text, sorted by name, orders or total, with their number (`total`). Use it to find a customer by name, or the best customers; to follow changes, use customers.list. Pass `nextCursor` as `cursor` with the same search and sort for the next page. `email`, `phone` and `addresses` are always null and not searched. Example: { "sort": "-totalSpent", "limit": 10 }'
  )

/** Reads one customer. Members, and agents with `read_customers`. */
export const getCustomer = Rpc.make("customers.get", {
  payload: { ...storeFields, id: CustomerId },
  success: Customer,
  error: CustomerNotFound
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_customers"))
  .annotate(
    ToolDescription,
    "Reads one customer by id, for example the `customerId` of an order. `email`, `phone` and `addresses` are always null."
  )

/** Customers of a store. */
export class CustomerRpcs extends RpcGroup.make(listCustomers, queryCustomers, getCustomer).middleware(
  Authentication
) {}
