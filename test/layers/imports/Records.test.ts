import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema, Struct } from "effect"
import * as FastCheck from "fast-check"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { Collection } from "../../../src/domain/catalog/Collection.ts"
import { PutCollection } from "../../../src/domain/imports/Collection.ts"
import { Imports } from "../../../src/domain/imports/Imports.ts"
import { decodeImportedOrder } from "../../../src/domain/imports/Order.ts"
import { ExternalId } from "../../../src/domain/imports/Put.ts"
import { Customer, Customers, PutCustomer } from "../../../src/domain/records/Customer.ts"
import { Order, Orders } from "../../../src/domain/records/Order.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import type { Writes } from "../../../src/domain/Write.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { importItem } from "../../support/data/Imports.ts"
import {
  applyCollection,
  applyCustomer,
  applyOrder,
  applyRow,
  type Model,
  money,
  orderRowOf,
  type Step,
  steps,
  subtotalOf
} from "../../support/data/RecordModel.ts"
import { performIn } from "../../support/data/Writes.ts"
import { makeStore } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"

const decodeCustomer = Schema.decodeUnknownSync(PutCustomer)
const decodeCollection = Schema.decodeUnknownSync(PutCollection)

const all = { cursor: undefined, limit: 200, isPersonal: true }
const listIn = <A, I>(item: Schema.Codec<A, I>) =>
  Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.toType(item))))
const ordersIn = listIn(Order)
const customersIn = listIn(Customer)
const collectionsIn = listIn(Collection)

/** Reads the stored resources by the position at which they were created. */
const read = Effect.fn(function* (storeId: StoreId) {
  const [catalog, customers, orders] = yield* Effect.all([Catalog, Customers, Orders])
  return {
    customers: customersIn((yield* customers.list(storeId, all)).items),
    orders: ordersIn((yield* orders.list(storeId, all)).items),
    collections: collectionsIn((yield* catalog.listCollections(storeId, all)).items)
  }
})

/** Returns the outcome of a row. */
const outcomeOf = (result: Result.Result<string, unknown> | undefined) =>
  result === undefined ? "none" : Result.getOrElse(result, () => "refused")

