import { Schema, Struct } from "effect"
import { CustomerQuery } from "../../../domain/records/Customer.ts"
import { OrderQuery } from "../../../domain/records/Order.ts"
import { DateText, searchParser } from "../../shared/data/urlSearch.ts"

/* Filters and sort orders of the lists of orders and customers, in the URL. */

const OrderSearch = Schema.Struct({
  ...OrderQuery.mapFields(Struct.pick(["search", "status", "customerId", "sort"])).fields,
  from: Schema.optionalKey(DateText),
  to: Schema.optionalKey(DateText)
})
export type OrderSearch = typeof OrderSearch.Type

export const parseOrderSearch = searchParser(OrderSearch)

export const parseCustomerSearch = searchParser(CustomerQuery)
