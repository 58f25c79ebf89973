import { Array, Effect, Option, Result } from "effect"
import {
  changed,
  type CreateProduct,
  MAX_PRODUCT_BYTES,
  newProduct,
  type Product,
  ProductId,
  ProductLimitReached,
  ProductTooLarge
} from "../../domain/catalog/Product.ts"
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import type { Imports } from "../../domain/imports/Imports.ts"
import type { ImportedProduct } from "../../domain/imports/Product.ts"
import { type ExternalId, type ImportItem, type ImportOutcome, InvalidRow } from "../../domain/imports/Put.ts"
import type { StoreId } from "../../domain/Store.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"
import type { Change } from "../../domain/Write.ts"
import { recordAll } from "../Writes.ts"
import { ProductRepository, type StoredProduct } from "../catalog/ProductRepository.ts"
import { ProductWrites } from "../catalog/ProductWrites.ts"
import { slugify } from "../catalog/Slugify.ts"
import {
  type ChangeStamp,
  type ProductAllocation,
  type SlugRequest,
  stampOf,
  StoreAllocation
} from "../catalog/StoreAllocation.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { ExternalIds } from "./ExternalIds.ts"

/** Number of products per statement: about a millisecond of work for the database. */
const PRODUCTS_PER_STATEMENT = 50

/** Planned result of a row that can be stored. */
type Draft = { readonly externalId: ExternalId } & (
  | { readonly outcome: "created"; readonly input: CreateProduct }
  | { readonly outcome: "updated" | "unchanged"; readonly before: StoredProduct; readonly after: Product }
)

type DraftResult = Result.Result<Draft, InvalidRow>

const draftOf = (
  { externalId, input }: ImportItem<ImportedProduct>,
  before: StoredProduct | undefined,
  at: Date
): DraftResult =>
  input(before?.product, at).pipe(
    Result.flatMap((patch): Result.Result<Draft, ReadonlyArray<string>> => {
      if (before !== undefined) {
        const after = changed(before.product, patch, at)
        return Result.succeed({
          externalId,
          before,
          after,
          outcome: after === before.product ? "unchanged" : "updated"
        })
      }
      const { name, ...fields } = patch
      return name === undefined
        ? Result.fail(["name: is missing; a product that does not exist yet needs one"])
        : Result.succeed({ externalId, outcome: "created", input: { name, ...fields } })
    }),
    Result.mapError((issues) => new InvalidRow({ issues }))
  )

/** Returns the drafts before the first new product that the plan does not allow. */
const takeAllowed = (drafts: ReadonlyArray<DraftResult>, capacity: number): ReadonlyArray<DraftResult> => {
  let left = capacity
  const end = drafts.findIndex((draft) => Result.isSuccess(draft) && draft.success.outcome === "created" && left-- <= 0)
  return end === -1 ? drafts : drafts.slice(0, end)
}

/** Returns the slug to allocate; "" for a product that keeps its slug. */
const slugRequestOf = (draft: Draft): SlugRequest => {
  if (draft.outcome === "created") {
    const { name, slug } = draft.input
    return { slug: slug ?? slugify(name), isRequested: slug !== undefined }
  }
  return { slug: draft.after.slug === draft.before.product.slug ? "" : draft.after.slug, isRequested: true }
}

/** A product that can be stored. */
interface CompletedProduct extends StoredProduct {
  readonly externalId: ExternalId
  readonly stamp: ChangeStamp
  /** Undefined for a new product. */
  readonly before: StoredProduct | undefined
}

type PutError = ProductTooLarge | SlugTaken

/** Completes a product for storage. Fails if its slug is taken or it is too large. */
const complete = (
  draft: Draft,
  { clock, slug }: ProductAllocation,
  currencyCode: string
): Result.Result<CompletedProduct, readonly [Draft, PutError]> => {
  const requested = draft.outcome === "created" ? draft.input.slug : draft.after.slug
  if (Option.isNone(slug)) return Result.fail([draft, new SlugTaken({ slug: requested ?? "" })])
  const id = ProductId.make(uuidOfMicros(clock), { disableChecks: true })
  const stamp = stampOf(clock)
  const product =
    draft.outcome === "created"
      ? newProduct(draft.input, { ...stamp, id, slug: slug.value || `product-${id.slice(-8)}`, currencyCode })
      : draft.after
  const json = JSON.stringify(product)
  return Buffer.byteLength(json) > MAX_PRODUCT_BYTES
    ? Result.fail([draft, new ProductTooLarge()])
    : Result.succeed({
        externalId: draft.externalId,
        before: draft.outcome === "created" ? undefined : draft.before,
        stamp,
        product,
        json
      })
}

