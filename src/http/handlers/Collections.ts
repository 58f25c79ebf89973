import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { CreateCollection, UpdateCollection } from "../../domain/catalog/Collection.ts"
import { CurrentInstallation } from "../../domain/Installation.ts"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { etagOf } from "../Conditions.ts"
import { json } from "../Responses.ts"
import { makeWrites } from "./Writes.ts"

export const CollectionsHandlers = HttpApiBuilder.group(PartnerApi, "Collections", (handlers) =>
  Effect.gen(function* () {
    const catalog = yield* Catalog
    const writes = yield* makeWrites
    const create = writes.ofResource(201, CreateCollection, catalog.createCollection)

    return handlers
      .handle("listCollections", ({ urlParams: { cursor, limit = DEFAULT_LIMIT } }) =>
        Effect.gen(function* () {
          const { storeId } = yield* CurrentInstallation
          const { items, nextCursor } = yield* catalog.listCollections(storeId, { cursor, limit })
          return json(`{"collections":${items},"nextCursor":${JSON.stringify(nextCursor)}}`)
        })
      )
      .handle("getCollection", ({ path: { id } }) =>
        Effect.gen(function* () {
          const { storeId } = yield* CurrentInstallation
          const collection = yield* catalog.getCollection(storeId, id)
          return json(`{"data":${collection.json}}`, 200, { etag: etagOf(collection.version) })
        })
      )
      .handleRaw("createCollection", () => create)
      .handleRaw("updateCollection", ({ path: { id } }) =>
        writes.ofResource(200, UpdateCollection, (actor, patch, condition) =>
          catalog.updateCollection(actor, id, patch, condition)
        )
      )
      .handleRaw("deleteCollection", ({ path: { id } }) =>
        writes.ofDeletion(id, (actor, condition) => catalog.deleteCollection(actor, id, condition))
      )
  })
)
