import { createHash } from "node:crypto"
import { type CreateProduct, ProductId } from "../../../src/domain/catalog/Product.ts"
import { CustomerId } from "../../../src/domain/records/Customer.ts"
import type { PutOrder } from "../../../src/domain/records/Order.ts"

/*
 * Content of both databases, computed from numbers. The load generator computes tokens and ids in the same way.
 */

/** Stores 0 to 49 hold 300 products each. */
export const STORES = 50
export const PRODUCTS = 300

/** Orders of each of these stores. */
export const ORDERS = 100

/** Store with automated collections. */
export const MEDIUM_STORE = { store: STORES, products: 10_000, collections: 50, matches: 500 }

/** Store of the benchmark `million`. */
export const LARGE_STORE = { store: STORES + 1, products: 1_000_000 }

/**
 * Installations by purpose. The rate limit is 100 requests per minute, so 4,000 installations in turn allow 400,000.
 * `spare` verifies that the rate limit is active.
 */
export const INSTALLATIONS = {
  shared: { first: 0, count: 4_000 },
  deep: { first: 4_000, count: 2_000 },
  vast: { first: 6_000, count: 1_000 },
  spare: { first: 7_000, count: 1 }
}

export type Group = keyof typeof INSTALLATIONS

/** Installation of the n-th request of a group. Consecutive ones belong to different stores. */
export const installationAt = (group: Group, n: number): number => {
  const { count, first } = INSTALLATIONS[group]
  return first + (n % count)
}

export const storeOf = (installation: number): number => {
  if (installation < INSTALLATIONS.deep.first) return installation % STORES
  if (installation < INSTALLATIONS.vast.first) return MEDIUM_STORE.store
  return installation < INSTALLATIONS.spare.first ? LARGE_STORE.store : 0
}

/** Milliseconds of the first seeded id, in the past, so that resources of the run come after it. */
export const EPOCH = Date.UTC(2025, 0, 1)

/** Numbers of the kinds of ids. */
export const KINDS = {
  app: 1,
  store: 2,
  installation: 3,
  product: 4,
  collection: 5,
  order: 6,
  customer: 7,
  merchant: 8
}

/** Makes a UUIDv7 that rises with `n`. */
export const idOf = (kind: keyof typeof KINDS, group: number, n: number): string => {
  const time = (EPOCH + n).toString(16).padStart(12, "0")
  const tail = `8${group.toString(16).padStart(3, "0")}-${n.toString(16).padStart(12, "0")}`
  return `${time.slice(0, 8)}-${time.slice(8)}-7${String(KINDS[kind]).padStart(3, "0")}-${tail}`
}

export const tokenOf = (installation: number): string =>
  createHash("sha256").update(`bench token ${installation}`).digest("base64url")

/** Entries of app data of each installation. */
export const ENTRIES = 10

export const entryKey = (n: number): string => `key-${n % ENTRIES}`

/** Value of about 300 bytes. */
export const entryValue = (n: number): string =>
  `{"title":"Setting ${n}","enabled":true,"threshold":${n % 97},"notes":"${"x".repeat(220)}","tags":["a","b"]}`

const VENDORS = ["Northern Joinery", "Quiet Mill", "Harbour Works", "Alder & Sons", "Studio Lindgren"] as const
const TAGS = ["oak", "walnut", "office", "handmade", "spring", "outlet", "kitchen", "gift", "outdoor", "new"] as const
const TYPES = ["Desk", "Chair", "Shelf", "Lamp"] as const

const pick = (items: ReadonlyArray<string>, n: number): string => items[n % items.length] ?? ""

/** True for half of the products of each vendor. */
const hasTag = (n: number, tag: number) => (Math.floor(n / VENDORS.length) + tag) % 10 < 5

/** Unordered prices, distinct for n below 10,007. */
const priceOf = (n: number) => 5 + ((n * 7919) % 10_007) / 100

