import { Effect } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import * as Rpcs from "../groups/Collections.ts"
import { pageRequestOf, versionConditionOf } from "../groups/CommonSchemas.ts"
import { makeProcedures } from "./StoreHandlers.ts"
import { deleted, encoded, page, resource } from "./StoredJson.ts"

export const makeCollectionProcedures = Effect.gen(function* () {
  const catalog = yield* Catalog
  const { inStore, write } = yield* makeProcedures

  return {
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
    ),
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
