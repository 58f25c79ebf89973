import { Effect, Function as Fn } from "effect"
import { Customers } from "../../domain/records/Customer.ts"
import { Orders } from "../../domain/records/Order.ts"
import type { FieldVisibility } from "../../domain/records/Records.ts"
import type { Principal } from "../Principal.ts"
import * as Rpcs from "../groups/Records.ts"
import { pageRequestOf } from "../groups/CommonSchemas.ts"
import { page } from "./StoredJson.ts"
import { makeProcedures } from "./StoreHandlers.ts"

/** Personal data is for people. */
const shownTo = ({ _tag }: Principal): FieldVisibility => ({ isPersonal: _tag === "Merchant" })

export const makeRecordProcedures = Effect.gen(function* () {
  const orders = yield* Orders
  const customers = yield* Customers
  const { inStore } = yield* makeProcedures

  return {
    "orders.list": inStore(
      Rpcs.listOrders,
      ({ payload, principal }) =>
        orders.list(payload.storeId, {
          ...pageRequestOf(payload),
          ...shownTo(principal),
          updatedSince: payload.updatedSince
        }),
      page
    ),
    "orders.get": inStore(
      Rpcs.getOrder,
      ({ payload, principal }) => orders.get(payload.storeId, payload.id, shownTo(principal)),
      Fn.identity
    ),

    "customers.list": inStore(
      Rpcs.listCustomers,
      ({ payload, principal }) =>
        customers.list(payload.storeId, {
          ...pageRequestOf(payload),
          ...shownTo(principal),
          updatedSince: payload.updatedSince
        }),
      page
    ),
    "customers.get": inStore(
      Rpcs.getCustomer,
      ({ payload, principal }) => customers.get(payload.storeId, payload.id, shownTo(principal)),
      Fn.identity
    )
  }
})
