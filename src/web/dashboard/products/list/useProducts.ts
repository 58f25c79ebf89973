import { type InfiniteData, type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import type { Product } from "../../../../domain/catalog/Product.ts"
import type { Changed, ProductId, StoreId } from "../../../../rpc/Client.ts"
import { type ListPage, usePagedQuery } from "../../../data/usePagedQuery.ts"
import { useLatestChanges } from "../../../data/liveUpdates.ts"
import { callService } from "../../../data/service.ts"
import { listProducts, productListKey } from "./productListQuery.ts"
import type { SearchResult, SearchCursor } from "../../../../domain/catalog/Search.ts"
import type { Row } from "./listView.ts"

/** Milliseconds for which rows are visible before they are refetched. Rows that are scrolled past are not. */
const VISIBLE_MILLIS = 100

type Pages = InfiniteData<ListPage<Product, ProductId>>

/** Changes the loaded pages. */
const changePages = (
  queryClient: QueryClient,
  storeId: StoreId,
  change: (page: ListPage<Product, ProductId>, isLast: boolean) => ListPage<Product, ProductId>
) =>
  queryClient.setQueryData<Pages>(
    productListKey(storeId),
    (loaded) =>
      loaded && {
        ...loaded,
        pages: loaded.pages.map((page, index) => change(page, index === loaded.pages.length - 1))
      }
  )

/** Replaces older cached versions of a product. */
export const cacheProduct = (queryClient: QueryClient, storeId: StoreId, product: Product): void => {
  const isOlder = ({ id, version }: Product) => id === product.id && version < product.version
  queryClient.setQueryData<Product>([storeId, "product", product.id], (cached) =>
    cached === undefined || isOlder(cached) ? product : cached
  )
  changePages(queryClient, storeId, (page) =>
    page.items.some(isOlder) ? { ...page, items: page.items.map((one) => (isOlder(one) ? product : one)) } : page
  )
}

/** Removes a deleted product from the loaded pages. */
export const uncacheProduct = (queryClient: QueryClient, storeId: StoreId, productId: ProductId): void => {
  changePages(queryClient, storeId, (page) => ({ ...page, items: page.items.filter(({ id }) => id !== productId) }))
}

/** Reconciles loaded rows with later changes: deleted rows, outdated rows, and products that are not listed yet. */
export const reconcile = (items: ReadonlyArray<Product>, latest: ReadonlyMap<string, Changed>, isComplete: boolean) => {
  const isDeleted = ({ id }: Product) => latest.get(id)?.kind === "deleted"
  const isOutdated = ({ id, version }: Product) => (latest.get(id)?.version ?? 0) > version
  const last = items.at(-1)?.id ?? ""
  const isNew = ({ kind, resource, resourceId }: Changed) =>
    resource === "product" && kind !== "deleted" && resourceId > last
  return {
    rows: items.some(isDeleted) ? items.filter((one) => !isDeleted(one)) : items,
    outdated: new Set(items.filter(isOutdated).map(({ id }) => id)),
    // In a list with more pages, new products arrive with the next page.
    created: isComplete ? [...latest.values()].filter(isNew).length : 0
  }
}

/**
 * Product list with pages. After a change only visible rows are refetched, so that the cost does not depend on the
 * length of the list.
 */
export const useProducts = (storeId: StoreId, options: { readonly enabled: boolean }) => {
  const queryClient = useQueryClient()
  const latest = useLatestChanges()
  const {
    query: listQuery,
    items,
    more
  } = usePagedQuery<Product, ProductId, unknown>(productListKey(storeId), listProducts(storeId), {
    ...options,
    staleTime: Number.POSITIVE_INFINITY
  })
  // Text, so that equal rows do not change the state.
  const [visibleIds, setVisibleIds] = useState("")
  const { created, outdated, rows } = useMemo(
    () => reconcile(items ?? [], latest, !more.hasMore),
    [items, latest, more.hasMore]
  )

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const onRowsVisible = useCallback((ids: ReadonlyArray<ProductId>) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setVisibleIds(ids.join(" ")), VISIBLE_MILLIS)
  }, [])

  const stale = useMemo(
    () => rows.filter(({ id }) => outdated.has(id) && visibleIds.includes(id)).map(({ id }) => id),
    [rows, outdated, visibleIds]
  )
  useEffect(() => {
    for (const id of stale) {
      void queryClient
        .fetchQuery({
          queryKey: [storeId, "product", id],
          queryFn: ({ signal }) => callService((client) => client.products.get({ storeId, id }), signal),
          staleTime: 0
        })
        .then(
          (product) => cacheProduct(queryClient, storeId, product),
          // The row stays as it is until it is visible again.
          () => undefined
        )
    }
  }, [queryClient, storeId, stale])

  /** Loads products that were created after the end of the list. */
  const loadCreated = useCallback(() => {
    changePages(queryClient, storeId, (page, isLast) => ({
      ...page,
      nextCursor: isLast ? (page.items.at(-1)?.id ?? page.nextCursor) : page.nextCursor
    }))
    void listQuery.fetchNextPage()
  }, [queryClient, storeId, listQuery])

  return { listQuery, rows: items === undefined ? undefined : rows, more, created, loadCreated, onRowsVisible }
}

/** Largest page of the search. */
const SEARCH_PAGE_SIZE = 50

/** Products of the list page: all, or the search results. */
export const useProductList = (storeId: StoreId, query: string) => {
  const all = useProducts(storeId, { enabled: query === "" })
  const results = usePagedQuery<typeof SearchResult.Type, SearchCursor, unknown>(
    [storeId, "products", "search", query],
    (cursor) => (client) => client.products.search({ storeId, query, limit: SEARCH_PAGE_SIZE, ...cursor }),
    { enabled: query !== "", keepPrevious: true }
  )
  const rows: ReadonlyArray<Row> | undefined = query === "" ? all.rows : results.items
  const { error, refetch } = query === "" ? all.listQuery : results.query
  return {
    listQuery: { data: rows, error, refetch },
    rows,
    more: query === "" ? all.more : results.more,
    created: query === "" ? all.created : 0,
    loadCreated: all.loadCreated,
    onRowsVisible: all.onRowsVisible
  }
}
