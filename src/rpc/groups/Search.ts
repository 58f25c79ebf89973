import { Rpc, RpcGroup } from "effect/rpc"
import { field, optional } from "../../domain/catalog/Fields.ts"
import {
  DEFAULT_SEARCH_LIMIT,
  SearchResult,
  MAX_SEARCH_LIMIT,
  Query,
  SearchCursor
} from "../../domain/catalog/Search.ts"
import { ForAgents } from "../Annotations.ts"
import { agentsWith, CallersOf, Identified } from "../Principal.ts"
import { inStore, paged, Page, whole } from "./CommonSchemas.ts"

/** The best first, as `found` says of each. */
export const searchProducts = Rpc.make("products.search", {
  payload: {
    ...inStore,
    query: field(
      Query,
      "What is looked for: words, or a SKU or barcode, in any case and without accents. Each word must begin a word of the name, vendor, category or tags, where one letter may be wrong; or all of it begins a SKU or barcode. The first 8 words count",
      "oak des"
    ),
    cursor: paged(SearchCursor).cursor,
    limit: optional(whole(1, MAX_SEARCH_LIMIT, `Products of a page at most: ${DEFAULT_SEARCH_LIMIT} when absent`))
  },
  success: Page(SearchResult, SearchCursor)
})
  .annotate(CallersOf, agentsWith("read_products"))
  .annotate(
    ForAgents,
    'Finds products by text, in a small form: use it whenever a product is meant by its name, SKU or barcode, to learn its id, and products.get to see all of one. Each word of `query` must begin a word of the product\'s name, vendor, category or tags, or its SKU or barcode; one typing error in a word of four letters or more is forgiven, and such products come last (`found` is `similar`). Fewer words find more. Example: query "oak des" finds the Oak desk.'
  )

/** Search of what a store sells. */
export class SearchRpcs extends RpcGroup.make(searchProducts).middleware(Identified) {}
