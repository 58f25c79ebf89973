import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { Effect, Exit, Request, RequestResolver } from "effect"
import type { ProductSummary } from "../../../domain/catalog/ProductSummary.ts"
import type { Client, ProductId, StoreId } from "../../../rpc/Client.ts"
import { callService } from "./service.ts"

class GetSummary extends Request.Class<
  { readonly client: Client; readonly storeId: StoreId; readonly id: ProductId },
  ProductSummary | null,
  Effect.Error<ReturnType<Client["products"]["summaries"]>>
> {}

/** Gets the summaries of rows that become visible together in one call. */
const summaries = RequestResolver.makeGrouped<GetSummary, StoreId>({
  key: ({ request }) => request.storeId,
  resolver: Effect.fnUntraced(function* (entries, storeId) {
    const { items } = yield* entries[0].request.client.products.summaries({
      storeId,
      ids: entries.map(({ request }) => request.id)
    })
    const byId = new Map(items.map((item) => [item.id, item]))
    for (const entry of entries) entry.completeUnsafe(Exit.succeed(byId.get(entry.request.id) ?? null))
  })
}).pipe(RequestResolver.setDelay("10 millis"), RequestResolver.batchN(200))

/** Summary of a product by id. Null if the product is deleted. */
export const useProductSummary = (storeId: StoreId, id: ProductId): UseQueryResult<ProductSummary | null> =>
  useQuery({
    queryKey: [storeId, "product", id, "summary"],
    queryFn: ({ signal }) =>
      callService((client) => Effect.request(new GetSummary({ client, storeId, id }), summaries), signal)
  })
