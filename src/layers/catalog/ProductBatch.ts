import { Array, Context, Effect, Layer, Option, Result } from "effect"
import {
  type CreateProduct,
  MAX_PRODUCT_BYTES,
  newProduct,
  type Product,
  ProductId,
  ProductTooLarge
} from "../../domain/catalog/Product.ts"
import { ProductDocument } from "../../domain/catalog/Documents.ts"
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import type { ExternalId } from "../../domain/imports/Put.ts"
import type { EntryId } from "../../domain/journal/Activity.ts"
import type { StoreId } from "../../domain/Store.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"
import type { Change } from "../../domain/Write.ts"
import { ExternalIds } from "../imports/ExternalIds.ts"
import { MembershipsDocument } from "../journal/JournalRow.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { recordAll } from "../Writes.ts"
import { type ProductReferences, ProductRepository } from "./ProductRepository.ts"
import type { StoredProduct } from "./ProductRows.ts"
import { type ChangedProduct, deletionOf, ProductWrites } from "./ProductWrites.ts"
import { slugify } from "./Slugify.ts"
import {
  type ChangeStamp,
  type ProductAllocation,
  type SlugRequest,
  stampOf,
  StoreAllocation
} from "./StoreAllocation.ts"

/** Number of products per statement: about a millisecond of work for the database. */
const PRODUCTS_PER_STATEMENT = 50

/** Planned change of one product. */
export type ProductDraft = {
  /** Reason given by the author. */
  readonly reason?: string | null
  /** Journal entry that the change undoes. */
  readonly undoes?: EntryId
} & (
  | { readonly outcome: "created"; readonly input: CreateProduct; readonly externalId?: ExternalId | undefined }
  /** Restores a deleted product. */
  | { readonly outcome: "created"; readonly restored: Product }
  | { readonly outcome: "updated"; readonly before: StoredProduct; readonly after: Product }
  | { readonly outcome: "deleted"; readonly before: StoredProduct }
)

/** Product after its change, or before its deletion, with the stamp of the change. */
export interface StoredChange extends StoredProduct, ChangeStamp {
  readonly draft: ProductDraft
}

/** Returns the slug to allocate; "" for a product that keeps its slug or is deleted. */
const slugRequestOf = (draft: ProductDraft): SlugRequest => {
  if ("input" in draft) {
    const { name, slug } = draft.input
    return { slug: slug ?? slugify(name), isRequested: slug !== undefined }
  }
  if ("restored" in draft) return { slug: draft.restored.slug, isRequested: true }
  const isKept = draft.outcome === "deleted" || draft.after.slug === draft.before.product.slug
  return { slug: isKept ? "" : draft.after.slug, isRequested: true }
}

/** Completes a product for storage. Fails if its slug is taken or it is too large. */
const complete = (
  draft: ProductDraft,
  { clock, slug }: ProductAllocation,
  currencyCode: string
): Result.Result<StoredChange, ProductTooLarge | SlugTaken> => {
  if (draft.outcome === "deleted") return Result.succeed({ draft, ...draft.before, ...stampOf(clock) })
  if (Option.isNone(slug)) return Result.fail(new SlugTaken({ slug: slugRequestOf(draft).slug }))
  const id = ProductId.make(uuidOfMicros(clock), { disableChecks: true })
  const stamp = stampOf(clock)
  const product =
    "input" in draft
      ? newProduct(draft.input, { ...stamp, id, slug: slug.value || `product-${id.slice(-8)}`, currencyCode })
      : "restored" in draft
        ? { ...draft.restored, version: draft.restored.version + 1, updatedAt: stamp.at.toISOString() }
        : draft.after
  const json = ProductDocument.stringify(product)
  return Buffer.byteLength(json) > MAX_PRODUCT_BYTES
    ? Result.fail(new ProductTooLarge())
    : Result.succeed({ draft, product, json, ...stamp })
}

/**
 * Returns what refers to each product when those before it are deleted. A rank is the number of products before it in a
 * collection. Products in too many collections are not counted; their deletion cannot be undone.
 */
const referencesInTurn = (
  deleted: ReadonlyArray<StoredProduct>,
  found: ReadonlyMap<ProductId, ProductReferences>
): ReadonlyMap<ProductId, ProductReferences> => {
  const ranks = new Map<string, ReadonlyArray<number>>()
  return new Map(
    deleted.map(({ product: { id } }): readonly [ProductId, ProductReferences] => {
      const { externalId, memberships } = Option.getOrThrow(Option.fromNullishOr(found.get(id)))
      if (memberships === null) return [id, { externalId, memberships }]
      const inTurn = MembershipsDocument.parse(memberships).map(({ collectionId, rank }) => {
        const earlier = ranks.get(collectionId) ?? []
        ranks.set(collectionId, [...earlier, rank])
        return { collectionId, rank: rank - earlier.filter((other) => other < rank).length }
      })
      return [id, { externalId, memberships: MembershipsDocument.stringify(inTurn) }]
    })
  )
}

