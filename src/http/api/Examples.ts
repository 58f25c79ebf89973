import {
  withNextVersion,
  type CollectionHead,
  CollectionId,
  newCollection,
  patchCollection
} from "../../domain/catalog/Collection.ts"
import { type CreateProduct, newProduct, patchProduct, type Product, ProductId } from "../../domain/catalog/Product.ts"
import type { AppDataEntry } from "../../domain/records/AppData.ts"
import { InstallationId, MerchantId } from "../../domain/access/Ids.ts"
import { Actor } from "../../domain/Actor.ts"
import { EventId, type EventKind, eventBodyOf } from "../../domain/Events.ts"
import { AppPlanId, SubscriptionId } from "../../domain/billing/Billing.ts"
import { periodEnd } from "../../domain/billing/Period.ts"
import { StoreId } from "../../domain/Store.ts"
import type { FeedChange } from "../../domain/journal/ChangeFeed.ts"
import { digestOf } from "../../domain/journal/Digest.ts"
import type { StoreOfApp } from "./Stores.ts"
import { badId, changeSetSamples, invalid } from "./ChangeSetExamples.ts"
import { fileSamples } from "./FileExamples.ts"
import { customer, order } from "./RecordExamples.ts"

/*
 * Example requests and responses for the reference. Responses are made by the code that serves them: products by
 * `newProduct`, events by `eventBodyOf`.
 */

const DESK = ProductId.make("019c1363-49c0-7d21-9a53-5b1c6e2f8a90")
const STORE = StoreId.make("019c1363-49c0-7a11-9c3d-0b8e5f6a7d42")
const INSTALLATION = InstallationId.make("019c1363-49c0-7e5a-8b17-9d4c2a6f3e08")
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

const store: StoreOfApp = {
  id: STORE,
  name: "Northern Furniture",
  domain: "furniture.example.com",
  currencyCode: "EUR",
  timezone: "Europe/Lisbon",
  locale: "pt-PT",
  country: "PT",
  weightUnit: "kg",
  plan: { name: "growth", productLimit: 10_000, collectionLimit: 2000, mediaLimit: 10 * 1024 ** 3 },
  productCount: 40,
  createdAt: created.at.toISOString(),
  installation: {
    id: INSTALLATION,
    scopes: ["read_products", "write_products"],
    capabilities: ["app_storage"],
    subscription: {
      id: SubscriptionId.make("019c1363-49c0-7a4b-9d3e-2f1c8b7e6a50"),
      installationId: INSTALLATION,
      planId: AppPlanId.make("019c1363-49c0-7c2d-8f60-5b9e1d4a7c31"),
      planName: "Basic",
      price: 19.9,
      currencyCode: "EUR",
      period: "month",
      state: "active",
      startedAt: created.at.toISOString(),
      trialEndsAt: null,
      periodEndsAt: periodEnd(created.at, "month", created.at).toISOString(),
      cancelledAt: null
    }
  }
}

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

const theme: AppDataEntry = {
  namespace: "settings",
  key: "theme",
  value: { name: "dark", contrast: 1.5 },
  expiresAt: null,
  createdAt: created.at.toISOString(),
  updatedAt: created.at.toISOString()
}

const deskChange: typeof FeedChange.Type = {
  position: EVENT,
  resource: "products",
  id: DESK,
  version: 1,
  deleted: false,
  at: created.at.toISOString(),
  actor: { kind: "app" },
  originInstallationId: INSTALLATION,
  changeSetId: null
}

const digest = digestOf("products", [{ range: 0x90, count: 1, digest: "0c84e2a1b7f3596d" }])

const badPage = {
  InvalidLimit: invalid("limit: must be an integer of at least 1"),
  InvalidCursor: invalid("cursor: must be a UUID, as in 01890a5d-ac96-774b-bcce-b302099a8057")
}
const badChanges = {
  ...badPage,
  InvalidTime: invalid("updatedSince: must be a time of RFC 3339, as in 2026-01-31T09:30:00Z")
}
const badCursor = invalid(
  "cursor: belongs to another query; send the rules, search, filters and sort of the first page again, or start without a cursor"
)
const badSearch = {
  InvalidLimit: badPage.InvalidLimit,
  OtherQuery: badCursor
}
const badRules = {
  ...badSearch,
  InvalidRules: invalid('rules: must be JSON text, as in [{"field":"tags","relation":"equals","value":"oak"}]')
}
const badFilter = {
  ...badChanges,
  InvalidIds: invalid("ids: must be at most 100 ids with commas between them"),
  InvalidRange: invalid("range: must be two hexadecimal digits, as in a7")
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
  /** Request bodies by title. They reference no stored resource, so each one works in every store. */
  readonly requests?: Readonly<Record<string, unknown>>
  /** The response to the first request. */
  readonly response: unknown
  /** Responses of another shape, by title. */
  readonly otherResponses?: Readonly<Record<string, unknown>>
  /** Responses to malformed requests. */
  readonly malformed: Readonly<Record<string, unknown>>
}

