import { Effect } from "effect"
import { FOUND, Search } from "../../domain/catalog/Search.ts"
import * as Rpcs from "../Search.ts"
import { page } from "./StoredJson.ts"
import { makeProcedures } from "./Procedure.ts"

export const makeSearchProcedures = Effect.gen(function* () {
  const search = yield* Search
  const { inStore } = yield* makeProcedures

  return {
    "products.search": inStore(
      Rpcs.searchProducts,
      ({ payload: { limit = FOUND, storeId, ...asked } }) => search.products(storeId, { ...asked, limit }),
      page
    )
  }
})
