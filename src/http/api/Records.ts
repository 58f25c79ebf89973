import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnyScope } from "../../domain/access/AccessRule.ts"
import { WorkWeight } from "../../domain/Bulkhead.ts"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { Customer, CustomerId, CustomerQuery } from "../../domain/records/Customer.ts"
import { Order, OrderId, OrderQuery } from "../../domain/records/Order.ts"
import { Instant } from "../../domain/Time.ts"
import { requireAccess } from "./Middleware.ts"
import { amountQuery, Page, pageQuery, SearchErrors, SearchPage, searchQuery } from "./Shapes.ts"

/** The query of a list that can be filtered by time of change. */
const recordsQuery = <A, I>(cursor: Schema.Codec<A, I>) => ({
  ...pageQuery(cursor),
  updatedSince: optional(
    withDescription(
      Instant,
      "Returns only rows whose `updatedAt` is this time or later: RFC 3339 with any offset (encode `+` as `%2B`). With the newest `updatedAt` of an earlier read no change is missed, and rows with exactly that time are returned again. Keep it the same on every page"
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
    "Returns every order, or only changed ones, in ascending order of id. Without the capability `customer_pii`, `email`, `shippingAddress` and `billingAddress` are null. Single orders cannot be read, and orders emit no events."
  )

export const searchOrders = HttpApiEndpoint.get("searchOrders", "/orders/search", {
  query: {
    ...searchQuery,
    ...OrderQuery.fields,
    totalFrom: optional(amountQuery("Orders with this total or a higher one, in the currency of each order")),
    totalTo: optional(amountQuery("Orders with this total or a lower one, in the currency of each order"))
  },
  success: SearchPage({ orders: Schema.Array(Order) }),
  error: SearchErrors
})
  .annotateMerge(requireAccess(AnyScope.make({ scopes: ["read_orders"] })))
  .annotate(WorkWeight, "heavy")
  .annotate(OpenApi.Summary, "Search orders")
  .annotate(
    OpenApi.Description,
    "Returns the orders that match all filters, in a sort order. Without the capability `customer_pii`, `email`, `shippingAddress` and `billingAddress` are null. Rules: `docs/spec/queries.md`."
  )

export const listCustomers = HttpApiEndpoint.get("listCustomers", "/customers", {
  query: recordsQuery(CustomerId),
  success: Page({ customers: Schema.Array(Customer) }, CustomerId)
})
  .annotateMerge(requireAccess(AnyScope.make({ scopes: ["read_customers"] })))
  .annotate(OpenApi.Summary, "List customers")
  .annotate(
    OpenApi.Description,
    "Returns every customer, or only changed ones, in ascending order of id. Without the capability `customer_pii`, `email`, `phone` and `addresses` are null. Single customers cannot be read, and customers emit no events."
  )

export const searchCustomers = HttpApiEndpoint.get("searchCustomers", "/customers/search", {
  query: { ...searchQuery, ...CustomerQuery.fields },
  success: SearchPage({ customers: Schema.Array(Customer) }),
  error: SearchErrors
})
  .annotateMerge(requireAccess(AnyScope.make({ scopes: ["read_customers"] })))
  .annotate(WorkWeight, "heavy")
  .annotate(OpenApi.Summary, "Search customers")
  .annotate(
    OpenApi.Description,
    "Returns the customers that match a search, in a sort order. Without the capability `customer_pii`, `email`, `phone` and `addresses` are null, and `search` does not look into `email`. Rules: `docs/spec/queries.md`."
  )

/** Orders of the store of the token. */
export class OrdersGroup extends HttpApiGroup.make("Orders")
  .add(listOrders, searchOrders)
  .annotate(OpenApi.Description, "The orders of a store. Rules: `docs/spec/orders-and-customers.md`") {}

/** Customers of the store of the token. */
export class CustomersGroup extends HttpApiGroup.make("Customers")
  .add(listCustomers, searchCustomers)
  .annotate(OpenApi.Description, "The customers of a store. Rules: `docs/spec/orders-and-customers.md`") {}
