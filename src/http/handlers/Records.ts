import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Installation } from "../../domain/access/Installations.ts"
import { Customers } from "../../domain/records/Customer.ts"
import { Orders } from "../../domain/records/Order.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { page, read } from "./Responses.ts"

/** True if the installation may read personal data. */
const canReadPersonalData = ({ capabilities }: Installation) => capabilities.includes("customer_pii")

export const OrdersLive = HttpApiBuilder.group(PartnerApi, "Orders", (handlers) =>
  Effect.map(Orders, (orders) =>
    handlers.handle("listOrders", ({ query }) =>
      read(
        (installation) =>
          orders.list(installation.storeId, { ...query, isPersonal: canReadPersonalData(installation) }),
        page("orders")
      )
    )
  )
)

export const CustomersLive = HttpApiBuilder.group(PartnerApi, "Customers", (handlers) =>
  Effect.map(Customers, (customers) =>
    handlers.handle("listCustomers", ({ query }) =>
      read(
        (installation) =>
          customers.list(installation.storeId, { ...query, isPersonal: canReadPersonalData(installation) }),
        page("customers")
      )
    )
  )
)
