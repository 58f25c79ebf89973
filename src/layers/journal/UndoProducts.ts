import { Effect, Option, Schema } from "effect"
import { MAX_MEMBERS } from "../../domain/catalog/Collection.ts"
import { ProductId, type ProductLimitReached, type ProductTooLarge } from "../../domain/catalog/Product.ts"
import type { SlugTaken } from "../../domain/catalog/Slug.ts"
import { turnedBack } from "../../domain/journal/Entry.ts"
import { parse, stringify } from "../../domain/Json.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { claimSlug, reallocateProduct } from "../catalog/Allocation.ts"
import { lockLeavingProduct, lockProduct, productOf } from "../catalog/ProductRepo.ts"
import { addProduct, removeProduct, replaceProduct } from "../catalog/Products.ts"
import { indexOf } from "../catalog/Terms.ts"
import { leave, type Step } from "../database/Plan.ts"
import { statement } from "../database/Statement.ts"
import { type Kept, membersOf } from "./Kept.ts"

/** Whether the collection `c` takes a product back: it is filled by hand, and has room. */
const TAKES_BACK = `
  c.store_id = $1 and c.document ->> 'type' = 'manual'
  and (select count(*) from collection_members where store_id = $1 and collection_id = c.id) < ${MAX_MEMBERS}
`

/** The manual collections that take a product back when its deletion is undone: of a store, an entry, and its part. */
export const selectRejoined = statement(`
  select c.id, c.title
  from journal j
  cross join json_to_recordset(j.memberships::json) as held ("collectionId" uuid)
  join lateral (
    select c.id, c.document ->> 'title' as title from collections c
    where c.id = held."collectionId" and ${TAKES_BACK} offset 0
  ) c on true
  where j.store_id = $1 and j.id = $2 and j.part = $3
`)

/**
 * Puts a product back into a manual collection: store, collection, product, and how many stood before it. Where those
 * behind have left no room in front of them, they make it.
 */
const rejoin = statement(`
  with following as (
    select position from collection_members where store_id = $1 and collection_id = $2 order by position offset $4 limit 1
  ), crowded as (
    select f.position from following f
    where exists (
      select from collection_members m where m.store_id = $1 and m.collection_id = $2 and m.position = f.position - 1
    )
  ), moved as (
    update collection_members m set position = m.position + 1 from crowded c
    where m.store_id = $1 and m.collection_id = $2 and m.position >= c.position
  )
  insert into collection_members (store_id, collection_id, position, product_id)
  select $1, c.id, coalesce(
    (select position from crowded),
    (select position - 1 from following),
    (select max(position) + 1 from collection_members where store_id = $1 and collection_id = $2),
    0
  ), $3
  from collections c where c.id = $2 and ${TAKES_BACK}
`)

/** Unless another product is called so by now, as one that an import made anew. */
const rename = statement(`
  insert into external_ids (store_id, kind, external_id, resource_id) values ($1, 'product', $2, $3)
  on conflict do nothing
`)

/** Puts a product that was deleted back where it was: into the manual collections, too, that there still are. */
const restore = Effect.fnUntraced(function* (
  store: StoreId,
  id: ProductId,
  { before, externalId, memberships }: Kept
): Step<void, StoreNotFound | ProductLimitReached | ProductTooLarge | SlugTaken> {
  const gone = productOf(stringify(before), id)
  const moment = yield* reallocateProduct(store, gone)
  yield* addProduct(indexOf, store, moment, { ...gone, version: gone.version + 1, updatedAt: moment.at.toISOString() })
  if (externalId !== null) yield* leave(rename(store, externalId, id))
  for (const { collectionId, rank } of memberships ?? []) yield* leave(rejoin(store, collectionId, id, rank))
})

/** Puts the members that a change changed back. */
const turnBack = Effect.fnUntraced(function* (
  store: StoreId,
  id: ProductId,
  { after, before }: Kept
): Step<void, ProductTooLarge | SlugTaken> {
  const held = Option.getOrThrow(yield* lockProduct(store, id))
  const { at, document, product } = held
  const fields = turnedBack(membersOf(parse(document)), membersOf(before), membersOf(after))
  const next = {
    ...productOf(stringify(fields), id),
    version: product.version + 1,
    updatedAt: at.toISOString()
  }
  if (next.slug !== product.slug) yield* claimSlug("products", store, next.slug, id)
  yield* replaceProduct(indexOf, store, held, next)
})

const toId = Schema.decodeSync(ProductId)

/** Takes back what a change did to a product, under the lock of the store. */
export const undoProduct = Effect.fnUntraced(function* (
  store: StoreId,
  kept: Kept
): Step<void, StoreNotFound | ProductLimitReached | ProductTooLarge | SlugTaken> {
  const id = toId(kept.resourceId)
  if (kept.before === null) {
    yield* removeProduct(store, Option.getOrThrow(yield* lockLeavingProduct(store, id)))
  } else {
    yield* kept.after === null ? restore(store, id, kept) : turnBack(store, id, kept)
  }
})