layer(Layer.provideMerge(DomainLive, PostgresTest), { excludeTestServices: true, timeout: "60 seconds" })(
  "Imported records",
  (it) => {
    it.effect(
      "partial rows in any sequence keep, clear and replace fields and recompute amounts as the model does",
      () =>
        Effect.gen(function* () {
          const runtime = yield* Effect.context<
            Effect.Services<ReturnType<typeof makeStore> | ReturnType<typeof read>> | Imports | Writes
          >()
          const imports = yield* Imports

          const run = Effect.fn(function* (sequence: ReadonlyArray<Step>) {
            const storeId = yield* makeStore()
            const perform = yield* performIn(storeId)
            const model: Model = { customers: new Map(), orders: new Map(), collections: new Map() }
            const products = ["p0", "p1"].map((id) => importItem(id, { name: id }))
            yield* perform(imports.putProducts(storeId, products, 0))
            const listed = (yield* (yield* Catalog).listProducts(storeId, all)).items
            const productIds = Schema.decodeUnknownSync(
              Schema.fromJsonString(Schema.Array(Schema.Struct({ id: Schema.String })))
            )(listed)
            const productOf = (id: string | null) =>
              id === null ? null : (productIds[id === "p0" ? 0 : 1]?.id ?? null)
            let before = yield* read(storeId)

            for (const [number, { kind, rows }] of sequence.entries()) {
              // A batch contains an external id once.
              const distinct = [...new Map<string, (typeof rows)[number][1]>(rows)]
              const isByExternalId = number % 2 === 0
              const expected: Array<string> = []
              const results: Array<Result.Result<string, unknown>> = []
              if (kind === "orders") {
                const items = [...new Map(rows)].map(([id, row]) => {
                  const old = model.orders.get(id)
                  const input = Result.getOrThrow(decodeImportedOrder(orderRowOf(row, old, isByExternalId)))
                  const isKnown =
                    row.customer === undefined || row.customer === null || model.customers.has(row.customer)
                  expected.push(applyRow(model.orders, id, isKnown ? applyOrder(row, old) : undefined))
                  return { externalId: ExternalId.make(id), input }
                })
                results.push(...(yield* perform(imports.putOrders(storeId, items))).outcomes)
              } else if (kind === "customers") {
                const items = [...new Map(rows)].map(([id, row]) => {
                  expected.push(applyRow(model.customers, id, applyCustomer(row, model.customers.get(id))))
                  return { externalId: ExternalId.make(id), input: decodeCustomer(row) }
                })
                results.push(...(yield* perform(imports.putCustomers(storeId, items))).outcomes)
              } else {
                for (const [id, row] of rows) {
                  expected.push(applyRow(model.collections, id, applyCollection(row, model.collections.get(id))))
                  const item = { externalId: ExternalId.make(id), input: decodeCollection(row) }
                  results.push(yield* Effect.result(perform(imports.putCollection(storeId, item))))
                }
              }
              assert.deepStrictEqual(results.map(outcomeOf), expected, JSON.stringify(distinct))

              const stored = yield* read(storeId)
              if (expected.every((outcome) => outcome === "unchanged" || outcome === "refused")) {
                assert.deepStrictEqual(stored, before, "nothing was written")
              }
              const customerIds = new Map(
                [...model.customers.keys()].map((id, index) => [id, stored.customers[index]?.id])
              )
              assert.deepStrictEqual<ReadonlyArray<unknown>>(
                stored.orders.map((order) => ({
                  ...Struct.omit(order, ["id", "createdAt", "updatedAt"]),
                  lineItems: order.lineItems.map((line) => Struct.omit(line, ["id"]))
                })),
                [...model.orders.values()].map(({ customer, discount, fields, lines, shipping, tax, total }) => ({
                  ...fields,
                  customerId: customer === null ? null : customerIds.get(customer),
                  subtotal: money(subtotalOf(lines)),
                  discount: money(discount),
                  shipping: money(shipping),
                  tax: money(tax),
                  total: money(total),
                  lineItems: lines.map(({ discount, price, product, quantity }) => ({
                    productId: productOf(product),
                    variantId: null,
                    name: "Cup",
                    sku: null,
                    quantity,
                    unitPrice: money(price),
                    discount: money(discount),
                    total: money(quantity * price - discount)
                  }))
                }))
              )
              for (const [place, { lineItems }] of before.orders.entries()) {
                const ids = stored.orders[place]?.lineItems.map(({ id }) => id) ?? []
                assert.deepStrictEqual(
                  ids.slice(0, lineItems.length),
                  lineItems.slice(0, ids.length).map(({ id }) => id)
                )
              }
              assert.deepStrictEqual<ReadonlyArray<unknown>>(
                stored.customers.map((customer) => Struct.omit(customer, ["id", "createdAt", "updatedAt"])),
                [...model.customers].map(([id, fields]) => {
                  const counted = [...model.orders.values()].filter(
                    ({ customer, status }) => customer === id && status !== "cancelled"
                  )
                  const totalSpent = money(counted.reduce((sum, { total }) => sum + total, 0))
                  return { ...fields, ordersCount: counted.length, totalSpent }
                })
              )
              assert.deepStrictEqual<ReadonlyArray<unknown>>(
                stored.collections.map((collection) => ({
                  ...Struct.pick(collection, ["title", "description", "isActive", "seoTitle", "productIds", "type"])
                })),
                [...model.collections.values()].map((fields) => ({
                  ...fields,
                  productIds: Schema.decodeUnknownSync(Schema.Array(Schema.String))(fields["productIds"]).map(
                    productOf
                  ),
                  type: "manual"
                }))
              )
              before = stored
            }
          })

          const property = FastCheck.asyncProperty(steps, (sequence) => Effect.runPromiseWith(runtime)(run(sequence)))
          yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 20 }))
        })
    )
  }
)
