import { HashMap, HashSet, Option, Result } from "effect"
import type { JsonText } from "../json/Document.ts"
import { uuidOfMicros } from "../Uuid.ts"
import { satisfies, type VersionCondition, VersionMismatch } from "../Version.ts"
import type { CatalogChange, Snapshot } from "../Write.ts"
import { ProductDocument } from "./Documents.ts"
import {
  type CreateProduct,
  MAX_PRODUCT_BYTES,
  newProduct,
  type Product,
  ProductId,
  ProductLimitReached,
  ProductNotFound,
  ProductTooLarge
} from "./Product.ts"
import { numbered, SlugTaken } from "./Slug.ts"

/*
 * Decisions about changes of products. Each starts from the state that the earlier ones leave, so that a single write, a
 * change set, an import and an undo decide alike. Nothing here reads or writes the database.
 */

/** References to a product, which its deletion removes and the undo of the deletion restores. */
export interface ProductReferences {
  /** Manual collections that contain the product, as JSON; null if they are too many to store. */
  readonly memberships: JsonText | null
  readonly externalId: string | null
}

/** A product and its document. */
export interface StoredProduct {
  readonly product: Product
  readonly json: JsonText
  /** Read only with a product that is deleted. */
  readonly references?: ProductReferences
}

/** Time of a change, and the id of its event and journal entry. */
export interface ChangeStamp {
  readonly at: Date
  readonly eventId: string
}

/** Makes the stamp of a change from `change_clock` of the database, in microseconds. No other clock keeps ids ordered. */
export const stampOf = (clock: number): ChangeStamp => ({
  at: new Date(Math.floor(clock / 1000)),
  eventId: uuidOfMicros(clock)
})

/** A requested slug, which must be free, or a derived one, to which a number may be added. "" needs no slug. */
export interface SlugRequest {
  readonly slug: string
  readonly isRequested: boolean
}

/** Slugs that the next changes can take. */
export interface Slugs {
  /** Numbers of free slugs by the slug that was asked for, ascending: 1 is the slug itself. */
  readonly free: HashMap.HashMap<string, ReadonlyArray<number>>
  /** Slugs that earlier changes gave up. */
  readonly released: HashSet.HashSet<string>
  /** Slugs that earlier changes took. */
  readonly taken: HashSet.HashSet<string>
}

export const NO_SLUGS: Slugs = { free: HashMap.empty(), released: HashSet.empty(), taken: HashSet.empty() }

/** Makes the slugs of requests from the number that each may have. */
export const freeSlugs = (requests: ReadonlyArray<string>, numbers: ReadonlyArray<number>): Slugs["free"] =>
  requests.reduce(
    (free, slug, index) =>
      HashMap.modifyAt(free, slug, (known) =>
        Option.some([...Option.getOrElse(known, () => []), ...numbers.slice(index, index + 1)])
      ),
    HashMap.empty<string, ReadonlyArray<number>>()
  )

/** State that decides about changes of products which keep their slugs. */
export interface ProductState {
  /** Microseconds of the next change. No other change of the store has them. */
  readonly clock: number
  /** Products that changes name; null if an earlier change deleted it. */
  readonly products: HashMap.HashMap<string, StoredProduct | null>
  readonly slugs: Slugs
}

/** State that decides about all changes of products. */
export interface StoreState extends ProductState {
  readonly currencyCode: string
  /** Maximum number of products of the plan. */
  readonly limit: number
  /** Products that the plan still allows; negative after a change to a smaller plan. */
  readonly places: number
}

/** Change of one product that is decided. */
export interface ProductChange extends ChangeStamp {
  readonly id: ProductId
  readonly before: StoredProduct | null
  /** Null if the product is deleted. */
  readonly after: StoredProduct | null
  /** Reason given by the author. */
  readonly reason: string | null
  /** Journal entry that the change undoes. */
  readonly undoes?: string | undefined
  /** Id of a new product in the system that it is imported from. */
  readonly externalId?: string | undefined
}

