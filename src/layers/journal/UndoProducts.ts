import { Effect, Result, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { ProductDocument } from "../../domain/catalog/Documents.ts"
import { type CollectionId, MAX_MEMBERS } from "../../domain/catalog/Collection.ts"
import { type Product, ProductId } from "../../domain/catalog/Product.ts"
import { decideChange, decideDeletion, decideRestoration } from "../../domain/catalog/ProductState.ts"
import { restoreMembers } from "../../domain/journal/Entry.ts"
import type { StoreId } from "../../domain/Store.ts"
import { ProductWrites } from "../catalog/ProductWrites.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { FileRows } from "../media/FileRows.ts"
import { orDefect } from "../sql/Errors.ts"
import { constant } from "../sql/Statement.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { type JournalRow, membersOfSide } from "./JournalRow.ts"

/** True for a collection `c` that a restored product returns to: it is manual and not full. */
const acceptsProduct = (sql: SqlClient.SqlClient, store: StoreId): Statement.Fragment => sql`
  c.store_id = ${store} and c.document ->> 'type' = 'manual'
  and (
    select count(*) from collection_members where store_id = ${store} and collection_id = c.id
  ) < ${constant(MAX_MEMBERS)}
`

/** Selects the manual collections that a product returns to when its deletion is undone. */
export const selectRestoredMemberships = (
  sql: SqlClient.SqlClient,
  store: StoreId,
  entry: string,
  part: number
): Statement.Statement<unknown> => sql`
  select c.id, c.title
  from journal j
  cross join json_to_recordset(j.memberships::json) as former ("collectionId" uuid)
  join lateral (
    select c.id, c.document ->> 'title' as title from collections c
    where c.id = former."collectionId" and ${acceptsProduct(sql, store)} offset 0
  ) c on true
  where j.store_id = ${store} and j.id = ${entry} and j.part = ${part}
`

/**
 * Adds a product to a manual collection after as many products as were before it. Moves the following products if there is
 * no free position.
 */
const insertMember = (
  sql: SqlClient.SqlClient,
  store: StoreId,
  collection: CollectionId,
  product: ProductId,
  rank: number
) => sql`
  with following as (
    select position from collection_members
    where store_id = ${store} and collection_id = ${collection} order by position offset ${rank} limit 1
  ), crowded as (
    select f.position from following f
    where exists (
      select from collection_members m
      where m.store_id = ${store} and m.collection_id = ${collection} and m.position = f.position - 1
    )
  ), moved as (
    update collection_members m set position = m.position + 1 from crowded c
    where m.store_id = ${store} and m.collection_id = ${collection} and m.position >= c.position
  )
  insert into collection_members (store_id, collection_id, position, product_id)
  select ${store}::uuid, c.id, coalesce(
    (select position from crowded),
    (select position - 1 from following),
    (select max(position) + 1 from collection_members where store_id = ${store} and collection_id = ${collection}),
    0
  ), ${product}::uuid
  from collections c where c.id = ${collection} and ${acceptsProduct(sql, store)}
`

/** Inserts the external id, unless another product has it by now, for example one that was imported again. */
const insertExternalId = (sql: SqlClient.SqlClient, store: StoreId, externalId: string, product: ProductId) => sql`
  insert into external_ids (store_id, kind, external_id, resource_id)
  values (${store}, 'product', ${externalId}, ${product})
  on conflict do nothing
`

const toId = Schema.decodeSync(ProductId)

/** Returns a product with the members that a change changed as they were before it. */
export const revertChange = (product: Product, { after, before }: JournalRow, at: Date): Product => ({
  ...ProductDocument.decode(restoreMembers({ ...product }, membersOfSide(before), membersOfSide(after))),
  version: product.version + 1,
  updatedAt: at.toISOString()
})

/** Returns the slug that the undo of a change gives to a product, if it gives another one. */
export const slugsOf = ({ before }: JournalRow): ReadonlyArray<string> => {
  const { slug } = membersOfSide(before)
  return typeof slug === "string" ? [slug] : []
}

/** Makes the function that restores what referred to a deleted product, and its pictures. The product must be stored. */
export const productReferences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const files = yield* FileRows

  return Effect.fnUntraced(function* (store: StoreId, id: ProductId, { before, externalId, memberships }: JournalRow) {
    if (externalId !== null) yield* insertExternalId(sql, store, externalId, id)
    for (const { collectionId, rank } of memberships ?? []) yield* insertMember(sql, store, collectionId, id, rank)
    yield* files.restore(store, ProductDocument.decode(membersOfSide(before)))
  }, orDefect)
})

/** Makes the function that undoes a change of a product. The store must be locked. */
export const productUndo = Effect.gen(function* () {
  const { allocateProducts } = yield* StoreAllocation
  const writes = yield* ProductWrites
  const unitOfWork = yield* UnitOfWork
  const restoreReferences = yield* productReferences
  const files = yield* FileRows

  /** Restores a deleted product, also in the manual collections that still exist. */
  const restore = Effect.fnUntraced(function* (store: StoreId, id: ProductId, entry: JournalRow) {
    const deleted = ProductDocument.decode(membersOfSide(entry.before))
    const state = yield* allocateProducts(store, { instants: 1, slugs: [deleted.slug], created: 1 })
    const { change } = yield* Effect.fromResult(decideRestoration(state, deleted))
    if (change === null) return
    yield* writes.store(store, [change], 1)
    yield* unitOfWork.flush
    yield* restoreReferences(store, id, entry)
  })

  /** Restores the members that a change changed. */
  const revert = Effect.fnUntraced(function* (store: StoreId, id: ProductId, entry: JournalRow) {
    const state = yield* writes.lock(store, id, slugsOf(entry))
    const { change } = yield* Effect.fromResult(
      decideChange(state, id, "any", (product, at) => Result.succeed(revertChange(product, entry, at)))
    )
    if (change === null) return
    yield* writes.store(store, [change])
    if (change.after !== null) yield* files.restore(store, change.after.product, change.before?.product)
  })

  const remove = Effect.fnUntraced(function* (store: StoreId, id: ProductId) {
    const { change } = yield* Effect.fromResult(decideDeletion(yield* writes.lockToDelete(store, id), id, "any"))
    if (change !== null) yield* writes.store(store, [change])
  })

  return Effect.fnUntraced(
    function* (store: StoreId, entry: JournalRow) {
      const id = toId(entry.resourceId)
      if (entry.before === null) yield* remove(store, id)
      else yield* entry.after === null ? restore(store, id, entry) : revert(store, id, entry)
    },
    // The caller has locked the product.
    Effect.catchTag(["ProductNotFound", "VersionMismatch"], Effect.die)
  )
})
