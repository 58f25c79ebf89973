import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import type { ProductSummary } from "../../domain/catalog/ProductSummary.ts"
import type { ProductId, StoreId } from "../../rpc/Client.ts"
import { ask } from "./Service.ts"

/** Milliseconds in which products are asked for together, as rows of a list that come into sight at once. */
const GATHERED = 10

/** Ids of one call at most. */
const TOGETHER = 200

type Summaries = ReadonlyMap<string, ProductSummary>

let gathering: { readonly ids: Set<ProductId>; readonly answer: Promise<Summaries> } | undefined
let gatheringIn: StoreId | undefined

const rest = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Asks for a product together with others that are asked for by then. */
const gather = (storeId: StoreId, id: ProductId): Promise<Summaries> => {
  if (gathering === undefined || gatheringIn !== storeId || gathering.ids.size === TOGETHER) {
    const ids = new Set<ProductId>()
    const answered = async () => {
      await rest(GATHERED)
      if (gathering?.ids === ids) gathering = undefined
      const { items } = await ask((client) => client.products.summaries({ storeId, ids: [...ids] }))
      return new Map(items.map((item) => [item.id, item]))
    }
    gatheringIn = storeId
    gathering = { ids, answer: answered() }
  }
  gathering.ids.add(id)
  return gathering.answer
}

/** What a product is called, of which the id is known; null where it is gone. */
export const useSummary = (storeId: StoreId, id: ProductId): UseQueryResult<ProductSummary | null> =>
  useQuery({
    queryKey: [storeId, "product", id, "summary"],
    queryFn: async () => (await gather(storeId, id)).get(id) ?? null
  })
