import { Record } from "effect"
import { InstallationInactive } from "../../domain/access/Installations.ts"
import { ForeignOrigin, NotSignedIn, SignInRefused, TooManySignIns } from "../../domain/access/Sessions.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import {
  advance,
  type CollectionHead,
  CollectionId,
  CollectionLimitReached,
  CollectionNotFound,
  newCollection,
  patchCollection,
  RulesTooSlow,
  TooManyMembers,
  TooManyProductIds,
  UnknownProducts
} from "../../domain/catalog/Collection.ts"
import {
  type CreateProduct,
  newProduct,
  patchProduct,
  type Product,
  ProductId,
  ProductLimitReached,
  ProductNotFound,
  ProductTooLarge
} from "../../domain/catalog/Product.ts"
import {
  type AccessRule,
  type CapabilityNotGranted,
  refusalOf,
  type ScopeNotGranted
} from "../../domain/access/AccessRule.ts"
import { type BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { StoreBusy } from "../../domain/Bulkhead.ts"
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import { Actor, MerchantId } from "../../domain/Actor.ts"
import { EventId, type EventKind, EventLoop, payloadOf } from "../../domain/Events.ts"
import { AnswersFull, KeyReused } from "../../domain/Idempotency.ts"
import { RateLimitExceeded } from "../../domain/RateLimit.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { Unavailable } from "../../domain/Unavailable.ts"
import { VersionMismatch } from "../../domain/Version.ts"
import { bodyOf, type PublicError } from "../ErrorTable.ts"
import { KeyMalformed, KeyMissing } from "../KeyRefused.ts"

/*
 * Requests and answers for the reference. What the service answers with is made by the code that answers: a product by
 * `newProduct`, a refusal by its error.
 */

const DESK = ProductId.make("019c1363-49c0-7d21-9a53-5b1c6e2f8a90")
const UNKNOWN = ProductId.make("019c1363-49c0-7fff-8000-000000000000")
const EVENT = EventId.make("019c1363-49c0-7d21-8e4f-3a6b0c9d2f18")
const OAK = CollectionId.make("019c1363-49c0-7b3e-a1c8-6f24d09e7b51")

const created = { at: new Date("2026-01-31T09:30:00.000Z"), currencyCode: "EUR" }
const later = new Date("2026-02-02T16:20:00.000Z")

const deskFields: CreateProduct = {
  name: "Oak desk",
  price: 499,
  discountedPrice: 449.5,
  stock: 12,
  vendorName: "Northern Joinery",
  category: "Furniture",
  productType: "Desk",
  description: "A desk of solid oak, oiled by hand. The top is one piece, 27 mm thick.",
  imageUrl: "https://images.example.com/oak-desk.jpg",
  tags: ["oak", "office"],
  media: [{ url: "https://images.example.com/oak-desk-top.jpg", type: "image", alt: "The top, seen from above" }],
  options: [{ name: "Width", values: ["120 cm", "160 cm"] }],
  variants: [
    { title: "120 cm", sku: "DESK-OAK-120", price: 449, stock: 5, options: { Width: "120 cm" } },
    { title: "160 cm", sku: "DESK-OAK-160", price: 499, stock: 7, options: { Width: "160 cm" } }
  ],
  faqs: [{ question: "Does it come assembled?", answer: "The legs go on with four screws." }],
  metafields: { care: { oil: "once a year" } },
  weight: 31.4,
  dimensions: { length: 160, width: 80, height: 74, unit: "cm" },
  countryOfOrigin: "PT",
  hsCode: "940330",
  seoTitle: "Oak desk, 120 or 160 cm"
}

const VARIANTS = ["019c1363-49c0-74c7-8e01-c2d94b7f1a35", "019c1363-49c0-7a98-b3f6-07e5d81c4b62"]

const withIds = (product: Product): Product => ({
  ...product,
  variants: product.variants.map((variant, index) => ({ ...variant, id: VARIANTS[index] ?? variant.id }))
})

const desk = withIds(newProduct(deskFields, { ...created, id: DESK, slug: "oak-desk" }))

const cheaper = { discountedPrice: 429, stock: 9 }
const oneVariant = { variants: [{ id: VARIANTS[0], stock: 2 }, { id: VARIANTS[1] }] }

const oakFields = {
  title: "Oak under 500",
  rules: [
    { field: "tags", relation: "equals", value: "oak" },
    { field: "price", relation: "less_than", value: 500 }
  ]
}

const oak = newCollection(oakFields, { at: created.at, id: OAK, slug: "oak-under-500" })
const renamed = { title: "Oak desks" }

const withProducts = (collection: CollectionHead) => ({ ...collection, productIds: [DESK], productCount: 1 })

const invalid = (...issues: ReadonlyArray<string>) => ({ error: INVALID, issues })

const badId = { InvalidId: invalid("id: must be a UUID, as in 01890a5d-ac96-774b-bcce-b302099a8057") }
const badPage = {
  InvalidLimit: invalid("limit: must be an integer of at least 1"),
  InvalidCursor: invalid("cursor: must be a UUID, as in 01890a5d-ac96-774b-bcce-b302099a8057")
}
const badBody = { InvalidJson: { error: "The body is not valid JSON" } }
const badProduct = {
  InvalidFields: invalid(
    "price: must be a number from 0 to 999999999999999",
    "variants.0.stock: must be a number from 0 to 999999999999999"
  )
}
const badCollection = {
  InvalidFields: invalid("rules.0.relation: must be one of equals, not_equals for the field onSale")
}
const badCondition = { InvalidCondition: { error: 'If-Match must be * or entity tags, as in "3"' } }

interface Sample {
  /** Bodies to send, by what they show. They name nothing that a store may not have: each works as it stands. */
  readonly requests?: Readonly<Record<string, unknown>>
  /** The answer to the first of them. */
  readonly answer: unknown
  /** Answers to requests that cannot be read. */
  readonly malformed: Readonly<Record<string, unknown>>
}

/** Requests and answers of each operation, by its name. */
export const samples: Readonly<Record<string, Sample>> = {
  listProducts: { answer: { products: [desk], nextCursor: DESK }, malformed: badPage },
  createProduct: {
    requests: { "With variants": deskFields, "Only a name": { name: "Oak desk" } },
    answer: { data: desk },
    malformed: { ...badBody, ...badProduct }
  },
  updateProduct: {
    requests: { "Price and stock": cheaper, "Stock of one variant": oneVariant },
    answer: { data: patchProduct(desk, cheaper, later) },
    malformed: { ...badId, ...badBody, ...badProduct, ...badCondition }
  },
  deleteProduct: { answer: { data: { id: DESK, deleted: true } }, malformed: { ...badId, ...badCondition } },
  listCollections: { answer: { collections: [withProducts(oak)], nextCursor: null }, malformed: badPage },
  getCollection: { answer: { data: withProducts(oak) }, malformed: badId },
  createCollection: {
    requests: { "Chosen by rules": oakFields, "Filled by hand later": { title: "For the office", type: "manual" } },
    answer: { data: withProducts(oak) },
    malformed: { ...badBody, ...badCollection }
  },
  updateCollection: {
    requests: { "Another title": renamed, "Turned manual, with what matches now": { type: "manual" } },
    answer: { data: withProducts(advance(patchCollection(oak, renamed), later)) },
    malformed: { ...badId, ...badBody, ...badCollection, ...badCondition }
  },
  deleteCollection: { answer: { data: { id: OAK, deleted: true } }, malformed: { ...badId, ...badCondition } }
}

const merchant = Actor.Merchant({ id: MerchantId.make("019c1363-49c0-7a11-9c3d-0b8e5f6a7d43") })

const eventOf = (kind: EventKind, resource: Product | CollectionHead): unknown =>
  JSON.parse(
    payloadOf({
      id: EVENT,
      kind,
      occurredAt: created.at,
      storeId: StoreId.make("019c1363-49c0-7a11-9c3d-0b8e5f6a7d42"),
      actor: merchant,
      hops: 0,
      json: JSON.stringify(resource)
    })
  )

/** An event of each kind, as it is sent. */
export const sampleEvents = {
  "catalog.product.updated.v1": eventOf("catalog.product.updated.v1", desk),
  "catalog.collection.updated.v1": eventOf("catalog.collection.updated.v1", oak)
}

/** Errors that differ from operation to operation: what cannot be read stands with the samples. */
type Particular = BadRequest | ScopeNotGranted | CapabilityNotGranted

/** One error of each other kind. */
const refusals: { readonly [Refusal in Exclude<PublicError, Particular> as Refusal["_tag"]]: Refusal } = {
  KeyMissing: new KeyMissing(),
  KeyMalformed: new KeyMalformed(),
  InvalidToken: new InvalidToken(),
  InstallationInactive: new InstallationInactive(),
  ProductLimitReached: new ProductLimitReached({ limit: 100 }),
  CollectionLimitReached: new CollectionLimitReached({ limit: 50 }),
  StoreNotFound: new StoreNotFound(),
  ProductNotFound: new ProductNotFound({ id: UNKNOWN }),
  CollectionNotFound: new CollectionNotFound({ id: OAK }),
  KeyReused: new KeyReused(),
  VersionMismatch: new VersionMismatch({ current: 3 }),
  ProductTooLarge: new ProductTooLarge(),
  SlugTaken: new SlugTaken({ slug: "oak" }),
  UnknownProducts: new UnknownProducts({ unknown: [{ index: 1, id: UNKNOWN }] }),
  TooManyProductIds: new TooManyProductIds(),
  TooManyMembers: new TooManyMembers({ count: 12_480 }),
  RulesTooSlow: new RulesTooSlow({ collection: OAK }),
  EventLoop: new EventLoop({ event: EVENT }),
  AnswersFull: new AnswersFull(),
  RateLimitExceeded: new RateLimitExceeded(),
  StoreBusy: new StoreBusy(),
  Unavailable: new Unavailable({ cause: "ECONNREFUSED" }),
  NotSignedIn: new NotSignedIn(),
  SignInRefused: new SignInRefused(),
  TooManySignIns: new TooManySignIns(),
  ForeignOrigin: new ForeignOrigin()
}

/** The body of each refusal, as an operation with this rule answers it. */
export const refusalsOf = (rule: AccessRule): Readonly<Record<string, unknown>> => {
  const forAccess = refusalOf({ scopes: [] }, rule)
  const all = forAccess === undefined ? refusals : { ...refusals, [forAccess._tag]: forAccess }
  return Record.map(all, bodyOf)
}

/** What any request may meet, by status. */
export const failures: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "500": { InternalError: { error: "Internal error" } },
  "503": { Unavailable: { error: "The database is out of reach or overloaded; repeat the request" } }
}
