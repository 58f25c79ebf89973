import type { QueryClient, QueryKey } from "@tanstack/react-query"
import type { QueryCursor } from "../../../../domain/Query.ts"
import type { Client, StoreId } from "../../../../rpc/Client.ts"
import { listQuery } from "../../../shared/data/usePagedQuery.ts"
import { followedKey } from "../../../shared/data/liveUpdates.tsx"
import type { View } from "./listView.ts"

/** Small first page, so that the list appears fast. */
const FIRST_PAGE_SIZE = 50
export const PAGE_SIZE = 200

/** Query key of the lists of all views. */
export const productListsKey = (storeId: StoreId): QueryKey => followedKey(storeId, "products")

export const productListKey = (storeId: StoreId, view: View): QueryKey => [...productListsKey(storeId), view]

/** Loads a page of the products of a view. */
export const listProducts =
  (storeId: StoreId, view: View) => (from: { readonly cursor?: QueryCursor }) => (client: Client) =>
    client.products.query({
      storeId,
      ...view,
      limit: from.cursor === undefined ? FIRST_PAGE_SIZE : PAGE_SIZE,
      ...from
    })

/** Loads the first page in parallel with the code of the products page. */
export const prefetchProducts = (queryClient: QueryClient, storeId: StoreId, view: View): void =>
  void queryClient.prefetchInfiniteQuery({
    ...listQuery(productListKey(storeId, view), listProducts(storeId, view)),
    staleTime: Number.POSITIVE_INFINITY
  })
