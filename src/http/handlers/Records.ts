import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { visibilityOf } from "../../domain/access/Visibility.ts"
import { Customers } from "../../domain/records/Customer.ts"
import { Orders } from "../../domain/records/Order.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { page, read, searchPage } from "./Responses.ts"

export const OrdersLive = HttpApiBuilder.group(PartnerApi, "Orders", (handlers) =>
  Effect.map(Orders, (orders) =>
    handlers
      .handle("listOrders", ({ query }) =>
        read(
          (installation) =>
            orders.list(installation.storeId, { ...query, isPersonal: visibilityOf(installation).isPersonal }),
          page("orders")
        )
      )
      .handle("searchOrders", ({ query: { cursor, limit, ...query } }) =>
        read(
          (installation) => orders.query(installation.storeId, query, { cursor, limit }, visibilityOf(installation)),
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
          (installation) =>
            customers.list(installation.storeId, { ...query, isPersonal: visibilityOf(installation).isPersonal }),
          page("customers")
        )
      )
      .handle("searchCustomers", ({ query: { cursor, limit, ...query } }) =>
        read(
          (installation) => customers.query(installation.storeId, query, { cursor, limit }, visibilityOf(installation)),
          searchPage("customers")
        )
      )
  )
)
