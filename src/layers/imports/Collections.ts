import { Effect, Option, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import { CollectionId, typeOf } from "../../domain/catalog/Collection.ts"
import { ProductId } from "../../domain/catalog/Product.ts"
import { UnknownReferences } from "../../domain/imports/Collection.ts"
import type { Imports } from "../../domain/imports/Imports.ts"
import { StoreId } from "../../domain/Store.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { orDefect } from "../sql/Errors.ts"
import { deferToCommit } from "../sql/Transaction.ts"
import { findByExternalIds, insertExternalIds, resolveExternalIds } from "./ExternalIds.ts"

/** Makes the write that creates or updates a collection by its external id. */
export const makePutCollection = (
  sql: SqlClient.SqlClient,
  { createCollection, updateCollection }: typeof Catalog.Service
): typeof Imports.Service.putCollection => {
  /** Makes concurrent imports of one collection wait, so that the second one finds the collection of the first. */
  const lockExternalId = (store: StoreId, externalId: string) =>
    sql`select pg_advisory_xact_lock(hashtextextended(${store}::text || ${externalId}::text, 0))`

  const findVersion = SqlSchema.findOneOption({
    Request: Schema.Struct({ store: StoreId, externalId: Schema.String }),
    Result: Schema.Struct({ id: Schema.toType(CollectionId), version: Schema.Int }),
    execute: ({ externalId, store }) => sql`
      select c.id, c.version from ${resolveExternalIds(store, "collection", [externalId])}
        join collections c on c.store_id = ${store} and c.id = resolved.id
    `
  })

  /** Resolves references to products: by external id, else by id. */
  const resolveProducts = Effect.fnUntraced(function* (store: StoreId, references: ReadonlyArray<string>) {
    const found = yield* findByExternalIds(sql, store, "product", references)
    const ids = references.map((reference) => found.get(reference) ?? reference.toLowerCase())
    const unknown = references.flatMap((reference, index) =>
      isUuid(ids[index] ?? "") ? [] : [{ path: `productIds.${index}`, reference }]
    )
    if (unknown.length > 0) yield* new UnknownReferences({ unknown })
    return ids.map((id) => ProductId.make(id, { disableChecks: true }))
  })

  return Effect.fnUntraced(function* (store, { externalId, input: { productIds: references, ...fields } }) {
    yield* lockExternalId(store, externalId)
    const existing = yield* findVersion({ store, externalId })
    const isManual = typeOf(fields) === "manual"
    const members =
      references === undefined || !isManual ? {} : { productIds: yield* resolveProducts(store, references) }
    if (Option.isSome(existing)) {
      const { id, version } = existing.value
      const updated = yield* updateCollection(store, id, { ...fields, ...members }, "any")
      return updated.version === version ? "unchanged" : "updated"
    }
    const created = yield* createCollection(store, { ...fields, ...members })
    yield* deferToCommit(insertExternalIds(sql, store, "collection", [{ externalId, id: created.id }]))
    return "created"
  }, orDefect)
}