/** Returns the last state of each updated product, and its state before the first of the updates. */
const lastUpdatesOf = (stored: ReadonlyArray<StoredChange>): ReadonlyArray<ChangedProduct> => {
  const updates = new Map<ProductId, ChangedProduct>()
  for (const { draft, json, product } of stored) {
    if (draft.outcome !== "updated") continue
    updates.set(product.id, { product, json, before: updates.get(product.id)?.before ?? draft.before.product })
  }
  return [...updates.values()]
}

const changeOf = (
  { at, draft, eventId, json, product }: StoredChange,
  references: ReadonlyMap<ProductId, ProductReferences>
): Change => {
  const reasons = { reason: draft.reason ?? null, ...(draft.undoes === undefined ? {} : { undoes: draft.undoes }) }
  const related = references.get(product.id)
  if (related !== undefined) return { ...deletionOf({ at, eventId, json, product, ...related }), ...reasons }
  return {
    id: eventId,
    at,
    resource: "product",
    resourceId: product.id,
    version: product.version,
    before: draft.outcome === "created" ? null : { json: draft.before.json, fields: draft.before.product },
    after: { json, fields: product },
    ...reasons
  }
}

/**
 * Writes many products, from the parts of `createProduct`, `updateProduct` and `deleteProduct`. Decisions are made for
 * each product, statements are sent for {@link PRODUCTS_PER_STATEMENT} of them (docs/performance.md, Import).
 */
export class ProductBatch extends Context.Service<ProductBatch>()("layers/catalog/ProductBatch", {
  make: Effect.gen(function* () {
    const { allocateProducts, releaseStatement } = yield* StoreAllocation
    const externalIds = yield* ExternalIds
    const repository = yield* ProductRepository
    const writes = yield* ProductWrites
    const unitOfWork = yield* UnitOfWork

    return {
      /**
       * Stores changes of products and returns the result of each, in their order. Several changes of one product are
       * updates, each of the state after the one before, which cannot fail. The store and the products must be locked, and
       * the plan must allow the new ones.
       */
      store: Effect.fn("ProductBatch.store")(function* (store: StoreId, drafts: ReadonlyArray<ProductDraft>) {
        if (drafts.length === 0) return []
        const isCreation = ({ outcome }: ProductDraft) => outcome === "created"
        const { allocations, currencyCode } = yield* allocateProducts(
          store,
          drafts.map(slugRequestOf),
          drafts.filter(isCreation).length
        ).pipe(
          // The drafts are within the plan, and the store is locked.
          Effect.catchTag("ProductLimitReached", Effect.die)
        )
        const deleted = drafts.flatMap((draft) => (draft.outcome === "deleted" ? [draft.before] : []))
        const ids = deleted.map(({ product }) => product.id)
        const references = referencesInTurn(
          deleted,
          ids.length === 0 ? new Map<ProductId, ProductReferences>() : yield* repository.lockAllForDeletion(store, ids)
        )
        const results: Array<Result.Result<StoredChange, ProductTooLarge | SlugTaken>> = []
        for (const chunk of Array.chunksOf(Array.zip(drafts, allocations), PRODUCTS_PER_STATEMENT)) {
          const completed = chunk.map(([draft, allocation]) => complete(draft, allocation, currencyCode))
          results.push(...completed)
          const stored = Array.getSuccesses(completed)
          const created = stored.filter(({ draft }) => isCreation(draft))
          const updated = lastUpdatesOf(stored)
          const removed = stored.flatMap(({ draft, product: { id } }) => (draft.outcome === "deleted" ? [id] : []))
          yield* writes.addAll(store, created, updated)
          if (removed.length > 0) yield* unitOfWork.add(repository.deleteStatement(store, removed))
          const named = created.flatMap(({ draft, product: { id } }) =>
            "input" in draft && draft.externalId !== undefined ? [{ externalId: draft.externalId, id }] : []
          )
          if (named.length > 0) yield* unitOfWork.add(externalIds.insertStatement(store, "product", named))
          yield* recordAll(stored.map((one) => changeOf(one, references)))
          // The statements of many products are large: they are sent before the next ones are made.
          yield* unitOfWork.flush
          yield* Effect.yieldNow
        }
        const unused = results.filter((result, index) => {
          const draft = drafts[index]
          return Result.isFailure(result) && draft !== undefined && isCreation(draft)
        }).length
        const released = unused + deleted.length
        if (released > 0) yield* unitOfWork.add(releaseStatement(store, released))
        return results
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
