import { Effect } from "effect"
import { maskProduct } from "../../domain/access/Masks.ts"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { DEFAULT_SEARCH_LIMIT, Search } from "../../domain/catalog/Search.ts"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import { toPageRequest, toVersionCondition } from "../groups/CommonSchemas.ts"
import * as Rpcs from "../groups/Products.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"
import { deletedJson, pageJson, documentJson, queryPageJson } from "./StoredJson.ts"

export const makeProductHandlers = Effect.gen(function* () {
  const catalog = yield* Catalog
  const search = yield* Search
  const { storeHandler, writeHandler } = yield* makeHandlerFactory

  return {
    "products.list": storeHandler(
      Rpcs.listProducts,
      ({ payload }) => catalog.listProducts(payload.storeId, { ...payload, ...toPageRequest(payload) }),
      pageJson
    ),
    "products.get": storeHandler(
      Rpcs.getProduct,
      ({ payload }) => catalog.getProduct(payload.storeId, payload.id),
      documentJson
    ),
    "products.create": writeHandler(
      Rpcs.createProduct,
      ({ product, storeId }) => catalog.createProduct(storeId, product),
      documentJson
    ),
    "products.update": writeHandler(
      Rpcs.updateProduct,
      (payload) => catalog.updateProduct(payload.storeId, payload.id, payload.patch, toVersionCondition(payload)),
      documentJson
    ),
    "products.delete": writeHandler(
      Rpcs.deleteProduct,
      (payload) => catalog.deleteProduct(payload.storeId, payload.id, toVersionCondition(payload)),
      deletedJson
    ),
    "products.search": storeHandler(
      Rpcs.searchProducts,
      ({ payload: { limit = DEFAULT_SEARCH_LIMIT, storeId, ...options } }) =>
        search.products(storeId, { ...options, limit }),
      pageJson
    ),
    "products.query": storeHandler(
      Rpcs.queryProducts,
      ({ payload: { cursor, limit = DEFAULT_LIMIT, storeId, ...query } }) =>
        catalog.queryProducts(storeId, query, { cursor, limit }),
      queryPageJson
    ),
    "products.summaries": storeHandler(
      Rpcs.summarizeProducts,
      ({ payload: { ids, storeId } }) => catalog.summarizeProducts(storeId, ids),
      (items) => `{"items":${items}}`
    ),

    "inventory.change": writeHandler(
      Rpcs.changeInventory,
      (payload) => catalog.setInventory(payload.storeId, payload.id, payload.change, toVersionCondition(payload)),
      documentJson,
      { mask: maskProduct }
    )
  }
})