/** Details of a change beside the product. */
type Circumstances = Partial<Pick<ProductChange, "reason" | "undoes" | "externalId">>

/** Product after a decision, and the state for the next one. Without a `change`, the product stays as it is. */
export interface Decided<State> {
  readonly state: State
  readonly product: StoredProduct
  readonly change: ProductChange | null
}

/** Returns the product with an id; undefined if it is unknown or deleted. */
export const findProduct = ({ products }: ProductState, id: string): StoredProduct | undefined =>
  Option.getOrUndefined(HashMap.get(products, id)) ?? undefined

/** Returns the least number with which a slug was given up. */
const releasedNumber = ({ released }: Slugs, { isRequested, slug }: SlugRequest): number | undefined => {
  if (HashSet.has(released, slug)) return 1
  if (isRequested || HashSet.size(released) === 0) return undefined
  const numbers = [...released].flatMap((one) => {
    const [, number] = one.startsWith(`${slug}-`) ? (/^([1-9]\d{0,8})$/.exec(one.slice(slug.length + 1)) ?? []) : []
    return number === undefined || number === "1" ? [] : [Number(number)]
  })
  return numbers.length === 0 ? undefined : Math.min(...numbers)
}

/** Takes a free slug. Fails if a requested one is taken. */
const takeSlug = (slugs: Slugs, request: SlugRequest): Result.Result<readonly [string, Slugs], SlugTaken> => {
  const [first, ...later] = Option.getOrElse(HashMap.get(slugs.free, request.slug), () => [])
  const released = releasedNumber(slugs, request)
  const isReleased = released !== undefined && (first === undefined || released < first)
  const number = isReleased ? released : first
  if (number === undefined || (request.isRequested && number !== 1)) {
    return Result.fail(new SlugTaken({ slug: request.slug }))
  }
  const slug = numbered(request.slug, number)
  return Result.succeed([
    slug,
    {
      free: isReleased ? slugs.free : HashMap.set(slugs.free, request.slug, later),
      released: HashSet.remove(slugs.released, slug),
      taken: HashSet.add(slugs.taken, slug)
    }
  ])
}

const releaseSlug = (slugs: Slugs, slug: string): Slugs => ({ ...slugs, released: HashSet.add(slugs.released, slug) })

/** Encodes a product as it is stored and returned. Fails if it is too large. */
const encode = (product: Product): Result.Result<StoredProduct, ProductTooLarge> => {
  const json = ProductDocument.stringify(product)
  return Buffer.byteLength(json) > MAX_PRODUCT_BYTES
    ? Result.fail(new ProductTooLarge())
    : Result.succeed({ product, json })
}

const decided = <State extends ProductState>(
  state: State,
  slugs: Slugs,
  before: StoredProduct | null,
  after: StoredProduct | null,
  product: StoredProduct,
  { externalId, reason = null, undoes }: Circumstances
): Decided<State> => {
  const { id } = product.product
  return {
    state: { ...state, clock: state.clock + 1, slugs, products: HashMap.set(state.products, id, after) },
    product,
    change: { ...stampOf(state.clock), id, before, after, reason, undoes, externalId }
  }
}

/** Decides about a new product. */
export const decideCreation = (
  state: StoreState,
  input: CreateProduct,
  request: SlugRequest,
  circumstances: Circumstances = {}
): Result.Result<Decided<StoreState>, ProductLimitReached | SlugTaken | ProductTooLarge> => {
  const { clock, currencyCode, limit, places } = state
  if (places <= 0) return Result.fail(new ProductLimitReached({ limit }))
  // Checks would take 120 µs, because `make` derives its schema anew each time.
  const id = ProductId.make(uuidOfMicros(clock), { disableChecks: true })
  const taken = request.slug === "" ? Result.succeed(["", state.slugs] as const) : takeSlug(state.slugs, request)
  return Result.flatMap(taken, ([slug, slugs]) =>
    Result.map(
      encode(newProduct(input, { ...stampOf(clock), id, slug: slug || `product-${id.slice(-8)}`, currencyCode })),
      (product) => decided({ ...state, places: places - 1 }, slugs, null, product, product, circumstances)
    )
  )
}

