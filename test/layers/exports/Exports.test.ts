import { assert, layer } from "@effect/vitest"
import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { DataKind as Kinds } from "../../../src/domain/imports/DataKind.ts"
import { Exports } from "../../../src/domain/exports/Exports.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { exported, ExportsTest, lineOf } from "../../support/data/Exports.ts"
import { makeStore } from "../../support/http/Api.ts"
import { putCustomers, putOrders } from "../../support/data/Records.ts"
import { performIn } from "../../support/data/Writes.ts"

const setExternalId = Effect.fn(function* (storeId: StoreId, kind: string, externalId: string, id: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into external_ids (store_id, kind, external_id, resource_id)
    values (${storeId}, ${kind}, ${externalId}, ${String(id)})
  `
})

const product = Schema.decodeUnknownSync(CreateProduct)
const collection = Schema.decodeUnknownSync(CreateCollection)

/** A customer of about so many bytes. */
const customerOf = (bytes: number) => ({ addresses: [{ story: "a".repeat(bytes) }] })

/** A store with two resources of each kind. The first has an external id. */
const scene = Effect.gen(function* () {
  const storeId = yield* makeStore()
  const catalog = yield* Catalog
  const perform = yield* performIn(storeId)
  const create = (fields: object) => perform(catalog.createProduct(storeId, product(fields)))
  const desk = yield* create({ name: 'Desk "A"', price: 12.5, variants: [{ title: "Large" }] })
  const lamp = yield* create({ name: "Lamp\n{}", metafields: { a: { b: "x,}" } } })
  yield* setExternalId(storeId, "product", 'sku"1', desk.id)
  const manual = yield* perform(
    catalog.createCollection(storeId, collection({ title: "By hand", productIds: [lamp.id, desk.id] }))
  )
  const rules = [{ field: "price", relation: "greater_than", value: 5 }]
  const automated = yield* perform(catalog.createCollection(storeId, collection({ title: "By rules", rules })))
  yield* setExternalId(storeId, "collection", "manual", manual.id)
  const [ada, bob] = yield* putCustomers(storeId, [{ name: "Ada", email: "ada@example.com" }, { name: "Bob" }])
  yield* setExternalId(storeId, "customer", "ADA", ada?.id)
  const lines = [desk, lamp].map(({ id }) => ({ name: "It", quantity: 1, unitPrice: 0.1, productId: id }))
  const orders = yield* putOrders(storeId, [
    { customerId: ada?.id ?? null, lineItems: lines, email: "ada@example.com", shippingAddress: { city: "Porto" } },
    { lineItems: [{ name: "It", quantity: 3, unitPrice: 0.1 }] }
  ])
  yield* setExternalId(storeId, "order", "1001", orders[0]?.id)
  return { storeId, desk, lamp, manual, automated, ada, bob, orders }
})

layer(ExportsTest, { excludeTestServices: true, timeout: "60 seconds" })("Exports", (it) => {
  it.effect("exported lines have the fields of the API and an external id, by default the resource's id", () =>
    Effect.gen(function* () {
      const { ada, automated, bob, desk, lamp, manual, orders, storeId } = yield* scene
      const catalog = yield* Catalog
      const products = yield* exported(storeId, "products")
      assert.deepStrictEqual(products.lines, [
        { externalId: 'sku"1', ...lineOf(desk.json) },
        { externalId: lamp.id, ...lineOf(lamp.json) }
      ])
      const collections = yield* exported(storeId, "collections")
      const rules = Struct.omit(lineOf(automated.json), ["productIds", "productCount"])
      assert.deepStrictEqual(collections.lines, [
        { externalId: "manual", ...lineOf(manual.json), productIds: [lamp.id, 'sku"1'] },
        { externalId: automated.id, ...rules }
      ])
      assert.lengthOf(
        (yield* catalog.listProducts(storeId, { cursor: undefined, limit: 5 })).items.match(/"version"/g) ?? [],
        2
      )

      const customers = yield* exported(storeId, "customers")
      assert.deepStrictEqual(
        customers.lines.map(({ email, externalId, id, ordersCount }) => [id, externalId, email, ordersCount]),
        [
          [ada?.id, "ADA", "ada@example.com", 1],
          [bob?.id, bob?.id, null, 0]
        ]
      )
      const [first, second] = (yield* exported(storeId, "orders")).lines
      assert.deepInclude(first, {
        externalId: "1001",
        id: orders[0]?.id,
        customerExternalId: "ADA",
        email: "ada@example.com",
        shippingAddress: { city: "Porto" },
        total: 0.2
      })
      assert.deepStrictEqual(
        Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ productExternalId: Schema.String })))(
          first?.["lineItems"]
        ),
        [{ productExternalId: 'sku"1' }, { productExternalId: lamp.id }]
      )
      assert.notProperty(first, "customerId")
      assert.notProperty(second, "customerExternalId")
      assert.propertyVal(second, "total", 0.3)
      assert.propertyVal(second, "externalId", orders[1]?.id)
    })
  )

  it.effect("two exports of the same data are identical", () =>
    Effect.gen(function* () {
      const { storeId } = yield* scene
      for (const kind of Kinds.literals) {
        const { text } = yield* exported(storeId, kind)
        assert.strictEqual((yield* exported(storeId, kind)).text, text)
      }
    })
  )

  it.effect("a part of an export has at most 1 MiB, unless it is one larger row", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const small = Array.from({ length: 5 }, () => customerOf(300_000))
      yield* putCustomers(storeId, [...small, customerOf(1_200_000), customerOf(1)])
      const { parts } = yield* exported(storeId, "customers")
      assert.deepStrictEqual(
        parts.map((lines) => lines.match(/\n/g)?.length),
        [3, 2, 1, 1]
      )
    })
  )

  it.effect("an export of an unknown store fails", () =>
    Effect.gen(function* () {
      const unknownStore = StoreId.make("019c1363-49c0-7a11-9c3d-0b8e5f6a7d42")
      const { create } = yield* Exports
      assert.strictEqual((yield* Effect.flip(create(unknownStore, { kind: "products" })))._tag, "StoreNotFound")
    })
  )
})
