import type { QueryClient } from "@tanstack/react-query"
import type { Client, ProductId, StoreId } from "../../../rpc/Client.ts"
import { listQuery } from "../../data/usePagedQuery.ts"
import { followedKey } from "../../data/liveUpdates.ts"

/** The first page is small, so that it is there at once. */
const FIRST = 50
const NEXT = 200

/** Where the list of all products of a store is kept. */
export const allKey = (storeId: StoreId) => followedKey(storeId, "products")

/** Asks for a page of them. */
export const allProducts = (storeId: StoreId) => (from: { readonly cursor?: ProductId }) => (client: Client) =>
  client.products.list({ storeId, limit: from.cursor === undefined ? FIRST : NEXT, ...from })

/** Asks for the first page while what shows it is still loaded. */
export const askAhead = (queryClient: QueryClient, storeId: StoreId): void =>
  void queryClient.prefetchInfiniteQuery({
    ...listQuery(allKey(storeId), allProducts(storeId)),
    staleTime: Number.POSITIVE_INFINITY
  })
