import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Scope } from "../../../src/domain/access/Scope.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { makeRecordHandlers } from "../../../src/rpc/handlers/Records.ts"
import { ApiTest, install, pageOf } from "../../support/http/Api.ts"
import { putCustomers, putOrders } from "../../support/data/Records.ts"
import { asAgent, freshMember } from "../../support/rpc/Rpc.ts"

const address = { line1: "1 Secret Street", city: "Porto" }
const ada = { name: "Ada Example", email: "secret@example.com", phone: "+351 secret", addresses: [address] }
const placed = { email: "secret@example.com", shippingAddress: address, billingAddress: address }

/** A store with a customer and their order. */
const scene = Effect.gen(function* () {
  const member = yield* freshMember()
  const [customer] = yield* putCustomers(member.storeId, [ada])
  const [order] = yield* putOrders(member.storeId, [{ ...placed, customerId: customer?.id, number: "1042" }])
  if (customer === undefined || order === undefined) return assert.fail("They were put")
  return { ...member, customer: customer.id, order: order.id }
})

const decode = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

/** What an agent of the store is answered, as read by who asks. */
const askedBy = Effect.fn(function* (storeId: StoreId, scopes: ReadonlyArray<Scope>) {
  const procedures = yield* makeRecordHandlers
  const ask = asAgent(storeId, scopes)
  return (tag: keyof typeof procedures, payload: object = {}) =>
    Effect.map(ask(procedures[tag], decode(payload)), (answer) => decode(answer))
})

layer(ApiTest)("orders and customers over procedures", (it) => {
  it.effect("are what the first surface says of them, whole for members", () =>
    Effect.gen(function* () {
      const { client, customer, order, storeId } = yield* scene
      const app = yield* install(storeId)
      const [orders, customers] = [yield* client.orders.list({ storeId }), yield* client.customers.list({ storeId })]
      assert.deepStrictEqual(orders.items, pageOf(yield* app.client.get("/orders")).items)
      assert.deepStrictEqual(customers.items, pageOf(yield* app.client.get("/customers")).items)
      assert.deepStrictEqual(yield* client.orders.get({ storeId, id: order }), orders.items[0])
      assert.deepStrictEqual(yield* client.customers.get({ storeId, id: customer }), customers.items[0])
      assert.deepInclude(orders.items[0], { number: "1042", email: "secret@example.com", customerId: customer })
      assert.deepInclude(customers.items[0], { phone: "+351 secret", ordersCount: 1 })
    })
  )

  it.effect("are listed in pages, or since when they changed", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const made = yield* putOrders(storeId, [{ number: "1" }, { number: "2" }, { number: "3" }])
      const first = yield* client.orders.list({ storeId, limit: 2 })
      assert.strictEqual(first.nextCursor, made[1]?.id)
      const [last] = (yield* client.orders.list({ storeId, cursor: made[1]?.id ?? assert.fail() })).items
      assert.strictEqual(last?.number, "3")
      const since = yield* client.orders.list({ storeId, updatedSince: last?.updatedAt ?? "" })
      assert.include(
        since.items.map(({ number }) => number),
        "3"
      )
      const later = yield* client.orders.list({ storeId, updatedSince: "2999-01-01T00:00:00Z" })
      assert.deepStrictEqual(later, { items: [], nextCursor: null })
      const refused = yield* Effect.flip(client.customers.list({ storeId, updatedSince: "yesterday" }))
      assert.match(JSON.stringify(refused), /RFC 3339/)
    })
  )

  it.effect("show agents nothing that is personal, and nothing at all without the scope", () =>
    Effect.gen(function* () {
      const { customer, order, storeId } = yield* scene
      const ask = yield* askedBy(storeId, ["read_orders", "read_customers"])
      const answers = [
        yield* ask("orders.list"),
        yield* ask("orders.list", { updatedSince: "2020-01-01T00:00:00Z" }),
        yield* ask("orders.get", { id: order }),
        yield* ask("customers.list"),
        yield* ask("customers.get", { id: customer })
      ]
      for (const answer of answers) assert.notMatch(JSON.stringify(answer), /secret/i)
      assert.deepInclude(answers[2], { number: "1042", email: null, shippingAddress: null, billingAddress: null })
      assert.deepInclude(answers[4], { name: "Ada Example", email: null, phone: null, addresses: null })

      const other = yield* askedBy(storeId, ["read_products"])
      for (const [tag, payload] of [
        ["orders.list", {}],
        ["orders.get", { id: order }],
        ["customers.list", {}],
        ["customers.get", { id: customer }]
      ] as const) {
        assert.strictEqual((yield* other(tag, payload))["_tag"], "AgentScopeMissing", tag)
      }
    })
  )
})
