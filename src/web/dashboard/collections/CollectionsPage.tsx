import { Link } from "@tanstack/react-router"
import type { Collection } from "../../../domain/catalog/Collection.ts"
import type { CollectionId, StoreId } from "../../../rpc/Client.ts"
import { ago, count, number } from "../../data/format.ts"
import { usePagedQuery } from "../../data/usePagedQuery.ts"
import { Badge } from "../../ui/display/Badge.tsx"
import { buttonClass } from "../../ui/form/Button.tsx"
import { Card, Page } from "../../ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../ui/display/Table.tsx"
import { useStoreId } from "../store.ts"

const columnsOf = (storeId: StoreId): ReadonlyArray<Column<Collection>> => [
  {
    name: "Title",
    cell: ({ id, title }) => (
      <Link to="/dashboard/$storeId/collections/$collectionId" params={{ storeId, collectionId: id }}>
        {title}
      </Link>
    )
  },
  {
    name: "Type",
    cell: ({ rules, type }) => (type === "manual" ? "Manual" : `Automated, ${count(rules.length, "rule")}`)
  },
  { name: "Products", cell: ({ productCount }) => number(productCount), isNumber: true },
  {
    name: "Status",
    cell: ({ isActive }) => (isActive ? <Badge tone="good">Active</Badge> : <Badge>Inactive</Badge>)
  },
  { name: "Updated", cell: ({ updatedAt }) => ago(updatedAt) }
]

/** Collections of the store. */
export const CollectionsPage = () => {
  const storeId = useStoreId()
  const {
    query,
    items = [],
    more
  } = usePagedQuery(
    [storeId, "collections"],
    (cursor: { readonly cursor?: CollectionId }) => (client) =>
      client.collections.list({ storeId, limit: 50, ...cursor })
  )
  const createLink = (
    <Link className={buttonClass("strong")} to="/dashboard/$storeId/collections/new" params={{ storeId }}>
      Create collection
    </Link>
  )
  return (
    <Page title="Collections" actions={createLink}>
      <QueryBoundary query={query}>
        {() =>
          items.length === 0 ? (
            <EmptyState title="No collections yet">
              <p>Group products by hand, or let rules choose them.</p>
              {createLink}
            </EmptyState>
          ) : (
            <Card>
              <Table caption="Collections" columns={columnsOf(storeId)} rows={items} keyOf={({ id }) => id} />
              <More {...more} />
            </Card>
          )
        }
      </QueryBoundary>
    </Page>
  )
}
