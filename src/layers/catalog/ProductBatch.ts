import { Array, Context, Effect, Layer, Option, Result } from "effect"
import {
  type CreateProduct,
  MAX_PRODUCT_BYTES,
  newProduct,
  type Product,
  ProductId,
  ProductTooLarge
} from "../../domain/catalog/Product.ts"
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import type { ExternalId } from "../../domain/imports/Put.ts"
import type { StoreId } from "../../domain/Store.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"
import type { Change } from "../../domain/Write.ts"
import { ExternalIds } from "../imports/ExternalIds.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { recordAll } from "../Writes.ts"
import type { StoredProduct } from "./ProductRepository.ts"
import { ProductWrites } from "./ProductWrites.ts"
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
  readonly undoes?: string
} & (
  | { readonly outcome: "created"; readonly input: CreateProduct; readonly externalId?: ExternalId | undefined }
  | { readonly outcome: "updated"; readonly before: StoredProduct; readonly after: Product }
)

/** Product after its change, with the stamp of the change. */
export interface StoredChange extends StoredProduct, ChangeStamp {
  readonly draft: ProductDraft
}

/** Returns the slug to allocate; "" for a product that keeps its slug. */
const slugRequestOf = (draft: ProductDraft): SlugRequest => {
  if (draft.outcome === "created") {
    const { name, slug } = draft.input
    return { slug: slug ?? slugify(name), isRequested: slug !== undefined }
  }
  return { slug: draft.after.slug === draft.before.product.slug ? "" : draft.after.slug, isRequested: true }
}

/** Completes a product for storage. Fails if its slug is taken or it is too large. */
const complete = (
  draft: ProductDraft,
  { clock, slug }: ProductAllocation,
  currencyCode: string
): Result.Result<StoredChange, ProductTooLarge | SlugTaken> => {
  const requested = draft.outcome === "created" ? draft.input.slug : draft.after.slug
  if (Option.isNone(slug)) return Result.fail(new SlugTaken({ slug: requested ?? "" }))
  const id = ProductId.make(uuidOfMicros(clock), { disableChecks: true })
  const stamp = stampOf(clock)
  const product =
    draft.outcome === "created"
      ? newProduct(draft.input, { ...stamp, id, slug: slug.value || `product-${id.slice(-8)}`, currencyCode })
      : draft.after
  const json = JSON.stringify(product)
  return Buffer.byteLength(json) > MAX_PRODUCT_BYTES
    ? Result.fail(new ProductTooLarge())
    : Result.succeed({ draft, product, json, ...stamp })
}

const changeOf = ({ at, draft, eventId, json, product }: StoredChange): Change => ({
  id: eventId,
  at,
  resource: "product",
  resourceId: product.id,
  version: product.version,
  before: draft.outcome === "created" ? null : { json: draft.before.json, fields: draft.before.product },
  after: { json, fields: product },
  reason: draft.reason ?? null,
  ...(draft.undoes === undefined ? {} : { undoes: draft.undoes })
})

/**
 * Writes many products, from the parts of `createProduct` and `updateProduct`. Decisions are made for each product,
 * statements are sent for {@link PRODUCTS_PER_STATEMENT} of them (docs/performance.md, Import).
 */
export class ProductBatch extends Context.Service<ProductBatch>()("layers/catalog/ProductBatch", {
  make: Effect.gen(function* () {
    const { allocateProducts, releaseStatement } = yield* StoreAllocation
    const externalIds = yield* ExternalIds
    const writes = yield* ProductWrites
    const unitOfWork = yield* UnitOfWork

    return {
      /**
       * Stores changes of distinct products and returns the result of each, in their order. The store and the products
       * must be locked, and the plan must allow the new ones.
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
        const results: Array<Result.Result<StoredChange, ProductTooLarge | SlugTaken>> = []
        for (const chunk of Array.chunksOf(Array.zip(drafts, allocations), PRODUCTS_PER_STATEMENT)) {
          const completed = chunk.map(([draft, allocation]) => complete(draft, allocation, currencyCode))
          results.push(...completed)
          const stored = Array.getSuccesses(completed)
          const created = stored.filter(({ draft }) => isCreation(draft))
          const updated = stored.flatMap(({ draft, json, product }) =>
            draft.outcome === "updated" ? [{ product, json, before: draft.before.product }] : []
          )
          yield* writes.addAll(store, created, updated)
          const named = created.flatMap(({ draft, product: { id } }) =>
            draft.outcome === "created" && draft.externalId !== undefined ? [{ externalId: draft.externalId, id }] : []
          )
          if (named.length > 0) yield* unitOfWork.add(externalIds.insertStatement(store, "product", named))
          yield* recordAll(stored.map(changeOf))
          // The statements of many products are large: they are sent before the next ones are made.
          yield* unitOfWork.flush
          yield* Effect.yieldNow
        }
        const unused = results.filter((result, index) => {
          const draft = drafts[index]
          return Result.isFailure(result) && draft !== undefined && isCreation(draft)
        }).length
        if (unused > 0) yield* unitOfWork.add(releaseStatement(store, unused))
        return results
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
