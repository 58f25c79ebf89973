import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Grants, ScopeNotGranted } from "../../domain/access/AccessRule.ts"
import { maskProduct } from "../../domain/access/Masks.ts"
import { scopesOfRules } from "../../domain/access/Visibility.ts"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { CreateCollection, UpdateCollection } from "../../domain/catalog/Collection.ts"
import { SetInventory } from "../../domain/catalog/Inventory.ts"
import { findMissingScopes } from "../../domain/changeSets/ChangeSets.ts"
import { CreateProduct, UpdateProduct } from "../../domain/catalog/Product.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import type { Rule } from "../../domain/catalog/Rule.ts"
import { created, deleted, page, read, resource, searchPage } from "./Responses.ts"
import { makeWrites, payloadOf } from "./Writes.ts"

const newProduct = payloadOf(CreateProduct)
const productPatch = payloadOf(UpdateProduct)
const inventory = payloadOf(SetInventory)
const newCollection = payloadOf(CreateCollection)
const collectionPatch = payloadOf(UpdateCollection)

/** Fails if rules compare a field that the installation does not see. */
const requireRules = ({ scopes }: Grants, rules: ReadonlyArray<Rule> | undefined) => {
  const missing = findMissingScopes(scopesOfRules(rules), scopes)
  return missing === undefined ? Effect.void : new ScopeNotGranted({ scopes: missing })
}

export const ProductsLive = HttpApiBuilder.group(
  PartnerApi,
  "Products",
  Effect.fnUntraced(function* (handlers) {
    const catalog = yield* Catalog
    const { remove, write } = yield* makeWrites

    return handlers
      .handle("listProducts", ({ query }) =>
        read(({ storeId }) => catalog.listProducts(storeId, query), page("products"))
      )
      .handle("searchProducts", ({ query: { cursor, limit, ...query } }) =>
        read(({ storeId }) => catalog.queryProducts(storeId, query, { cursor, limit }), searchPage("products"))
      )
      .handleRaw("createProduct", () =>
        write(newProduct, ({ body, store }) => catalog.createProduct(store, body), created)
      )
      .handleRaw("updateProduct", ({ params: { id } }) =>
        write(productPatch, ({ body, condition, store }) => catalog.updateProduct(store, id, body, condition), resource)
      )
      .handleRaw("setInventory", ({ params: { id } }) =>
        write(
          inventory,
          ({ body, condition, store }) => catalog.setInventory(store, id, body, condition),
          resource,
          maskProduct
        )
      )
      .handle("deleteProduct", ({ params: { id } }) =>
        remove(
          ({ condition, store }) => catalog.deleteProduct(store, id, condition),
          () => deleted(id)
        )
      )
  })
)

export const CollectionsLive = HttpApiBuilder.group(
  PartnerApi,
  "Collections",
  Effect.fnUntraced(function* (handlers) {
    const catalog = yield* Catalog
    const { remove, write } = yield* makeWrites

    return handlers
      .handle("listCollections", ({ query }) =>
        read(({ storeId }) => catalog.listCollections(storeId, query), page("collections"))
      )
      .handle("searchCollections", ({ query: { cursor, limit, ...query } }) =>
        read(({ storeId }) => catalog.queryCollections(storeId, query, { cursor, limit }), searchPage("collections"))
      )
      .handle("getCollection", ({ params: { id } }) =>
        read(({ storeId }) => catalog.getCollection(storeId, id), resource)
      )
      .handleRaw("createCollection", () =>
        write(
          newCollection,
          ({ body, installation, store }) =>
            Effect.andThen(requireRules(installation, body.rules), catalog.createCollection(store, body)),
          created
        )
      )
      .handleRaw("updateCollection", ({ params: { id } }) =>
        write(
          collectionPatch,
          ({ body, condition, installation, store }) =>
            Effect.andThen(
              requireRules(installation, body.rules),
              catalog.updateCollection(store, id, body, condition)
            ),
          resource
        )
      )
      .handle("deleteCollection", ({ params: { id } }) =>
        remove(
          ({ condition, store }) => catalog.deleteCollection(store, id, condition),
          () => deleted(id)
        )
      )
  })
)
