import { Effect, Option, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { CollectionHead, CollectionId, typeOf } from "../../domain/catalog/Collection.ts"
import { ProductId } from "../../domain/catalog/Product.ts"
import { type PutCollection, UnknownReferences } from "../../domain/imports/Collection.ts"
import type { Imports } from "../../domain/imports/Imports.ts"
import { InvalidRow } from "../../domain/imports/Put.ts"
import { StoreId } from "../../domain/Store.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { orDefect } from "../sql/Errors.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { ExternalIds, resolveExternalIds } from "./ExternalIds.ts"

/** Makes the write that creates or updates a collection by its external id. */
export const collectionImport = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { createCollection, updateCollection } = yield* Catalog
  const externalIds = yield* ExternalIds
  const unitOfWork = yield* UnitOfWork

  /** Makes concurrent imports of one collection wait, so that the second one finds the collection of the first. */
  const lockExternalId = (store: StoreId, externalId: string) =>
    sql`select pg_advisory_xact_lock(hashtextextended(${store}::text || ${externalId}::text, 0))`

  const findStored = SqlSchema.findOneOption({
    Request: Schema.Struct({ store: StoreId, externalId: Schema.String }),
    Result: Schema.Struct({
      ...Struct.pick(CollectionHead.fields, ["version", "type"]),
      id: Schema.toType(CollectionId)
    }),
    execute: ({ externalId, store }) => sql`
      select c.id, c.version, c.document ->> 'type' as type from ${resolveExternalIds(store, "collection", [externalId])}
        join collections c on c.store_id = ${store} and c.id = resolved.id
    `
  })

  /** Resolves references to products: by external id, else by id. */
  const resolveProducts = Effect.fnUntraced(function* (store: StoreId, references: ReadonlyArray<string>) {
    const found = yield* externalIds.find(store, "product", references)
    const ids = references.map((reference) => found.get(reference) ?? reference.toLowerCase())
    const unknown = references.flatMap((reference, index) =>
      isUuid(ids[index] ?? "") ? [] : [{ path: `productIds.${index}`, reference }]
    )
    if (unknown.length > 0) yield* new UnknownReferences({ unknown })
    return ids.map((id) => ProductId.make(id, { disableChecks: true }))
  })

  /** Resolves the products of a manual collection. Automated ones ignore them. */
  const membersOf = (store: StoreId, type: CollectionHead["type"], references: PutCollection["productIds"]) =>
    references === undefined || type === "automated"
      ? Effect.succeed({})
      : Effect.map(resolveProducts(store, references), (productIds) => ({ productIds }))

  const putCollection: typeof Imports.Service.putCollection = Effect.fn("Imports.putCollection")(function* (
    store,
    { externalId, input: { productIds, ...fields } }
  ) {
    yield* lockExternalId(store, externalId)
    const stored = yield* findStored({ store, externalId })
    if (Option.isSome(stored)) {
      const { id, type, version } = stored.value
      const members = yield* membersOf(store, fields.type ?? type, productIds)
      const updated = yield* updateCollection(store, id, { ...fields, ...members }, "any")
      return updated.version === version ? "unchanged" : "updated"
    }
    const { title } = fields
    if (title === undefined) return yield* new InvalidRow({ issues: ["title: is missing"] })
    const collection = { ...fields, title }
    const members = yield* membersOf(store, typeOf(collection), productIds)
    const created = yield* createCollection(store, { ...collection, ...members })
    yield* unitOfWork.add(externalIds.insertStatement(store, "collection", [{ externalId, id: created.id }]))
    return "created"
  }, orDefect)
  return putCollection
})
