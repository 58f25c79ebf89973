import { Array, Effect, Option, Result } from "effect"
import type { SqlClient } from "effect/sql"
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
import { uuidOfMicros } from "../../domain/Uuid.ts"
import type { Change } from "../../domain/Write.ts"
import { recordAll } from "../Writes.ts"
import { type ChangeStamp, stampOf } from "../catalog/Allocation.ts"
import { makeBulkAllocation, type ProductAllocation, type SlugRequest } from "../catalog/BulkAllocation.ts"
import { makeBulkProducts, type StoredProduct } from "../catalog/BulkProducts.ts"
import { slugify } from "../catalog/Slugify.ts"
import { makeIndexCache, type SearchValue } from "../catalog/Terms.ts"
import { markStored } from "../catalog/Vocabulary.ts"
import { orDefect } from "../sql/Errors.ts"
import type { ConnectionPool } from "../sql/Postgres.ts"
import { deferToCommit } from "../sql/Transaction.ts"
import { insertExternalIds } from "./ExternalIds.ts"

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

/*
 * Bulk versions of `createProduct` and `updateProduct` from the same parts. Decisions are made for each product, statements
 * are sent for all of them (docs/performance.md, Import).
 */
export const makePutProducts = (
  sql: SqlClient.SqlClient,
  pool: typeof ConnectionPool.Service
): typeof Imports.Service.putProducts => {
  const { addToProductCount, allocateSlugs, lockCapacity } = makeBulkAllocation(sql)
  const { lockNamed, writeProducts } = makeBulkProducts(sql)
  const { clear, indexFacets } = makeIndexCache()
  pool.onLost(clear)

  return Effect.fnUntraced(function* (store, puts, planned) {
    const { capacity, clock, currencyCode, limit } = yield* lockCapacity(store)
    const externalIds = puts.map(({ externalId }) => externalId)
    const existing = yield* lockNamed(store, externalIds)
    const { at } = stampOf(clock)
    const all = puts.map((put) => draftOf(put, existing.get(put.externalId), at))
    const drafts = takeAllowed(all, capacity - planned)
    const changes = Array.getSuccesses(drafts).filter(({ outcome }) => outcome !== "unchanged")
    const allocations = changes.length === 0 ? [] : yield* allocateSlugs(store, changes.map(slugRequestOf))
    const errors = new Map<Draft, PutError>()
    const stored = new Set<SearchValue>()
    const isNew = (value: SearchValue) => {
      if (stored.has(value)) return false
      stored.add(value)
      return true
    }
    let createdCount = 0
    for (const chunk of Array.chunksOf(Array.zip(changes, allocations), PRODUCTS_PER_STATEMENT)) {
      const results = chunk.map(([draft, allocation]) => complete(draft, allocation, currencyCode))
      const [completed, failed] = Array.separate(results)
      for (const [draft, error] of failed) errors.set(draft, error)
      const created = completed.filter(({ before }) => before === undefined)
      const updated = completed.filter(({ before }) => before !== undefined)
      const named = created.map(({ externalId, product }) => ({ externalId, id: product.id }))
      const statements = [
        ...writeProducts(store, indexFacets, isNew, created, updated),
        ...(named.length > 0 ? [insertExternalIds(sql, store, "product", named)] : [])
      ]
      // One at a time: while the database waits for the next statement, others use its core (docs/performance.md, Import).
      for (const statement of statements) yield* statement
      yield* recordAll(completed.map(changeOf))
      createdCount += created.length
    }
    if (createdCount > 0) yield* deferToCommit(addToProductCount(store, createdCount))
    yield* sql.afterCommit(Effect.sync(() => markStored(stored)))
    return {
      outcomes: drafts.map(
        Result.flatMap((draft): Result.Result<ImportOutcome, PutError> => {
          const error = errors.get(draft)
          return error === undefined ? Result.succeed(draft.outcome) : Result.fail(error)
        })
      ),
      limit: drafts.length === all.length ? Option.none() : Option.some(new ProductLimitReached({ limit }))
    }
  }, orDefect)
}
