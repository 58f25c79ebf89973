import { Effect, Option, Schema } from "effect"
import { type CollectionHead, CollectionId, type CollectionLimitReached } from "../../domain/catalog/Collection.ts"
import type { ProductId } from "../../domain/catalog/Product.ts"
import type { SlugTaken } from "../../domain/catalog/Slug.ts"
import type { JsonText } from "../../domain/Document.ts"
import { canonical } from "../../domain/Json.ts"
import { restoreMembers } from "../../domain/journal/Entry.ts"
import { parse } from "../../domain/Json.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { claimSlug, reallocateCollection } from "../catalog/Allocation.ts"
import {
  headOf,
  insertCollection,
  lockCollection,
  membersIn,
  removeMembers,
  setMembers,
  updateCollection
} from "../catalog/CollectionRepository.ts"
import { idsIn, membersOf as listOf, recordCollection, removeCollection, writtenOf } from "../catalog/Collections.ts"
import { holdProducts } from "../catalog/ProductRepository.ts"
import { countOf, type Step } from "../sql/Plan.ts"
import { type JournalRow, membersOfSide, productIdsOf } from "./JournalRow.ts"

const NONE: JsonText = listOf([])

/** Makes a collection hold these products in this order, as far as they still are, and answers what it holds then. */
const hold = Effect.fnUntraced(function* (
  store: StoreId,
  id: CollectionId,
  wanted: ReadonlyArray<ProductId>,
  found: JsonText
): Step<JsonText> {
  const there = yield* holdProducts(store, wanted)
  const ids = wanted.filter((product) => there.has(product))
  const known = new Set(idsIn(found))
  const added = ids.filter((product) => !known.has(product))
  yield* setMembers(store, id, ids, added, known.size)
  return listOf(ids)
})

/** Brings what a collection holds back to what it held before the change. */
const holdAgain = Effect.fnUntraced(function* (
  store: StoreId,
  before: CollectionHead,
  next: CollectionHead,
  found: JsonText,
  kept: JournalRow
): Step<JsonText> {
  if (next.type === "automated") {
    if (before.type === "manual") yield* countOf(removeMembers(store, next.id))
    return NONE
  }
  const wanted = productIdsOf(kept)
  return wanted === undefined ? found : yield* hold(store, next.id, wanted, found)
})

/** Puts a collection that was deleted back where it was, with those of its products that there still are. */
const restore = Effect.fnUntraced(function* (
  store: StoreId,
  id: CollectionId,
  kept: JournalRow
): Step<void, StoreNotFound | CollectionLimitReached | SlugTaken> {
  const gone = headOf(kept.before, id)
  const moment = yield* reallocateCollection(store, gone)
  const head = { ...gone, version: gone.version + 1, updatedAt: moment.at.toISOString() }
  const document = yield* insertCollection(store, head)
  const members = yield* hold(store, id, productIdsOf(kept) ?? [], NONE)
  yield* recordCollection(moment, head, null, document, members)
})

/** Puts the members that a change changed back. Rules are not run: an event of an automated collection tells no products. */
const turnBack = Effect.fnUntraced(function* (
  store: StoreId,
  id: CollectionId,
  kept: JournalRow
): Step<void, SlugTaken> {
  const held = Option.getOrThrow(yield* lockCollection(store, id))
  const { at, document, head: before } = held
  const fields = restoreMembers(membersOfSide(parse(document)), membersOfSide(kept.before), membersOfSide(kept.after))
  const turned = headOf({ ...fields, version: before.version, updatedAt: before.updatedAt }, id)
  const found = before.type === "manual" ? yield* membersIn(store, id) : NONE
  if (turned.slug !== before.slug) yield* claimSlug("collections", store, turned.slug, id)
  const members = yield* holdAgain(store, before, turned, found, kept)
  // Of products that are gone since nothing comes back.
  if (members === found && canonical(turned) === canonical(before)) return
  const head = { ...turned, version: before.version + 1, updatedAt: at.toISOString() }
  const changed = yield* updateCollection(store, head)
  yield* recordCollection(held, head, writtenOf(before, document, found), changed, members)
})

const toId = Schema.decodeSync(CollectionId)

/** Takes back what a change did to a collection, under its own lock and that of the store. */
export const undoCollection = Effect.fnUntraced(function* (
  store: StoreId,
  kept: JournalRow
): Step<void, StoreNotFound | CollectionLimitReached | SlugTaken> {
  const id = toId(kept.resourceId)
  if (kept.before === null) {
    yield* removeCollection(store, Option.getOrThrow(yield* lockCollection(store, id)))
  } else {
    yield* kept.after === null ? restore(store, id, kept) : turnBack(store, id, kept)
  }
})
