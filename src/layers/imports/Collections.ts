import { Effect, Option, Schema } from "effect"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import { CollectionId, typeOf } from "../../domain/catalog/Collection.ts"
import { ProductId } from "../../domain/catalog/Product.ts"
import { UnknownReferences } from "../../domain/imports/Collection.ts"
import type { Imports } from "../../domain/imports/Imports.ts"
import type { StoreId } from "../../domain/Store.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { countOf, firstOf, deferToCommit, type Step } from "../sql/Plan.ts"
import { sql } from "../sql/Statement.ts"
import { insertExternalIds, namedBy, resourcesOf } from "./ExternalIds.ts"

// Of two imports of one collection at once the second waits here, and finds what the first made.
const holdName = (store: StoreId, externalId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${store}::text || ${externalId}::text, 0))`

const selectKnown = (store: StoreId, externalId: string) => sql`
  select c.id, c.version from ${namedBy(store, "collection", [externalId])}
    join collections c on c.store_id = ${store} and c.id = named.id
`
const knownOf = firstOf(Schema.Struct({ id: Schema.toType(CollectionId), version: Schema.Int }))

/** The products that are meant: by what they are called elsewhere, else by their own ids. */
const productsOf = Effect.fnUntraced(function* (
  store: StoreId,
  references: ReadonlyArray<string>
): Step<ReadonlyArray<ProductId>, UnknownReferences> {
  const known = yield* resourcesOf(store, "product", references)
  const ids = references.map((reference) => known.get(reference) ?? reference.toLowerCase())
  const unknown = references.flatMap((reference, place) =>
    isUuid(ids[place] ?? "") ? [] : [{ path: `productIds.${place}`, reference }]
  )
  if (unknown.length > 0) yield* new UnknownReferences({ unknown })
  return ids.map((id) => ProductId.make(id, { disableChecks: true }))
})

export const makePutCollection =
  ({ createCollection, updateCollection }: typeof Catalog.Service): typeof Imports.Service.putCollection =>
  (store, { externalId, input: { productIds: references, ...fields } }) =>
    Effect.gen(function* () {
      yield* countOf(holdName(store, externalId))
      const known = yield* knownOf(selectKnown(store, externalId))
      const isManual = typeOf(fields) === "manual"
      const members = references === undefined || !isManual ? {} : { productIds: yield* productsOf(store, references) }
      if (Option.isSome(known)) {
        const { id, version } = known.value
        const changed = yield* updateCollection(store, id, { ...fields, ...members }, "any")
        return changed.version === version ? "unchanged" : "updated"
      }
      const made = yield* createCollection(store, { ...fields, ...members })
      yield* deferToCommit(insertExternalIds(store, "collection", [{ externalId, id: made.id }]))
      return "created"
    })
