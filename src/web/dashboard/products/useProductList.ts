import type { StoreId } from "../../../rpc/Client.ts"
import type { FoundProduct, SearchCursor } from "../../../domain/catalog/Search.ts"
import { usePagedQuery } from "../../data/usePagedQuery.ts"
import type { Row } from "./listView.ts"
import { useProducts } from "./useProducts.ts"

/** Largest page of the search. */
const SEARCH_PAGE_SIZE = 50

/** Products of the list page: all, or the search results. */
export const useProductList = (storeId: StoreId, query: string) => {
  const all = useProducts(storeId, { enabled: query === "" })
  const found = usePagedQuery<typeof FoundProduct.Type, SearchCursor, unknown>(
    [storeId, "products", "search", query],
    (cursor) => (client) => client.products.search({ storeId, query, limit: SEARCH_PAGE_SIZE, ...cursor }),
    { enabled: query !== "", keepPrevious: true }
  )
  const rows: ReadonlyArray<Row> | undefined = query === "" ? all.rows : found.items
  const { error, refetch } = query === "" ? all.listQuery : found.query
  return {
    listQuery: { data: rows, error, refetch },
    rows,
    more: query === "" ? all.more : found.more,
    created: query === "" ? all.created : 0,
    loadCreated: all.loadCreated,
    onRowsVisible: all.see
  }
}
