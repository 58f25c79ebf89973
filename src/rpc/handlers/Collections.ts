import { Effect } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import * as Rpcs from "../groups/Collections.ts"
import { encoded } from "./StoredJson.ts"
import { makeProcedures } from "./StoreHandlers.ts"

export const makeMembershipProcedures = Effect.gen(function* () {
  const catalog = yield* Catalog
  const { inStore } = yield* makeProcedures

  return {
    "collections.preview": inStore(
      Rpcs.previewCollection,
      ({ payload: { storeId, ...rules } }) => catalog.previewCollection(storeId, rules),
      ({ items, productCount }) => `{"productCount":${productCount},"items":${items}}`
    ),
    "collections.why": inStore(
      Rpcs.explainMembership,
      ({ payload: { productId, storeId, ...rules } }) => catalog.explainMembership(storeId, productId, rules),
      encoded(Rpcs.explainMembership)
    )
  }
})