const changeOf = ({ before, json, product, stamp }: CompletedProduct): Change => ({
  id: stamp.eventId,
  at: stamp.at,
  resource: "product",
  resourceId: product.id,
  version: product.version,
  before: before === undefined ? null : { json: before.json, fields: before.product },
  after: { json, fields: product },
  reason: null
})

/**
 * Makes the import of products, from the parts of `createProduct` and `updateProduct`. Decisions are made for each product,
 * statements are sent for {@link PRODUCTS_PER_STATEMENT} of them (docs/performance.md, Import).
 */
export const productImport = Effect.gen(function* () {
  const { allocateProducts, lockCapacity, releaseStatement } = yield* StoreAllocation
  const externalIds = yield* ExternalIds
  const { lockByExternalIds } = yield* ProductRepository
  const writes = yield* ProductWrites
  const unitOfWork = yield* UnitOfWork

  /** Stores changes and returns the errors of those that cannot be stored. The store must be locked. */
  const storeChanges = Effect.fnUntraced(function* (store: StoreId, changes: ReadonlyArray<Draft>) {
    const isCreation = ({ outcome }: Draft) => outcome === "created"
    const { allocations, currencyCode } = yield* allocateProducts(
      store,
      changes.map(slugRequestOf),
      changes.filter(isCreation).length
    ).pipe(
      // The drafts are within the plan, and the store is locked.
      Effect.catchTag("ProductLimitReached", Effect.die)
    )
    const errors = new Map<Draft, PutError>()
    for (const chunk of Array.chunksOf(Array.zip(changes, allocations), PRODUCTS_PER_STATEMENT)) {
      const results = chunk.map(([draft, allocation]) => complete(draft, allocation, currencyCode))
      const [completed, failed] = Array.separate(results)
      for (const [draft, error] of failed) errors.set(draft, error)
      const created = completed.filter(({ before }) => before === undefined)
      const updated = completed.flatMap(({ before, ...stored }) =>
        before === undefined ? [] : [{ ...stored, before: before.product }]
      )
      yield* writes.addAll(store, created, updated)
      if (created.length > 0) {
        const named = created.map(({ externalId, product }) => ({ externalId, id: product.id }))
        yield* unitOfWork.add(externalIds.insertStatement(store, "product", named))
      }
      yield* recordAll(completed.map(changeOf))
      // The statements of many products are large: they are sent before the next ones are made.
      yield* unitOfWork.flush
      yield* Effect.yieldNow
    }
    const unused = [...errors.keys()].filter(isCreation).length
    if (unused > 0) yield* unitOfWork.add(releaseStatement(store, unused))
    return errors
  })

  const putProducts: typeof Imports.Service.putProducts = Effect.fn("Imports.putProducts")(
    function* (store, items, planned) {
      const { capacity, clock, limit } = yield* lockCapacity(store)
      const existing = yield* lockByExternalIds(
        store,
        items.map(({ externalId }) => externalId)
      )
      const { at } = stampOf(clock)
      const all = items.map((item) => draftOf(item, existing.get(item.externalId), at))
      const drafts = takeAllowed(all, capacity - planned)
      const changes = Array.getSuccesses(drafts).filter(({ outcome }) => outcome !== "unchanged")
      const errors = changes.length === 0 ? new Map<Draft, PutError>() : yield* storeChanges(store, changes)
      return {
        outcomes: drafts.map(
          Result.flatMap((draft): Result.Result<ImportOutcome, PutError> => {
            const error = errors.get(draft)
            return error === undefined ? Result.succeed(draft.outcome) : Result.fail(error)
          })
        ),
        limit: drafts.length === all.length ? Option.none() : Option.some(new ProductLimitReached({ limit }))
      }
    }
  )
  return putProducts
})
