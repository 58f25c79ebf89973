import { Effect } from "effect"
import { DEFAULT_SEARCH_LIMIT, Search } from "../../domain/catalog/Search.ts"
import * as Rpcs from "../groups/Search.ts"
import { page } from "./StoredJson.ts"
import { makeProcedures } from "./StoreHandlers.ts"

export const makeSearchProcedures = Effect.gen(function* () {
  const search = yield* Search
  const { inStore } = yield* makeProcedures

  return {
    "products.search": inStore(
      Rpcs.searchProducts,
      ({ payload: { limit = DEFAULT_SEARCH_LIMIT, storeId, ...asked } }) =>
        search.products(storeId, { ...asked, limit }),
      page
    )
  }
})
