import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnyScope } from "../../domain/access/AccessRule.ts"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { Customer, CustomerId } from "../../domain/records/Customer.ts"
import { Order, OrderId } from "../../domain/records/Order.ts"
import { Instant } from "../../domain/Time.ts"
import { requireAccess } from "./Middleware.ts"
import { Page, pageQuery } from "./Shapes.ts"

/** The query of a list that can be asked for what has changed. */
const recordsQuery = <A, I>(cursor: Schema.Codec<A, I>) => ({
  ...pageQuery(cursor),
  updatedSince: optional(
    withDescription(
      Instant,
      "Only what was made or changed at this time or later, by `updatedAt`: RFC 3339 with any offset (a `+` in it is sent as `%2B`). Asked with the newest `updatedAt` that was seen, it misses nothing, and shows again what has that very time. It stays the same from page to page"
    )
  )
})

export const listOrders = HttpApiEndpoint.get("listOrders", "/orders", {
  query: recordsQuery(OrderId),
  success: Page({ orders: Schema.Array(Order) }, OrderId)
})
  .annotateMerge(requireAccess(AnyScope.make({ scopes: ["read_orders"] })))
  .annotate(OpenApi.Summary, "List orders")
  .annotate(
    OpenApi.Description,
    "Every order, or those that have changed, in ascending order of id. Without the capability `customer_pii`, `email`, `shippingAddress` and `billingAddress` are null. There is no read of a single order, and no event tells of one."
  )

export const listCustomers = HttpApiEndpoint.get("listCustomers", "/customers", {
  query: recordsQuery(CustomerId),
  success: Page({ customers: Schema.Array(Customer) }, CustomerId)
})
  .annotateMerge(requireAccess(AnyScope.make({ scopes: ["read_customers"] })))
  .annotate(OpenApi.Summary, "List customers")
  .annotate(
    OpenApi.Description,
    "Every customer, or those that have changed, in ascending order of id. Without the capability `customer_pii`, `email`, `phone` and `addresses` are null. There is no read of a single customer, and no event tells of one."
  )

/** Orders of the store of the token. */
export class OrdersGroup extends HttpApiGroup.make("Orders")
  .add(listOrders)
  .annotate(OpenApi.Description, "What was ordered") {}

/** Customers of the store of the token. */
export class CustomersGroup extends HttpApiGroup.make("Customers")
  .add(listCustomers)
  .annotate(OpenApi.Description, "Who buys") {}
