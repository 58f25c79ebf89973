import { Effect, Option, Schema } from "effect"
import { type CollectionId, MAX_MEMBERS } from "../../domain/catalog/Collection.ts"
import { ProductId, type ProductLimitReached, type ProductTooLarge } from "../../domain/catalog/Product.ts"
import type { SlugTaken } from "../../domain/catalog/Slug.ts"
import { restoreMembers } from "../../domain/journal/Entry.ts"
import { parse, stringify } from "../../domain/Json.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { claimSlug, reallocateProduct } from "../catalog/Allocation.ts"
import { lockLeavingProduct, lockProduct, productOf } from "../catalog/ProductRepository.ts"
import { addProduct, removeProduct, replaceProduct } from "../catalog/Products.ts"
import { indexFacets } from "../catalog/Terms.ts"
import { deferToCommit, type Step } from "../sql/Plan.ts"
import { constant, type Fragment, sql } from "../sql/Statement.ts"
import { type JournalRow, membersOfSide } from "./JournalRow.ts"

/** True of a collection `c` that takes a product back: it is filled by hand, and has room. */
const takesBack = (store: StoreId): Fragment => sql`
  c.store_id = ${store} and c.document ->> 'type' = 'manual'
  and (
    select count(*) from collection_members where store_id = ${store} and collection_id = c.id
  ) < ${constant(MAX_MEMBERS)}
`

/** The manual collections that take a product back when its deletion is undone. */
export const selectRejoined = (store: StoreId, entry: string, part: number) => sql`
  select c.id, c.title
  from journal j
  cross join json_to_recordset(j.memberships::json) as held ("collectionId" uuid)
  join lateral (
    select c.id, c.document ->> 'title' as title from collections c
    where c.id = held."collectionId" and ${takesBack(store)} offset 0
  ) c on true
  where j.store_id = ${store} and j.id = ${entry} and j.part = ${part}
`

/**
 * Puts a product back into a manual collection, behind as many as stood before it. Where those behind have left no room in
 * front of them, they make it.
 */
const rejoin = (store: StoreId, collection: CollectionId, product: ProductId, rank: number) => sql`
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
  from collections c where c.id = ${collection} and ${takesBack(store)}
`

/** Unless another product is called so by now, as one that an import made anew. */
const rename = (store: StoreId, externalId: string, product: ProductId) => sql`
  insert into external_ids (store_id, kind, external_id, resource_id)
  values (${store}, 'product', ${externalId}, ${product})
  on conflict do nothing
`

/** Puts a product that was deleted back where it was: into the manual collections, too, that there still are. */
const restore = Effect.fnUntraced(function* (
  store: StoreId,
  id: ProductId,
  { before, externalId, memberships }: JournalRow
): Step<void, StoreNotFound | ProductLimitReached | ProductTooLarge | SlugTaken> {
  const gone = productOf(stringify(before), id)
  const moment = yield* reallocateProduct(store, gone)
  yield* addProduct(indexFacets, store, moment, {
    ...gone,
    version: gone.version + 1,
    updatedAt: moment.at.toISOString()
  })
  if (externalId !== null) yield* deferToCommit(rename(store, externalId, id))
  for (const { collectionId, rank } of memberships ?? []) yield* deferToCommit(rejoin(store, collectionId, id, rank))
})

/** Puts the members that a change changed back. */
const turnBack = Effect.fnUntraced(function* (
  store: StoreId,
  id: ProductId,
  { after, before }: JournalRow
): Step<void, ProductTooLarge | SlugTaken> {
  const held = Option.getOrThrow(yield* lockProduct(store, id))
  const { at, document, product } = held
  const fields = restoreMembers(membersOfSide(parse(document)), membersOfSide(before), membersOfSide(after))
  const next = {
    ...productOf(stringify(fields), id),
    version: product.version + 1,
    updatedAt: at.toISOString()
  }
  if (next.slug !== product.slug) yield* claimSlug("products", store, next.slug, id)
  yield* replaceProduct(indexFacets, store, held, next)
})

const toId = Schema.decodeSync(ProductId)

/** Takes back what a change did to a product, under the lock of the store. */
export const undoProduct = Effect.fnUntraced(function* (
  store: StoreId,
  kept: JournalRow
): Step<void, StoreNotFound | ProductLimitReached | ProductTooLarge | SlugTaken> {
  const id = toId(kept.resourceId)
  if (kept.before === null) {
    yield* removeProduct(store, Option.getOrThrow(yield* lockLeavingProduct(store, id)))
  } else {
    yield* kept.after === null ? restore(store, id, kept) : turnBack(store, id, kept)
  }
})
