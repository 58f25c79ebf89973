import type { QueryClient } from "@tanstack/react-query"
import type { Client, ProductId, StoreId } from "../../../../rpc/Client.ts"
import { listQuery } from "../../../data/usePagedQuery.ts"
import { followedKey } from "../../../data/liveUpdates.ts"

/** Small first page, so that the list appears fast. */
const FIRST_PAGE_SIZE = 50
const PAGE_SIZE = 200

/** Query key of the product list. */
export const productListKey = (storeId: StoreId) => followedKey(storeId, "products")

/** Loads a page of products. */
export const listProducts = (storeId: StoreId) => (from: { readonly cursor?: ProductId }) => (client: Client) =>
  client.products.list({ storeId, limit: from.cursor === undefined ? FIRST_PAGE_SIZE : PAGE_SIZE, ...from })

/** Loads the first page in parallel with the code of the products page. */
export const prefetchProducts = (queryClient: QueryClient, storeId: StoreId): void =>
  void queryClient.prefetchInfiniteQuery({
    ...listQuery(productListKey(storeId), listProducts(storeId)),
    staleTime: Number.POSITIVE_INFINITY
  })
