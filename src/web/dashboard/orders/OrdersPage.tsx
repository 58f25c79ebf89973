import { getRouteApi, Link } from "@tanstack/react-router"
import type { Order } from "../../../domain/records/Order.ts"
import type { OrderId, StoreId } from "../../../rpc/Client.ts"
import { money, number, time } from "../../data/format.ts"
import { usePagedQuery } from "../../data/usePagedQuery.ts"
import type { Column } from "../../ui/display/Table.tsx"
import { RecordsPage } from "../records/RecordsPage.tsx"
import { updatedSinceOf } from "../records/dateSearch.ts"
import { OrderStatusBadge, CustomStatusBadge } from "../records/OrderStatusBadges.tsx"
import { orderTexts } from "./orderTexts.ts"

const route = getRouteApi("/dashboard/member/$storeId/orders")

const columnsOf = (storeId: StoreId): ReadonlyArray<Column<Order>> => [
  {
    name: orderTexts.list.order,
    cell: ({ id, number }) => (
      <Link to="/dashboard/$storeId/orders/$orderId" params={{ storeId, orderId: id }}>
        {number}
      </Link>
    )
  },
  { name: orderTexts.list.placed, cell: ({ placedAt }) => time(placedAt) },
  { name: orderTexts.list.customer, cell: ({ email, shippingAddress }) => shippingAddress?.name ?? email ?? "—" },
  { name: orderTexts.list.status, cell: ({ status }) => <OrderStatusBadge status={status} /> },
  { name: orderTexts.list.payment, cell: ({ financialStatus }) => <CustomStatusBadge word={financialStatus} /> },
  {
    name: orderTexts.list.fulfillment,
    cell: ({ fulfillmentStatus }) => <CustomStatusBadge word={fulfillmentStatus} />
  },
  { name: orderTexts.list.items, cell: ({ lineItems }) => number(lineItems.length), isNumber: true },
  { name: orderTexts.list.total, cell: ({ currencyCode, total }) => money(total, currencyCode), isNumber: true }
]

/** Orders of the store, oldest first. */
export const OrdersPage = () => {
  const { storeId } = route.useParams()
  const since = route.useSearch()
  const navigate = route.useNavigate()
  const list = usePagedQuery(
    [storeId, "orders", since.since ?? "all"],
    (cursor: { readonly cursor?: OrderId }) => (client) =>
      client.orders.list({ storeId, limit: 50, ...updatedSinceOf(since), ...cursor }),
    { keepPrevious: true }
  )
  return (
    <RecordsPage
      texts={orderTexts.list}
      list={list}
      columns={columnsOf(storeId)}
      since={since}
      change={(search) => void navigate({ search, replace: true })}
    />
  )
}
