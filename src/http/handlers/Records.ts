import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Installation } from "../../domain/access/Installations.ts"
import { Customers } from "../../domain/records/Customer.ts"
import { Orders } from "../../domain/records/Order.ts"
import type { FieldVisibility } from "../../domain/records/Records.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { page, read, searchPage } from "./Responses.ts"

/** Only installations with `customer_pii` see personal data. */
const visibilityFor = ({ capabilities }: Installation): FieldVisibility => ({
  isPersonal: capabilities.includes("customer_pii")
})

export const OrdersLive = HttpApiBuilder.group(PartnerApi, "Orders", (handlers) =>
  Effect.map(Orders, (orders) =>
    handlers
      .handle("listOrders", ({ query }) =>
        read(
          (installation) => orders.list(installation.storeId, { ...query, ...visibilityFor(installation) }),
          page("orders")
        )
      )
      .handle("searchOrders", ({ query: { cursor, limit, ...query } }) =>
        read(
          (installation) => orders.query(installation.storeId, query, { cursor, limit }, visibilityFor(installation)),
          searchPage("orders")
        )
      )
  )
)

export const CustomersLive = HttpApiBuilder.group(PartnerApi, "Customers", (handlers) =>
  Effect.map(Customers, (customers) =>
    handlers
      .handle("listCustomers", ({ query }) =>
        read(
          (installation) => customers.list(installation.storeId, { ...query, ...visibilityFor(installation) }),
          page("customers")
        )
      )
      .handle("searchCustomers", ({ query: { cursor, limit, ...query } }) =>
        read(
          (installation) =>
            customers.query(installation.storeId, query, { cursor, limit }, visibilityFor(installation)),
          searchPage("customers")
        )
      )
  )
)
