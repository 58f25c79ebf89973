import { Effect } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import * as Rpcs from "../groups/Products.ts"
import { pageRequestOf, versionConditionOf } from "../groups/CommonSchemas.ts"
import { deleted, page, resource } from "./StoredJson.ts"
import { makeProcedures } from "./StoreHandlers.ts"

export const makeCatalogProcedures = Effect.gen(function* () {
  const catalog = yield* Catalog
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

    "collections.list": inStore(
      Rpcs.listCollections,
      ({ payload }) => catalog.listCollections(payload.storeId, pageRequestOf(payload)),
      page
    ),
    "collections.get": inStore(
      Rpcs.getCollection,
      ({ payload }) => catalog.getCollection(payload.storeId, payload.id),
      resource
    ),
    "collections.create": write(
      Rpcs.createCollection,
      ({ collection, storeId }) => catalog.createCollection(storeId, collection),
      resource
    ),
    "collections.update": write(
      Rpcs.updateCollection,
      (asked) => catalog.updateCollection(asked.storeId, asked.id, asked.patch, versionConditionOf(asked)),
      resource
    ),
    "collections.delete": write(
      Rpcs.deleteCollection,
      (asked) => catalog.deleteCollection(asked.storeId, asked.id, versionConditionOf(asked)),
      deleted
    )
  }
})
