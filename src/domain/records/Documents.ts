import { storedDocument } from "../json/StoredDocument.ts"
import { Customer, CUSTOMER_DEFAULTS } from "./Customer.ts"
import { Order, ORDER_DEFAULTS } from "./Order.ts"

/** Stored form of an order: the JSON that the API returns. Its personal members are in a column of their own. */
export const OrderDocument = storedDocument(Order, { defaults: ORDER_DEFAULTS })

/** Stored form of a customer, like that of an order. */
export const CustomerDocument = storedDocument(Customer, { defaults: CUSTOMER_DEFAULTS })
