import { Effect, Schema } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { CollectionId, CreateCollection, UpdateCollection } from "../../domain/catalog/Collection.ts"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import { pageQuery } from "../api/Catalog.ts"
import { decodeWith } from "../Body.ts"
import type { Handler } from "../Call.ts"
import { etagOf } from "../Conditions.ts"
import { makeWrites } from "./Writes.ts"

const decodePath = decodeWith(Schema.Struct({ id: CollectionId }))
const decodeQuery = decodeWith(pageQuery(CollectionId))

export const makeCollectionHandlers = Effect.gen(function* () {
  const catalog = yield* Catalog
  const writes = yield* makeWrites

  const listCollections: Handler = Effect.fnUntraced(function* ({ installation, query }) {
    const { cursor, limit = DEFAULT_LIMIT } = yield* decodeQuery(query, false)
    const { items, nextCursor } = yield* catalog.listCollections(installation.storeId, { cursor, limit })
    return { status: 200, body: `{"collections":${items},"nextCursor":${JSON.stringify(nextCursor)}}` }
  })

  const getCollection: Handler = Effect.fnUntraced(function* ({ installation, params }) {
    const { id } = yield* decodePath(params, false)
    const collection = yield* catalog.getCollection(installation.storeId, id)
    return { status: 200, body: `{"data":${collection.json}}`, headers: { etag: etagOf(collection) } }
  })

  return {
    listCollections,
    getCollection,
    createCollection: writes.create(CreateCollection, catalog.createCollection),
    updateCollection: writes.update(CollectionId, UpdateCollection, catalog.updateCollection),
    deleteCollection: writes.remove(CollectionId, catalog.deleteCollection)
  }
})
