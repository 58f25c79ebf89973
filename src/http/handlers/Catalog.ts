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
    createProduct: write(Api.createProduct, ({ actor, body }) => catalog.createProduct(actor, body), resource),
    updateProduct: write(
      Api.updateProduct,
      ({ actor, body, condition, path }) => catalog.updateProduct(actor, path.id, body, condition),
      resource
    ),
    deleteProduct: write(
      Api.deleteProduct,
      ({ actor, condition, path }) => catalog.deleteProduct(actor, path.id, condition),
      deleted
    ),

    listCollections: read(
      Api.listCollections,
      ({ query, store }) => catalog.listCollections(store, query),
      page("collections")
    ),
    getCollection: read(Api.getCollection, ({ path, store }) => catalog.getCollection(store, path.id), resource),
    createCollection: write(Api.createCollection, ({ actor, body }) => catalog.createCollection(actor, body), resource),
    updateCollection: write(
      Api.updateCollection,
      ({ actor, body, condition, path }) => catalog.updateCollection(actor, path.id, body, condition),
      resource
    ),
    deleteCollection: write(
      Api.deleteCollection,
      ({ actor, condition, path }) => catalog.deleteCollection(actor, path.id, condition),
      deleted
    )
  } satisfies HandlersOf<typeof Api.ProductsGroup | typeof Api.CollectionsGroup>
})
