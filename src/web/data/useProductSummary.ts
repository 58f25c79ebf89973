import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import type { ProductSummary } from "../../domain/catalog/ProductSummary.ts"
import type { ProductId, StoreId } from "../../rpc/Client.ts"
import { callService } from "./service.ts"

/** Milliseconds in which products are asked for together, as rows of a list that come into sight at once. */
const BATCH_MILLIS = 10

/** Ids of one call at most. */
const BATCH_SIZE = 200

type Summaries = ReadonlyMap<string, ProductSummary>

let batch: { readonly ids: Set<ProductId>; readonly answer: Promise<Summaries> } | undefined
let batchStoreId: StoreId | undefined

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Asks for a product together with others that are asked for by then. */
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
    batch = { ids, answer: load() }
  }
  batch.ids.add(id)
  return batch.answer
}

/** What a product is called, of which the id is known; null where it is gone. */
export const useProductSummary = (storeId: StoreId, id: ProductId): UseQueryResult<ProductSummary | null> =>
  useQuery({
    queryKey: [storeId, "product", id, "summary"],
    queryFn: async () => (await loadBatched(storeId, id)).get(id) ?? null
  })
