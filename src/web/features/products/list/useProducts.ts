import { type InfiniteData, notifyManager, type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import type { Product } from "../../../../domain/catalog/Product.ts"
import type { QueryCursor } from "../../../../domain/Query.ts"
import type { Changed, ProductId, StoreId } from "../../../../rpc/Client.ts"
import { type ListPage, usePagedQuery } from "../../../shared/data/queries.ts"
import { useLatestChanges } from "../../../shared/data/liveUpdates.tsx"
import { callService } from "../../../shared/data/service.ts"
import { listProducts, productListKey, productListsKey, DEFAULT_SORT, filterOf, type View } from "./listView.ts"

/** Milliseconds for which rows are visible before they are refetched. Rows that are scrolled past are not. */
const VISIBLE_MILLIS = 100

type Pages = InfiniteData<ListPage<Product, QueryCursor>>

/** Changes the loaded pages of all views. */
const changePages = (
  queryClient: QueryClient,
  storeId: StoreId,
  change: (page: ListPage<Product, QueryCursor>) => ListPage<Product, QueryCursor>
) =>
  queryClient.setQueriesData<Pages>(
    { queryKey: productListsKey(storeId) },
    (loaded) => loaded && { ...loaded, pages: loaded.pages.map(change) }
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

/** Reloads the lists from their first page: visible ones at once, the others when they are opened. */
export const reloadLists = (queryClient: QueryClient, storeId: StoreId): void => {
  const filter = { queryKey: productListsKey(storeId) }
  notifyManager.batch(() => {
    queryClient.setQueriesData<Pages>(
      filter,
      (loaded) => loaded && { pages: loaded.pages.slice(0, 1), pageParams: loaded.pageParams.slice(0, 1) }
    )
    void queryClient.invalidateQueries(filter)
  })
}

/** Reconciles loaded rows with later changes: deleted rows and outdated rows. */
export const reconcile = (items: ReadonlyArray<Product>, latest: ReadonlyMap<string, Changed>) => {
  const isDeleted = ({ id }: Product) => latest.get(id)?.kind === "deleted"
  const isOutdated = ({ id, version }: Product) => (latest.get(id)?.version ?? 0) > version
  return {
    rows: items.some(isDeleted) ? items.filter((one) => !isDeleted(one)) : items,
    outdated: new Set(items.filter(isOutdated).map(({ id }) => id))
  }
}

/**
 * Products of a view, with pages. After a change only visible rows are refetched, so that the cost does not depend on
 * the length of the list. The number of matches and the newest match are asked for again; they show whether the list
 * lacks products.
 */
export const useProducts = (storeId: StoreId, view: View) => {
  const queryClient = useQueryClient()
  const latest = useLatestChanges()
  const {
    query: listQuery,
    items,
    more,
    total: loadedTotal
  } = usePagedQuery<Product, QueryCursor, unknown>(productListKey(storeId, view), listProducts(storeId, view), {
    keepPrevious: true,
    staleTime: Number.POSITIVE_INFINITY
  })
  // Text, so that equal rows do not change the state.
  const [visibleIds, setVisibleIds] = useState("")
  const { outdated, rows } = useMemo(() => reconcile(items ?? [], latest), [items, latest])

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

  const isNewestFirst = (view.sort ?? DEFAULT_SORT) === DEFAULT_SORT
  const isLoaded = items !== undefined && !listQuery.isPlaceholderData
  const filter = filterOf(view)
  const { data: now } = useQuery({
    // The key starts with "products", so that product changes refetch it.
    queryKey: [storeId, "products", "newest", filter],
    queryFn: async ({ signal }) => {
      const page = await callService((client) => client.products.query({ storeId, ...filter, limit: 1 }), signal)
      return { newest: page.items[0]?.id, total: page.total }
    },
    enabled: isLoaded,
    ...(isLoaded && isNewestFirst && loadedTotal !== undefined
      ? { initialData: { newest: items[0]?.id, total: loadedTotal } }
      : {})
  })
  const total = isLoaded ? (now?.total ?? loadedTotal) : undefined
  const isNewer = isNewestFirst && now?.newest !== undefined && now.newest > (items?.[0]?.id ?? "")
  const deleted = (items?.length ?? 0) - rows.length
  const isLarger = typeof total === "number" && typeof loadedTotal === "number" && total > loadedTotal - deleted

  return {
    listQuery,
    rows: items === undefined ? undefined : rows,
    more,
    /** Number of matches; null if they are too many to count, undefined while they are loaded. */
    total,
    /** True if products match that are neither loaded nor on a later page. */
    hasNew: isLoaded && (isNewer || isLarger),
    reload: () => reloadLists(queryClient, storeId),
    onRowsVisible
  }
}