/** Decides about the return of a deleted product. */
export const decideRestoration = (
  state: StoreState,
  deleted: Product,
  circumstances: Circumstances = {}
): Result.Result<Decided<StoreState>, ProductLimitReached | SlugTaken | ProductTooLarge> => {
  const { clock, limit, places } = state
  if (places <= 0) return Result.fail(new ProductLimitReached({ limit }))
  const updatedAt = stampOf(clock).at.toISOString()
  return Result.flatMap(takeSlug(state.slugs, { slug: deleted.slug, isRequested: true }), ([, slugs]) =>
    Result.map(encode({ ...deleted, version: deleted.version + 1, updatedAt }), (product) =>
      decided({ ...state, places: places - 1 }, slugs, null, product, product, circumstances)
    )
  )
}

/** Finds a product that has one of the versions that a change may replace. */
const findFor = (
  state: ProductState,
  id: ProductId,
  condition: VersionCondition
): Result.Result<StoredProduct, ProductNotFound | VersionMismatch> => {
  const found = findProduct(state, id)
  if (found === undefined) return Result.fail(new ProductNotFound({ id }))
  const { version } = found.product
  return satisfies(version, condition) ? Result.succeed(found) : Result.fail(new VersionMismatch({ current: version }))
}

/** Decides about a change of a product. Nothing changes if `nextOf` returns the same object. */
export const decideChange = <State extends ProductState, E>(
  state: State,
  id: ProductId,
  condition: VersionCondition,
  nextOf: (before: Product, at: Date) => Result.Result<Product, E>,
  circumstances: Circumstances = {}
): Result.Result<Decided<State>, E | ProductNotFound | VersionMismatch | SlugTaken | ProductTooLarge> =>
  Result.flatMap(
    findFor(state, id, condition),
    (before): Result.Result<Decided<State>, E | SlugTaken | ProductTooLarge> =>
      Result.flatMap(nextOf(before.product, stampOf(state.clock).at), (next) => {
        const { slug } = before.product
        if (next === before.product) return Result.succeed({ state, product: before, change: null })
        const isKept = next.slug === slug
        const taken = isKept
          ? Result.succeed(["", state.slugs] as const)
          : takeSlug(state.slugs, { slug: next.slug, isRequested: true })
        return Result.flatMap(taken, ([, slugs]) =>
          Result.map(encode(next), (product) =>
            decided(state, isKept ? slugs : releaseSlug(slugs, slug), before, product, product, circumstances)
          )
        )
      })
  )

/** Decides about the deletion of a product. */
export const decideDeletion = (
  state: StoreState,
  id: ProductId,
  condition: VersionCondition,
  circumstances: Circumstances = {}
): Result.Result<Decided<StoreState>, ProductNotFound | VersionMismatch> =>
  Result.map(findFor(state, id, condition), (before) =>
    decided(
      { ...state, places: state.places + 1 },
      releaseSlug(state.slugs, before.product.slug),
      before,
      null,
      before,
      circumstances
    )
  )

const snapshotOf = (stored: StoredProduct | null): Snapshot | null =>
  stored && { json: stored.json, fields: stored.product, product: stored.product }

/** Returns the change to record. A deletion needs the references to its product. */
export const recordOf = (
  { after, at, before, eventId, id, reason, undoes }: ProductChange,
  references: ProductReferences | undefined
): CatalogChange => ({
  id: eventId,
  at,
  resource: "product",
  resourceId: id,
  version: (after ?? before)?.product.version ?? 0,
  before: snapshotOf(before),
  after: snapshotOf(after),
  reason,
  ...(undoes === undefined ? {} : { undoes }),
  ...(after === null ? references : {})
})