/** Example requests and responses by operation name. */
export const samples: Readonly<Record<string, Sample>> = {
  getStore: { response: { data: store }, malformed: {} },
  listProducts: { response: { products: [desk], nextCursor: DESK }, malformed: badFilter },
  searchProducts: { response: { products: [desk], nextCursor: null, total: 1 }, malformed: badRules },
  createProduct: {
    requests: { "With variants": deskFields, "Only a name": { name: "Oak desk" } },
    response: { data: desk },
    malformed: { ...badBody, ...badProduct }
  },
  updateProduct: {
    requests: { "Price and stock": cheaper, "Stock of one variant": oneVariant },
    response: { data: patchProduct(desk, cheaper, later) },
    malformed: { ...badId, ...badBody, ...badProduct, ...badCondition }
  },
  setInventory: {
    requests: { "Set stock": { stock: 20 }, "Adjust stock": { adjust: -2, reason: "Two were broken" } },
    response: { data: patchProduct(desk, { stock: 20 }, later) },
    malformed: {
      ...badId,
      ...badBody,
      InvalidFields: invalid("stock: must be given, or `adjust`, and not both"),
      ...badCondition
    }
  },
  deleteProduct: { response: { data: { id: DESK, deleted: true } }, malformed: { ...badId, ...badCondition } },
  listCollections: { response: { collections: [withProducts(oak)], nextCursor: null }, malformed: badFilter },
  searchCollections: {
    response: { collections: [withProducts(oak)], nextCursor: null, total: 1 },
    malformed: badSearch
  },
  getCollection: { response: { data: withProducts(oak) }, malformed: badId },
  createCollection: {
    requests: {
      "Automated by rules": oakFields,
      "Manual, without products": { title: "For the office", type: "manual" }
    },
    response: { data: withProducts(oak) },
    malformed: { ...badBody, ...badCollection }
  },
  updateCollection: {
    requests: { "Change the title": renamed, "Make it manual, with its current products": { type: "manual" } },
    response: { data: withProducts(withNextVersion(patchCollection(oak, renamed), later)) },
    malformed: { ...badId, ...badBody, ...badCollection, ...badCondition }
  },
  deleteCollection: { response: { data: { id: OAK, deleted: true } }, malformed: { ...badId, ...badCondition } },
  ...fileSamples,
  ...changeSetSamples,
  listOrders: { response: { orders: [order], nextCursor: null }, malformed: badChanges },
  searchOrders: { response: { orders: [order], nextCursor: null, total: 1 }, malformed: badSearch },
  listCustomers: { response: { customers: [customer], nextCursor: null }, malformed: badChanges },
  searchCustomers: { response: { customers: [customer], nextCursor: null, total: 1 }, malformed: badSearch },
  listChanges: {
    response: { changes: [deskChange], nextPosition: EVENT, isLatest: true },
    malformed: {
      InvalidPosition: invalid("after: must be a UUID, as in 01890a5d-ac96-774b-bcce-b302099a8057"),
      InvalidLimit: badPage.InvalidLimit,
      InvalidResources: invalid("resources: must be products, collections or both, with a comma between them"),
      InvalidWait: invalid("wait: must be an integer from 0 to 30")
    }
  },
  getDigest: {
    response: { data: digest },
    malformed: { InvalidResource: invalid("resource: must be products or collections") }
  },
  putAppData: {
    requests: {
      "A setting": { key: "theme", value: { name: "dark", contrast: 1.5 } },
      "For an hour": { key: "session", value: "started", ttlSeconds: 3600 }
    },
    response: { data: theme },
    malformed: {
      ...badBody,
      InvalidFields: invalid(
        "key: must be 1 to 256 of A-Z, a-z, 0-9 and . _ : -",
        "ttlSeconds: must be an integer from 1 to 31536000"
      )
    }
  },
  getAppData: {
    response: { entries: [theme], nextCursor: null },
    otherResponses: { "Entry of a key": { data: theme } },
    malformed: { InvalidLimit: badPage.InvalidLimit }
  },
  deleteAppData: {
    response: { data: { namespace: "settings", key: "theme", deleted: true } },
    malformed: { NoKey: invalid("key: is missing") }
  }
}

const merchant = Actor.Merchant({ id: MerchantId.make("019c1363-49c0-7a11-9c3d-0b8e5f6a7d43") })

const eventOf = (kind: EventKind, resource: Product | CollectionHead): unknown =>
  JSON.parse(
    eventBodyOf({
      id: EVENT,
      kind,
      occurredAt: created.at,
      storeId: STORE,
      actor: merchant,
      hops: 0,
      json: JSON.stringify(resource)
    })
  )

/** An example event of each kind. */
export const sampleEvents = {
  "catalog.product.updated.v1": eventOf("catalog.product.updated.v1", desk),
  "catalog.collection.updated.v1": eventOf("catalog.collection.updated.v1", oak)
} satisfies Record<EventKind, unknown>