/** Product with all fields, about 1.8 KB as JSON. */
export const makeFullProduct = (n: number): CreateProduct => {
  const type = pick(TYPES, n)
  const vendor = pick(VENDORS, n)
  const name = `${vendor} ${type.toLowerCase()} ${n}`
  const sku = `${type.slice(0, 3).toUpperCase()}-${n}`
  const price = priceOf(n)
  const image = `https://img.example.com/p/${n}`
  return {
    name,
    price,
    discountedPrice: Math.floor(price * 80) / 100,
    costPrice: Math.floor(price * 45) / 100,
    stock: n % 97,
    currencyCode: "EUR",
    isActive: n % 20 !== 0,
    description: `<p>Made to order in our own workshop. The top is oiled by hand, and nothing is glued.</p>`,
    vendorName: vendor,
    category: "Furniture",
    categoryId: String(4000 + (n % 40)),
    categoryName: `${type}s`,
    productType: type,
    sku,
    barcode: String(4_006_381_000_000 + n),
    imageUrl: `${image}/1.jpg`,
    tags: TAGS.filter((_, tag) => hasTag(n, tag)),
    media: [1, 2, 3].map((position) => ({ url: `${image}/${position}.jpg`, type: "image", position })),
    options: [{ name: "Width", values: ["120 cm", "160 cm", "200 cm"] }],
    variants: ["120 cm", "160 cm", "200 cm"].map((width, index) => ({
      title: width,
      sku: `${sku}-${index}`,
      price: Math.round(price * 100 + index * 2_000) / 100,
      stock: (n + index) % 31,
      options: { Width: width }
    })),
    faqs: [{ question: "Does it come assembled?", answer: "Nearly: four screws, and the key is in the parcel." }],
    metafields: { care: { oil: "yearly" } },
    customFields: [{ key: "engraving", value: "yes" }],
    weight: 31.4,
    dimensions: { length: 160, width: 80, height: 74, unit: "cm" },
    countryOfOrigin: "PT",
    hsCode: "940330",
    seoTitle: name,
    seoDescription: `A ${type.toLowerCase()} of solid timber.`,
    metaDescription: `A ${type.toLowerCase()} of solid timber.`
  }
}

/** Order of three such products, about 1.7 KB as JSON. */
export const makeFullOrder = (store: number, n: number): PutOrder => {
  const address = {
    name: `Ada Example ${n}`,
    line1: `${n} Example Street`,
    city: "Porto",
    postalCode: "4000-001",
    country: "Portugal"
  }
  return {
    number: String(1000 + n),
    status: "completed",
    financialStatus: "paid",
    fulfillmentStatus: "fulfilled",
    shipping: 4.9,
    tax: 12.35,
    customerId: CustomerId.make(idOf("customer", store, n % 40)),
    email: `ada.${n}@example.com`,
    lineItems: [0, 1, 2].map((line) => ({
      productId: ProductId.make(idOf("product", store, (n + line) % PRODUCTS)),
      name: pick(TYPES, n + line),
      sku: `${pick(TYPES, n + line)
        .slice(0, 3)
        .toUpperCase()}-${n}`,
      quantity: 1 + line,
      unitPrice: Math.round(priceOf(n + line) * 100) / 100
    })),
    shippingAddress: address,
    billingAddress: address,
    note: "Please ring twice.",
    placedAt: new Date(EPOCH + n).toISOString()
  }
}

/** Three rules that exactly {@link MEDIUM_STORE.matches} products match: a fifth, half of those, and half again. */
export const makeRules = (collection: number) => {
  const vendor = collection % VENDORS.length
  const tag = Math.floor(collection / VENDORS.length)
  const prices = Array.from({ length: MEDIUM_STORE.products }, (_, n) => n)
    .filter((n) => n % VENDORS.length === vendor && hasTag(n, tag))
    .map(priceOf)
    .toSorted((a, b) => b - a)
  return [
    { field: "vendorName", relation: "equals", value: pick(VENDORS, vendor) },
    { field: "tags", relation: "equals", value: pick(TAGS, tag) },
    { field: "price", relation: "greater_than", value: prices[MEDIUM_STORE.matches] ?? 0 }
  ]
}
