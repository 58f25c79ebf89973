import { Result, Schema, Struct } from "effect"
import { CustomerQuery } from "../../../domain/records/Customer.ts"
import { OrderQuery } from "../../../domain/records/Order.ts"
import { DateText } from "../../shared/data/urlSearch.ts"

/* Filters and sort orders of the lists of orders and customers, in the URL. Invalid ones are dropped. */

const OrderSearch = Schema.Struct({
  ...OrderQuery.mapFields(Struct.pick(["search", "status", "customerId", "sort"])).fields,
  from: Schema.optionalKey(DateText),
  to: Schema.optionalKey(DateText)
})
export type OrderSearch = typeof OrderSearch.Type

const decodeOrders = Schema.decodeUnknownResult(OrderSearch)

export const parseOrderSearch = (search: Record<string, unknown>): OrderSearch =>
  Result.getOrElse(decodeOrders(search), () => ({}))

const decodeCustomers = Schema.decodeUnknownResult(CustomerQuery)

export const parseCustomerSearch = (search: Record<string, unknown>): CustomerQuery =>
  Result.getOrElse(decodeCustomers(search), () => ({}))
