import { Link } from "@tanstack/react-router"
import { Time } from "../../shared/ui/display/Values.tsx"
import { recipientOf } from "../../../domain/records/AddressLines.ts"
import type { Order } from "../../../domain/records/Order.ts"
import type { StoreId } from "../../../rpc/Client.ts"
import { money, number } from "../../shared/data/format.ts"
import type { Column } from "../../shared/ui/display/Table.tsx"
import { OrderStatusBadge, CustomStatusBadge } from "./records.tsx"
import { orderTexts } from "./orderTexts.ts"

export const NEWEST_FIRST = "-placedAt"

/** Name in an address of an order, or its e-mail address. */
const customerText = ({ billingAddress, email, shippingAddress }: Order) =>
  recipientOf(shippingAddress) ?? recipientOf(billingAddress) ?? email ?? "—"

/** Columns of lists of orders. */
export const orderColumnsOf = (storeId: StoreId): ReadonlyArray<Column<Order>> => [
  {
    name: orderTexts.list.order,
    cell: ({ id, number }) => (
      <Link to="/dashboard/$storeId/orders/$orderId" params={{ storeId, orderId: id }}>
        {number}
      </Link>
    ),
    sort: "number"
  },
  { name: orderTexts.list.placed, cell: ({ placedAt }) => <Time at={placedAt} />, sort: NEWEST_FIRST },
  { name: orderTexts.list.customer, cell: customerText },
  { name: orderTexts.list.status, cell: ({ status }) => <OrderStatusBadge status={status} /> },
  { name: orderTexts.list.payment, cell: ({ financialStatus }) => <CustomStatusBadge word={financialStatus} /> },
  {
    name: orderTexts.list.fulfillment,
    cell: ({ fulfillmentStatus }) => <CustomStatusBadge word={fulfillmentStatus} />
  },
  { name: orderTexts.list.items, cell: ({ lineItems }) => number(lineItems.length), isNumber: true },
  {
    name: orderTexts.list.total,
    cell: ({ currencyCode, total }) => money(total, currencyCode),
    isNumber: true,
    sort: "-total"
  }
]
