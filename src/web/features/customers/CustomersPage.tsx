import { ago, day } from "../../shared/data/dates.ts"
import { getRouteApi, Link } from "@tanstack/react-router"
import type { Customer, CustomerQuery } from "../../../domain/records/Customer.ts"
import type { QueryCursor } from "../../../domain/Query.ts"
import type { StoreId } from "../../../rpc/Client.ts"
import { number } from "../../shared/data/format.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { withSearch } from "../../shared/data/urlSearch.ts"
import { usePagedQuery } from "../../shared/data/usePagedQuery.ts"
import { ListPage } from "../../shared/ui/display/ListPage.tsx"
import { SearchField } from "../../shared/ui/form/SearchField.tsx"
import type { Column } from "../../shared/ui/display/Table.tsx"
import { customerName } from "../records/customerName.ts"
import { parseCustomerSearch } from "../records/recordSearch.ts"
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
  { name: customerTexts.list.created, cell: ({ createdAt }) => day(createdAt), sort: "-createdAt" },
  { name: customerTexts.list.updated, cell: ({ updatedAt }) => ago(updatedAt), sort: "-updatedAt" }
]

const NEWEST_FIRST = "-createdAt"

/** Customers of the store, newest first. */
export const CustomersPage = () => {
  const { storeId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (part: Partial<Record<keyof CustomerQuery, string | undefined>>, replace = false) =>
    void navigate({ search: parseCustomerSearch(withSearch(search, part)), replace })
  const isFiltered = search.search !== undefined
  const list = usePagedQuery(
    [storeId, "customers", search],
    (from: { readonly cursor?: QueryCursor }) => (client) =>
      client.customers.query({ storeId, limit: 50, ...search, ...from }),
    { keepPrevious: true }
  )
  const all = useRpcQuery([storeId, "customers", "count"], (client) => client.customers.query({ storeId, limit: 1 }), {
    enabled: isFiltered
  })
  return (
    <ListPage
      texts={customerTexts.list}
      list={list}
      columns={columnsOf(storeId)}
      sorting={{
        sort: search.sort ?? NEWEST_FIRST,
        change: (sort) => change({ sort: sort === NEWEST_FIRST ? undefined : sort })
      }}
      all={all.data?.total}
      clear={isFiltered ? () => change({ search: undefined }) : undefined}
      filters={
        <SearchField
          label={customerTexts.list.search}
          placeholder={customerTexts.list.searchPlaceholder}
          value={search.search ?? ""}
          change={(text) => change({ search: text }, isFiltered)}
        />
      }
    />
  )
}
