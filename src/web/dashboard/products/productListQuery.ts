import type { QueryClient } from "@tanstack/react-query"
import type { Client, ProductId, StoreId } from "../../../rpc/Client.ts"
import { listQuery } from "../../data/usePagedQuery.ts"
import { followedKey } from "../../data/liveUpdates.ts"

/** The first page is small, so that it is there at once. */
const FIRST_PAGE_SIZE = 50
const PAGE_SIZE = 200

/** Where the list of all products of a store is kept. */
export const productListKey = (storeId: StoreId) => followedKey(storeId, "products")

/** Asks for a page of them. */
export const listProducts = (storeId: StoreId) => (from: { readonly cursor?: ProductId }) => (client: Client) =>
  client.products.list({ storeId, limit: from.cursor === undefined ? FIRST_PAGE_SIZE : PAGE_SIZE, ...from })

/** Asks for the first page while what shows it is still loaded. */
export const prefetchProducts = (queryClient: QueryClient, storeId: StoreId): void =>
  void queryClient.prefetchInfiniteQuery({
    ...listQuery(productListKey(storeId), listProducts(storeId)),
    staleTime: Number.POSITIVE_INFINITY
  })
