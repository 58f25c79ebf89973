import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import type { ProductSummary } from "../../domain/catalog/ProductSummary.ts"
import type { ProductId, StoreId } from "../../rpc/Client.ts"
import { callService } from "./service.ts"

/** Milliseconds during which requests are batched, for rows that become visible together. */
const BATCH_MILLIS = 10

/** Ids per request. */
const BATCH_SIZE = 200

type Summaries = ReadonlyMap<string, ProductSummary>

let batch: { readonly ids: Set<ProductId>; readonly summaries: Promise<Summaries> } | undefined
let batchStoreId: StoreId | undefined

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Adds the id to the current batch. */
const loadBatched = (storeId: StoreId, id: ProductId): Promise<Summaries> => {
  if (batch === undefined || batchStoreId !== storeId || batch.ids.size === BATCH_SIZE) {
    const ids = new Set<ProductId>()
    const load = async () => {
      await sleep(BATCH_MILLIS)
      if (batch?.ids === ids) batch = undefined
      const { items } = await callService((client) => client.products.summaries({ storeId, ids: [...ids] }))
      return new Map(items.map((item) => [item.id, item]))
    }
    batchStoreId = storeId
    batch = { ids, summaries: load() }
  }
  batch.ids.add(id)
  return batch.summaries
}

/** Summary of a product by id. Null if the product is deleted. */
export const useProductSummary = (storeId: StoreId, id: ProductId): UseQueryResult<ProductSummary | null> =>
  useQuery({
    queryKey: [storeId, "product", id, "summary"],
    queryFn: async () => (await loadBatched(storeId, id)).get(id) ?? null
  })
