import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { listOf } from "../../domain/Bounded.ts"
import { ProductId } from "../../domain/catalog/Product.ts"
import { ProductSummary } from "../../domain/catalog/ProductSummary.ts"
import { MAX_LIMIT } from "../../domain/Page.ts"
import { Identified } from "../Principal.ts"
import { inStore } from "./CommonSchemas.ts"

/** In order of their ids; what the store has not, or no longer, is left out. For lists that hold ids alone, as a collection does. */
export const summarizeProducts = Rpc.make("products.summaries", {
  payload: {
    ...inStore,
    ids: listOf(ProductId, MAX_LIMIT).annotate({ description: `Ids of products, at most ${MAX_LIMIT}` })
  },
  success: Schema.Struct({ items: Schema.Array(ProductSummary) })
})

/** Products that are known by their ids, in a small form. */
export class SummaryRpcs extends RpcGroup.make(summarizeProducts).middleware(Identified) {}
