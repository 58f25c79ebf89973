import type { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { Customer, CustomerId, CustomerNotFound } from "../../domain/records/Customer.ts"
import { Order, OrderId, OrderNotFound } from "../../domain/records/Order.ts"
import { Instant } from "../../domain/Time.ts"
import { membersAndAgentsWith, AccessPolicy, ToolDescription } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { storeFields, Page, pageFields } from "./CommonSchemas.ts"

/*
 * What the store's customers ordered, and who they are. What is personal of it is for members: to an agent it is null, as
 * to an app without the capability `customer_pii`, of which agents have none (decisions, section 14).
 */

const recordPageFields = <A, I>(cursor: Schema.Codec<A, I>) => ({
  ...pageFields(cursor),
  updatedSince: optional(
    withDescription(
      Instant,
      "Only what was made or changed at this time or later, by `updatedAt`: RFC 3339, as in 2026-01-31T09:30:00Z. It stays the same from page to page"
    )
  )
})

/** In ascending order of id. */
export const listOrders = Rpc.make("orders.list", { payload: recordPageFields(OrderId), success: Page(Order, OrderId) })
  .annotate(AccessPolicy, membersAndAgentsWith("read_orders"))
  .annotate(
    ToolDescription,
    "Lists the orders of the store with their lines and amounts, oldest first, in pages: pass `nextCursor` as `cursor` to go on, and a small `limit`, as an order may have 1,000 lines. Use `updatedSince` to see only what is new. Amounts are in the order's `currencyCode`. `email`, `shippingAddress` and `billingAddress` are always null. Orders cannot be changed here."
  )

export const getOrder = Rpc.make("orders.get", {
  payload: { ...storeFields, id: OrderId },
  success: Order,
  error: OrderNotFound
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_orders"))
  .annotate(
    ToolDescription,
    "Reads one order by its id, with all of its lines. Use orders.list to find ids; the number that people call an order by is `number`. `email`, `shippingAddress` and `billingAddress` are always null."
  )

/** What was ordered from a store. */
export class OrderRpcs extends RpcGroup.make(listOrders, getOrder).middleware(Authentication) {}

/** In ascending order of id. */
export const listCustomers = Rpc.make("customers.list", {
  payload: recordPageFields(CustomerId),
  success: Page(Customer, CustomerId)
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_customers"))
  .annotate(
    ToolDescription,
    "Lists the customers of the store with how often (`ordersCount`) and for how much (`totalSpent`) they have ordered, oldest first, in pages: pass `nextCursor` as `cursor` to go on. Use `updatedSince` to see only what is new. `email`, `phone` and `addresses` are always null. Customers cannot be changed here."
  )

export const getCustomer = Rpc.make("customers.get", {
  payload: { ...storeFields, id: CustomerId },
  success: Customer,
  error: CustomerNotFound
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_customers"))
  .annotate(
    ToolDescription,
    "Reads one customer by their id, as an order's `customerId` names them. `email`, `phone` and `addresses` are always null."
  )

/** Who buys from a store. */
export class CustomerRpcs extends RpcGroup.make(listCustomers, getCustomer).middleware(Authentication) {}
