import { Array, Effect, Option, Result } from "effect"
import { putProduct } from "../../domain/catalog/VariantMatching.ts"
import {
  type CreateProduct,
  MAX_PRODUCT_BYTES,
  newProduct,
  type Product,
  ProductId,
  ProductLimitReached,
  ProductTooLarge
} from "../../domain/catalog/Product.ts"
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import { stringify } from "../../domain/Json.ts"
import type { Imports } from "../../domain/imports/Imports.ts"
import type { ImportItem, ImportOutcome } from "../../domain/imports/Put.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"
import type { Change } from "../../domain/Write.ts"
import { afterCommit, countOf, deferToCommit } from "../sql/Plan.ts"
import { insertExternalIds } from "./ExternalIds.ts"
import { recordAll } from "../Writes.ts"
import { type ChangeStamp, stampOf } from "../catalog/Allocation.ts"
import { slugify } from "../catalog/Slugify.ts"
import { countProducts, type ProductAllocation, grantAll, roomOf, type SlugRequest } from "../catalog/BulkAllocation.ts"
import { holdNamedProducts, type StoredProduct, writesOfMany } from "../catalog/BulkProducts.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { markStored } from "../catalog/Vocabulary.ts"
import { type SearchValue, makeIndexCache } from "../catalog/Terms.ts"

/** Products that one statement writes: about a millisecond of the database's work. */
const PRODUCTS_PER_STATEMENT = 50

/** What a put comes to: the product that is known, as it was and as it is to be, or a new one. */
interface Draft {
  readonly put: ImportItem<CreateProduct>
  readonly before: StoredProduct | undefined
  readonly after: Product | undefined
  readonly outcome: ImportOutcome
}

const draftOf = (put: ImportItem<CreateProduct>, before: StoredProduct | undefined, at: Date): Draft => {
  if (before === undefined) return { put, before, after: undefined, outcome: "created" }
  const after = putProduct(before.product, put.input, at)
  return { put, before, after, outcome: after === before.product ? "unchanged" : "updated" }
}

/** As many as there is room for: those before the first new product that the plan does not allow. */
const within = (drafts: ReadonlyArray<Draft>, room: number): ReadonlyArray<Draft> => {
  let left = room
  const end = drafts.findIndex(({ outcome }) => outcome === "created" && left-- <= 0)
  return end === -1 ? drafts : drafts.slice(0, end)
}

/** A product that keeps its slug asks for none. */
const wishOf = ({ after, before, put: { input } }: Draft): SlugRequest => {
  if (after === undefined) return { slug: input.slug ?? slugify(input.name), isAsked: input.slug !== undefined }
  return { slug: after.slug === before?.product.slug ? "" : after.slug, isAsked: true }
}

/** A draft that was carried out. */
interface Done extends Draft, StoredProduct {
  readonly moment: ChangeStamp
}

type Refused = ProductTooLarge | SlugTaken

/** The product as it is stored, unless its slug is another's or it has grown too large. */
const finish = (
  draft: Draft,
  { clock, slug }: ProductAllocation,
  currencyCode: string
): Result.Result<Done, readonly [Draft, Refused]> => {
  const { after, put } = draft
  if (Option.isNone(slug)) return Result.fail([draft, new SlugTaken({ slug: after?.slug ?? put.input.slug ?? "" })])
  const id = ProductId.make(uuidOfMicros(clock), { disableChecks: true })
  const moment = stampOf(clock)
  const product =
    after ?? newProduct(put.input, { ...moment, id, slug: slug.value || `product-${id.slice(-8)}`, currencyCode })
  const json = stringify(product)
  return Buffer.byteLength(json) > MAX_PRODUCT_BYTES
    ? Result.fail([draft, new ProductTooLarge()])
    : Result.succeed({ ...draft, moment, product, json })
}

const changeOf = ({ before, json, moment, product }: Done): Change => ({
  id: moment.eventId,
  at: moment.at,
  resource: "product",
  resourceId: product.id,
  version: product.version,
  before: before === undefined ? null : { json: before.json, fields: before.product },
  after: { json, fields: product },
  reason: null
})

/*
 * `createProduct` and `updateProduct` for many at once, of the same parts: what they decide is decided for each, what they
 * ask and leave to the commit is one statement for all (docs/performance.md, Import).
 */
export const makePutProducts = (database: DatabaseOf): typeof Imports.Service.putProducts => {
  const { forget, indexOf } = makeIndexCache()
  database.onLost(forget)

  return (store, puts, planned) =>
    Effect.gen(function* () {
      const { clock, currencyCode, limit, room } = yield* roomOf(store)
      const externalIds = puts.map(({ externalId }) => externalId)
      const known = yield* holdNamedProducts(store, externalIds)
      const { at } = stampOf(clock)
      const all = puts.map((put) => draftOf(put, known.get(put.externalId), at))
      const drafts = within(all, room - planned)
      const changes = drafts.filter(({ outcome }) => outcome !== "unchanged")
      const grants = changes.length === 0 ? [] : yield* grantAll(store, changes.map(wishOf))
      const refusals = new Map<Draft, Refused>()
      const entered = new Set<SearchValue>()
      const isNew = (found: SearchValue) => {
        if (entered.has(found)) return false
        entered.add(found)
        return true
      }
      let made = 0
      for (const granted of Array.chunksOf(Array.zip(changes, grants), PRODUCTS_PER_STATEMENT)) {
        const [done, refused] = Array.separate(granted.map(([draft, grant]) => finish(draft, grant, currencyCode)))
        for (const [draft, refusal] of refused) refusals.set(draft, refusal)
        const created = done.filter(({ before }) => before === undefined)
        const updated = done.filter(({ before }) => before !== undefined)
        const named = created.map(({ product, put }) => ({ externalId: put.externalId, id: product.id }))
        const statements = [
          ...writesOfMany(store, indexOf, isNew, created, updated),
          ...(named.length > 0 ? [insertExternalIds(store, "product", named)] : [])
        ]
        // One at a time: a database that sleeps between two statements lets others have the core (docs/performance.md, Import).
        for (const statement of statements) yield* countOf(statement)
        yield* recordAll(done.map(changeOf))
        made += created.length
      }
      if (made > 0) yield* deferToCommit(countProducts(store, made))
      yield* afterCommit(() => markStored(entered))
      return {
        outcomes: drafts.map((draft) => {
          const refusal = refusals.get(draft)
          return refusal === undefined ? Result.succeed(draft.outcome) : Result.fail(refusal)
        }),
        limit: drafts.length === all.length ? Option.none() : Option.some(new ProductLimitReached({ limit }))
      }
    })
}
