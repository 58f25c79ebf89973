import { getRouteApi, Link } from "@tanstack/react-router"
import type { Customer } from "../../../domain/records/Customer.ts"
import type { CustomerId, StoreId } from "../../../rpc/Client.ts"
import { ago, count, number } from "../../data/Format.ts"
import { useList } from "../../data/Lists.ts"
import { Card, Page } from "../../ui/Page.tsx"
import { Answered, Empty } from "../../ui/States.tsx"
import { type Column, More, Table } from "../../ui/Table.tsx"
import { nameOf } from "../records/Names.ts"
import { sinceOf } from "../records/Since.ts"
import { SinceField } from "../records/SinceField.tsx"

const route = getRouteApi("/dashboard/member/$storeId/customers")

const columnsOf = (storeId: StoreId): ReadonlyArray<Column<Customer>> => [
  {
    name: "Customer",
    cell: (customer) => (
      <Link to="/dashboard/$storeId/customers/$customerId" params={{ storeId, customerId: customer.id }}>
        {nameOf(customer)}
      </Link>
    )
  },
  { name: "E-mail address", cell: ({ email }) => email ?? "—" },
  { name: "Company", cell: ({ company }) => company ?? "—" },
  { name: "Orders", cell: ({ ordersCount }) => number(ordersCount), isNumber: true },
  { name: "Spent", cell: ({ totalSpent }) => number(totalSpent), isNumber: true },
  { name: "Changed", cell: ({ updatedAt }) => ago(updatedAt) }
]

/** Who buys, in the order in which they came. */
export const CustomersPage = () => {
  const { storeId } = route.useParams()
  const since = route.useSearch()
  const navigate = route.useNavigate()
  const { asked, items, more } = useList(
    [storeId, "customers", since.since ?? "all"],
    (cursor: { readonly cursor?: CustomerId }) => (client) =>
      client.customers.list({ storeId, limit: 50, ...sinceOf(since), ...cursor }),
    { keepsLast: true }
  )
  return (
    <Page title="Customers" isWide>
      <SinceField since={since} change={(search) => void navigate({ search, replace: true })} />
      <Answered asked={asked} lines={12}>
        {() =>
          items === undefined || items.length === 0 ? (
            since.since === undefined ? (
              <Empty title="No customers yet">
                <p>Customers stand here once they are brought in by an import.</p>
              </Empty>
            ) : (
              <Empty title="No customer is new or changed since then">
                <p>Choose an earlier day, or all.</p>
              </Empty>
            )
          ) : (
            <Card>
              <Table
                caption={`${count(items.length, "customer")}, the first ones first`}
                columns={columnsOf(storeId)}
                rows={items}
                keyOf={({ id }) => id}
              />
              <More {...more} />
            </Card>
          )
        }
      </Answered>
    </Page>
  )
}
