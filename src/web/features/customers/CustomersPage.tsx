import { Day } from "../../shared/ui/display/Values.tsx"
import { ago, number } from "../../shared/data/format.ts"
import { getRouteApi, Link } from "@tanstack/react-router"
import type { Customer } from "../../../domain/records/Customer.ts"
import type { StoreId } from "../../../rpc/Client.ts"
import { withSearch } from "../../shared/data/urlSearch.ts"
import { SearchedListPage } from "../../shared/ui/display/ListPage.tsx"
import type { Column } from "../../shared/ui/display/Table.tsx"
import { customerName } from "../orders/records.tsx"
import { parseCustomerSearch } from "../orders/recordSearch.ts"
import { customerTexts } from "./customerTexts.ts"

const route = getRouteApi("/dashboard/member/$storeId/customers")

const columnsOf = (storeId: StoreId): ReadonlyArray<Column<Customer>> => [
  {
    name: customerTexts.list.customer,
    cell: (customer) => (
      <Link to="/dashboard/$storeId/customers/$customerId" params={{ storeId, customerId: customer.id }}>
        {customerName(customer)}
      </Link>
    ),
    sort: "name"
  },
  { name: customerTexts.list.email, cell: ({ email }) => email ?? "—" },
  { name: customerTexts.list.company, cell: ({ company }) => company ?? "—" },
  {
    name: customerTexts.list.orders,
    cell: ({ ordersCount }) => number(ordersCount),
    isNumber: true,
    sort: "-ordersCount"
  },
  {
    name: customerTexts.list.totalSpent,
    cell: ({ totalSpent }) => number(totalSpent),
    isNumber: true,
    sort: "-totalSpent"
  },
  { name: customerTexts.list.created, cell: ({ createdAt }) => <Day at={createdAt} />, sort: "-createdAt" },
  { name: customerTexts.list.updated, cell: ({ updatedAt }) => ago(updatedAt), sort: "-updatedAt" }
]

/** Customers of the store, newest first. */
export const CustomersPage = () => {
  const { storeId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <SearchedListPage
      texts={customerTexts.list}
      storeId={storeId}
      name="customers"
      search={search}
      change={(part, replace = false) =>
        void navigate({ search: parseCustomerSearch(withSearch(search, part)), replace })
      }
      columns={columnsOf(storeId)}
      content={{ kind: "customers", where: search.search === undefined ? {} : { search: search.search } }}
      read={(page) => (client) => client.customers.query({ storeId, ...search, ...page })}
      readAll={(client) => client.customers.query({ storeId, limit: 1 })}
    />
  )
}
