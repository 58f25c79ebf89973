import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Grants } from "../../../src/domain/access/AccessRule.ts"
import type { Scope } from "../../../src/domain/access/Scope.ts"
import { putCustomers, putOrders } from "../data/Records.ts"
import { dataOf, freshClient } from "../http/Api.ts"
import { picture, upload } from "../http/Files.ts"

/* A store whose fields have values that occur nowhere else, and the grants that show each of them. */

/** Texts and numbers that occur in one kind of fields only, with the grants that show these fields. */
interface Marked {
  readonly marker: string
  readonly isVisible: (grants: Grants) => boolean
}

const withOne =
  (...scopes: ReadonlyArray<Scope>) =>
  (grants: Grants) =>
    scopes.some((scope) => grants.scopes.includes(scope))

const seesProducts = withOne("read_products", "write_products")
const seesStock = withOne("read_products", "write_products", "write_inventory")
const seesCollections = withOne("read_collections", "write_collections")
const seesPersonal =
  (...scopes: ReadonlyArray<Scope>) =>
  (grants: Grants) =>
    grants.capabilities.includes("customer_pii") && withOne(...scopes)(grants)

/** Product with a marker in each field that accepts one. */
export const PRODUCT = {
  name: "pname-q7",
  description: "pdescription-q7",
  price: 31337.25,
  discountedPrice: 30337.25,
  costPrice: 21337.25,
  vendorName: "pvendor-q7",
  category: "pcategory-q7",
  productType: "ptype-q7",
  barcode: "pbarcode-q7",
  imageUrl: "https://images.example.com/pimage-q7.png",
  tags: ["ptag-q7"],
  metafields: { note: "pmeta-q7" },
  seoTitle: "pseo-q7",
  weight: 41337.25,
  hsCode: "phs-q7",
  countryOfOrigin: "pcountry-q7"
}
const VARIANT = { title: "vtitle-q7", barcode: "vbarcode-q7", price: 51337.25, costPrice: 11337.25 }
export const STOCK = { sku: "psku-q7", stock: 61337.25 }
const VARIANT_STOCK = { sku: "vsku-q7", stock: 71337.25 }

const decodePosition = Schema.decodeUnknownSync(Schema.Struct({ nextPosition: Schema.String }))

const markersIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(markersIn)
  return /q7|1?\d{4}\.25/.test(String(value)) ? [String(value)] : []
}

const mark = (isVisible: Marked["isVisible"], value: unknown): ReadonlyArray<Marked> =>
  markersIn(value).map((marker) => ({ marker, isVisible }))

const COLLECTION = { title: "ctitle-q7", description: "cdescription-q7", seoTitle: "cseo-q7" }

/** Store whose fields have markers. */
export const makeMarkedStore = Effect.gen(function* () {
  const owner = yield* freshClient()
  const { client, storeId } = owner
  const { nextPosition } = yield* Effect.map(client.get("/changes"), ({ json }) => decodePosition(json))
  const product = dataOf(
    yield* client.post("/products", { ...PRODUCT, ...STOCK, variants: [{ ...VARIANT, ...VARIANT_STOCK }] })
  )
  const unnamed = dataOf(yield* client.post("/products", { name: "unnamed-q7", costPrice: 3 }))
  const collection = dataOf(yield* client.post("/collections", { ...COLLECTION, productIds: [product["id"]] }))
  const rules = [{ field: "title", relation: "contains", value: "rvalue-q7" }]
  const automated = dataOf(yield* client.post("/collections", { title: "atitle-q7", type: "automated", rules }))
  const stocked = [{ field: "stock", relation: "greater_than", value: 61337 }]
  yield* client.post("/collections", { title: "stitle-q7", type: "automated", rules: stocked })
  const address = { name: "oname-q7", line1: "oline-q7" }
  const [customer] = yield* putCustomers(storeId, [
    { name: "kname-q7", email: "kmail-q7@example.com", phone: "kphone-q7", tags: ["ktag-q7"] }
  ])
  const [order] = yield* putOrders(storeId, [
    { number: "onumber-q7", note: "onote-q7", email: "omail-q7@example.com", shippingAddress: address }
  ])
  const file = dataOf(yield* upload(client, yield* picture("png"), { query: "?name=fname-q7.png&alt=falt-q7" }))
  yield* client.put("/app-data/settings", { key: "a", value: "dvalue-q7" })
  const marked: ReadonlyArray<Marked> = [
    ...mark(seesProducts, [PRODUCT, VARIANT, "unnamed-q7"]),
    ...mark(seesStock, [STOCK, VARIANT_STOCK]),
    ...mark(seesCollections, [COLLECTION, "atitle-q7", "stitle-q7", "rvalue-q7"]),
    ...mark(withOne("read_customers"), ["kname-q7", "ktag-q7"]),
    ...mark(seesPersonal("read_customers"), ["kmail-q7", "kphone-q7"]),
    ...mark(withOne("read_orders"), ["onumber-q7", "onote-q7"]),
    ...mark(seesPersonal("read_orders"), ["omail-q7", "oname-q7", "oline-q7"]),
    ...mark(withOne("read_files", "write_files"), ["fname-q7", "falt-q7"]),
    // Only collections return ids of products that the caller did not name (contract, section 2.2).
    { marker: String(unnamed["id"]), isVisible: (grants) => seesProducts(grants) || seesCollections(grants) },
    { marker: String(automated["id"]), isVisible: seesCollections },
    { marker: "dvalue-q7", isVisible: () => false }
  ]
  const ids = {
    position: nextPosition,
    product: String(product["id"]),
    collection: String(collection["id"]),
    order: String(order?.id),
    customer: String(customer?.id),
    file: String(file["id"])
  }
  return { ...owner, ids, marked }
})

export type Ids = Effect.Success<typeof makeMarkedStore>["ids"]

/** Fails if a text has a marker of a field that the grants do not show. */
export const assertHidden = (marked: ReadonlyArray<Marked>, grants: Grants, name: string, text: string) => {
  const leaked = marked.filter(({ isVisible, marker }) => text.includes(marker) && !isVisible(grants))
  assert.deepStrictEqual(
    leaked.map(({ marker }) => marker),
    [],
    `${name} with ${[...grants.scopes, ...grants.capabilities].join()}: ${text.slice(0, 300)}`
  )
}
