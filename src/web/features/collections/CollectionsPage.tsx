import { ago } from "../../shared/data/dates.ts"
import { Link } from "@tanstack/react-router"
import type { Collection } from "../../../domain/catalog/Collection.ts"
import type { CollectionId, StoreId } from "../../../rpc/Client.ts"
import { number } from "../../shared/data/format.ts"
import { usePagedQuery } from "../../shared/data/usePagedQuery.ts"
import { Badge } from "../../shared/ui/display/Badge.tsx"
import { buttonClass } from "../../shared/ui/form/Button.tsx"
import { Card, Page } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../shared/ui/display/Table.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { collectionTexts } from "./collectionTexts.ts"

const columnsOf = (storeId: StoreId): ReadonlyArray<Column<Collection>> => [
  {
    name: collectionTexts.list.name,
    cell: ({ id, title }) => (
      <Link to="/dashboard/$storeId/collections/$collectionId" params={{ storeId, collectionId: id }}>
        {title}
      </Link>
    )
  },
  {
    name: collectionTexts.list.type,
    cell: ({ rules, type }) =>
      type === "manual" ? collectionTexts.list.manual : collectionTexts.list.automated(rules.length)
  },
  { name: collectionTexts.list.products, cell: ({ productCount }) => number(productCount), isNumber: true },
  {
    name: collectionTexts.list.status,
    cell: ({ isActive }) =>
      isActive ? (
        <Badge tone="good">{collectionTexts.list.active}</Badge>
      ) : (
        <Badge>{collectionTexts.list.inactive}</Badge>
      )
  },
  { name: collectionTexts.list.updated, cell: ({ updatedAt }) => ago(updatedAt) }
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
      {collectionTexts.create.title}
    </Link>
  )
  return (
    <Page title={collectionTexts.list.title} actions={createLink}>
      <QueryBoundary query={query}>
        {() =>
          items.length === 0 ? (
            <EmptyState title={collectionTexts.list.empty}>
              <p>{collectionTexts.list.emptyAdvice}</p>
              {createLink}
            </EmptyState>
          ) : (
            <Card>
              <Table
                caption={collectionTexts.list.title}
                columns={columnsOf(storeId)}
                rows={items}
                keyOf={({ id }) => id}
              />
              <More {...more} />
            </Card>
          )
        }
      </QueryBoundary>
    </Page>
  )
}
