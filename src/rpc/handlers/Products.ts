import { Effect } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { DEFAULT_SEARCH_LIMIT, Search } from "../../domain/catalog/Search.ts"
import { pageRequestOf, versionConditionOf } from "../groups/CommonSchemas.ts"
import * as Rpcs from "../groups/Products.ts"
import { makeProcedures } from "./StoreHandlers.ts"
import { deleted, page, resource } from "./StoredJson.ts"

export const makeProductProcedures = Effect.gen(function* () {
  const catalog = yield* Catalog
  const search = yield* Search
  const { inStore, write } = yield* makeProcedures

  return {
    "products.list": inStore(
      Rpcs.listProducts,
      ({ payload }) => catalog.listProducts(payload.storeId, pageRequestOf(payload)),
      page
    ),
    "products.get": inStore(
      Rpcs.getProduct,
      ({ payload }) => catalog.getProduct(payload.storeId, payload.id),
      resource
    ),
    "products.create": write(
      Rpcs.createProduct,
      ({ product, storeId }) => catalog.createProduct(storeId, product),
      resource
    ),
    "products.update": write(
      Rpcs.updateProduct,
      (asked) => catalog.updateProduct(asked.storeId, asked.id, asked.patch, versionConditionOf(asked)),
      resource
    ),
    "products.delete": write(
      Rpcs.deleteProduct,
      (asked) => catalog.deleteProduct(asked.storeId, asked.id, versionConditionOf(asked)),
      deleted
    ),
    "products.search": inStore(
      Rpcs.searchProducts,
      ({ payload: { limit = DEFAULT_SEARCH_LIMIT, storeId, ...asked } }) =>
        search.products(storeId, { ...asked, limit }),
      page
    ),
    "products.summaries": inStore(
      Rpcs.summarizeProducts,
      ({ payload: { ids, storeId } }) => catalog.summarizeProducts(storeId, ids),
      (items) => `{"items":${items}}`
    ),

    "inventory.change": write(
      Rpcs.changeInventory,
      (asked) => catalog.setInventory(asked.storeId, asked.id, asked.change, versionConditionOf(asked)),
      resource
    )
  }
})
