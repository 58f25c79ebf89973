import { Effect } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import * as Rpcs from "../groups/Summaries.ts"
import { makeProcedures } from "./StoreHandlers.ts"

export const makeSummaryProcedures = Effect.gen(function* () {
  const catalog = yield* Catalog
  const { inStore } = yield* makeProcedures

  return {
    "products.summaries": inStore(
      Rpcs.summarizeProducts,
      ({ payload: { ids, storeId } }) => catalog.summarizeProducts(storeId, ids),
      (items) => `{"items":${items}}`
    )
  }
})
