import { getRouteApi, Link } from "@tanstack/react-router"
import type { Customer } from "../../../domain/records/Customer.ts"
import type { CustomerId, StoreId } from "../../../rpc/Client.ts"
import { ago, number } from "../../data/format.ts"
import { usePagedQuery } from "../../data/usePagedQuery.ts"
import type { Column } from "../../ui/display/Table.tsx"
import { customerName } from "../records/customerName.ts"
import { RecordsPage } from "../records/RecordsPage.tsx"
import { updatedSinceOf } from "../records/dateSearch.ts"
import { customerTexts } from "./customerTexts.ts"

const route = getRouteApi("/dashboard/member/$storeId/customers")

const columnsOf = (storeId: StoreId): ReadonlyArray<Column<Customer>> => [
  {
    name: customerTexts.list.customer,
    cell: (customer) => (
      <Link to="/dashboard/$storeId/customers/$customerId" params={{ storeId, customerId: customer.id }}>
        {customerName(customer)}
      </Link>
    )
  },
  { name: customerTexts.list.email, cell: ({ email }) => email ?? "—" },
  { name: customerTexts.list.company, cell: ({ company }) => company ?? "—" },
  { name: customerTexts.list.orders, cell: ({ ordersCount }) => number(ordersCount), isNumber: true },
  { name: customerTexts.list.totalSpent, cell: ({ totalSpent }) => number(totalSpent), isNumber: true },
  { name: customerTexts.list.updated, cell: ({ updatedAt }) => ago(updatedAt) }
]

/** Customers of the store, oldest first. */
export const CustomersPage = () => {
  const { storeId } = route.useParams()
  const since = route.useSearch()
  const navigate = route.useNavigate()
  const list = usePagedQuery(
    [storeId, "customers", since.since ?? "all"],
    (cursor: { readonly cursor?: CustomerId }) => (client) =>
      client.customers.list({ storeId, limit: 50, ...updatedSinceOf(since), ...cursor }),
    { keepPrevious: true }
  )
  return (
    <RecordsPage
      texts={customerTexts.list}
      list={list}
      columns={columnsOf(storeId)}
      since={since}
      change={(search) => void navigate({ search, replace: true })}
    />
  )
}
