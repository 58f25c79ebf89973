import { Effect } from "effect"
import type { Installation } from "../../domain/access/Installations.ts"
import { Customers } from "../../domain/records/Customer.ts"
import { Orders } from "../../domain/records/Order.ts"
import * as Api from "../api/Records.ts"
import type { HandlersOf } from "../Handler.ts"
import { page } from "./Answers.ts"
import { read } from "./Reads.ts"

/** Whether personal data is shown to the installation. */
const isPersonal = ({ capabilities }: Installation) => capabilities.includes("customer_pii")

export const makeRecordHandlers = Effect.gen(function* () {
  const orders = yield* Orders
  const customers = yield* Customers

  return {
    listOrders: read(
      Api.listOrders,
      ({ installation, query, store }) => orders.list(store, { ...query, isPersonal: isPersonal(installation) }),
      page("orders")
    ),
    listCustomers: read(
      Api.listCustomers,
      ({ installation, query, store }) => customers.list(store, { ...query, isPersonal: isPersonal(installation) }),
      page("customers")
    )
  } satisfies HandlersOf<typeof Api.OrdersGroup | typeof Api.CustomersGroup>
})
