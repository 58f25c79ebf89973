import { Effect } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import * as Api from "../api/Catalog.ts"
import type { HandlersOf } from "../Handler.ts"
import { deleted, page, resource } from "./Answers.ts"
import { read } from "./Reads.ts"
import { makeWrite } from "./Writes.ts"

export const makeCatalogHandlers = Effect.gen(function* () {
  const catalog = yield* Catalog
  const write = yield* makeWrite

  return {
    listProducts: read(Api.listProducts, ({ query, store }) => catalog.listProducts(store, query), page("products")),
    createProduct: write(Api.createProduct, ({ body, store }) => catalog.createProduct(store, body), resource),
    updateProduct: write(
      Api.updateProduct,
      ({ body, condition, path, store }) => catalog.updateProduct(store, path.id, body, condition),
      resource
    ),
    setInventory: write(
      Api.setInventory,
      ({ body, condition, path, store }) => catalog.setInventory(store, path.id, body, condition),
      resource
    ),
    deleteProduct: write(
      Api.deleteProduct,
      ({ condition, path, store }) => catalog.deleteProduct(store, path.id, condition),
      deleted
    ),

    listCollections: read(
      Api.listCollections,
      ({ query, store }) => catalog.listCollections(store, query),
      page("collections")
    ),
    getCollection: read(Api.getCollection, ({ path, store }) => catalog.getCollection(store, path.id), resource),
    createCollection: write(Api.createCollection, ({ body, store }) => catalog.createCollection(store, body), resource),
    updateCollection: write(
      Api.updateCollection,
      ({ body, condition, path, store }) => catalog.updateCollection(store, path.id, body, condition),
      resource
    ),
    deleteCollection: write(
      Api.deleteCollection,
      ({ condition, path, store }) => catalog.deleteCollection(store, path.id, condition),
      deleted
    )
  } satisfies HandlersOf<typeof Api.ProductsGroup | typeof Api.CollectionsGroup>
})
