import { getRouteApi, Link } from "@tanstack/react-router"
import { ago, number } from "../../shared/data/format.ts"
import { Day, Badge, Picture } from "../../shared/ui/display/Values.tsx"
import type { Collection } from "../../../domain/catalog/Collection.ts"
import type { ProductId, StoreId } from "../../../rpc/Client.ts"
import { withSearch, parseCollectionSearch } from "../../shared/data/urlSearch.ts"
import { useProductSummary } from "../../shared/data/useProductSummary.ts"
import { SearchedListPage } from "../../shared/ui/display/ListPage.tsx"
import type { Column } from "../../shared/ui/display/Table.tsx"
import { buttonClass } from "../../shared/ui/form/Button.tsx"
import css from "./Collections.module.css"
import { collectionTexts } from "./collectionTexts.ts"

const route = getRouteApi("/dashboard/member/$storeId/collections")

const ProductPicture = ({ id, storeId }: { readonly id: ProductId; readonly storeId: StoreId }) => (
  <Picture url={useProductSummary(storeId, id).data?.imageUrl} alt="" />
)

/** Picture of the collection, or of its first product. */
const Thumbnail = ({
  of: { imageUrl, productIds },
  storeId
}: {
  readonly of: Collection
  readonly storeId: StoreId
}) =>
  imageUrl === null && productIds[0] !== undefined ? (
    <ProductPicture id={productIds[0]} storeId={storeId} />
  ) : (
    <Picture url={imageUrl} alt="" />
  )

const columnsOf = (storeId: StoreId): ReadonlyArray<Column<Collection>> => [
  {
    name: collectionTexts.list.name,
    cell: (collection) => (
      <span className={css["title"]}>
        <Thumbnail of={collection} storeId={storeId} />
        <Link to="/dashboard/$storeId/collections/$collectionId" params={{ storeId, collectionId: collection.id }}>
          {collection.title}
        </Link>
      </span>
    ),
    sort: "title"
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
  { name: collectionTexts.list.created, cell: ({ createdAt }) => <Day at={createdAt} />, sort: "-createdAt" },
  { name: collectionTexts.list.updated, cell: ({ updatedAt }) => ago(updatedAt), sort: "-updatedAt" }
]

/** Collections of the store, newest first. */
export const CollectionsPage = () => {
  const { storeId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <SearchedListPage
      texts={collectionTexts.list}
      storeId={storeId}
      name="collections"
      search={search}
      change={(part, replace = false) =>
        void navigate({ search: parseCollectionSearch(withSearch(search, part)), replace })
      }
      columns={columnsOf(storeId)}
      content={{ kind: "collections", where: search.search === undefined ? {} : { search: search.search } }}
      read={(page) => (client) => client.collections.query({ storeId, ...search, ...page })}
      readAll={(client) => client.collections.query({ storeId, limit: 1 })}
      actions={
        <Link className={buttonClass("strong")} to="/dashboard/$storeId/collections/new" params={{ storeId }}>
          {collectionTexts.create.title}
        </Link>
      }
    />
  )
}
