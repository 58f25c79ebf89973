import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Scope } from "../../../src/domain/access/Scope.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { makeRecordHandlers } from "../../../src/rpc/handlers/Records.ts"
import { ApiTest, install, pageOf } from "../../support/http/Api.ts"
import { putCustomers, putOrders } from "../../support/data/Records.ts"
import { asAgent, freshMember } from "../../support/rpc/Rpc.ts"

const address = { line1: "1 Secret Street", city: "Porto" }
const customerInput = { name: "Ada Example", email: "secret@example.com", phone: "+351 secret", addresses: [address] }
const orderInput = { email: "secret@example.com", shippingAddress: address, billingAddress: address }

/** A store with a customer and their order. */
const scene = Effect.gen(function* () {
  const member = yield* freshMember()
  const [customer] = yield* putCustomers(member.storeId, [customerInput])
  const [order] = yield* putOrders(member.storeId, [{ ...orderInput, customerId: customer?.id, number: "1042" }])
  if (customer === undefined || order === undefined) return assert.fail("The customer or the order was not stored")
  return { ...member, customer: customer.id, order: order.id }
})

const decode = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

/** Calls procedures as an agent of the store and returns their decoded responses. */
const agentCalls = Effect.fn(function* (storeId: StoreId, scopes: ReadonlyArray<Scope>) {
  const procedures = yield* makeRecordHandlers
  const runAsAgent = asAgent(storeId, scopes)
  return (tag: keyof typeof procedures, payload: object = {}) =>
    Effect.map(runAsAgent(procedures[tag], decode(payload)), (response) => decode(response))
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Order and customer procedures", (it) => {
  it.effect("members read orders and customers in full, as the REST API returns them", () =>
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

  it.effect(
    "members find orders by a part of the number, e-mail address or a name, of any length and in any case",
    () =>
      Effect.gen(function* () {
        const { client, storeId } = yield* freshMember()
        const other = yield* freshMember()
        yield* putOrders(storeId, [
          { number: "A-1042", email: "mira@example.com", shippingAddress: { name: "Mira Öztürk" } },
          { number: "A-1043", billingAddress: { name: 'Jo "100%_" O\'Neil' }, note: "Mira called" },
          { number: "7" },
          { number: "#2490" }
        ])
        yield* putOrders(other.storeId, [{ number: "A-1042" }])
        for (const [search, numbers] of [
          ["7", ["7"]],
          ["-10", ["A-1042", "A-1043"]],
          ["a-1042", ["A-1042"]],
          ["MIRA@", ["A-1042"]],
          ["öztü", ["A-1042"]],
          ["mira", ["A-1042"]],
          ["42m", []],
          ["%_", ["A-1043"]],
          ['"100%_" o', ["A-1043"]],
          ["O'Neil", ["A-1043"]],
          ["nobody", []],
          ["#7", ["7"]],
          ["#A-104", ["A-1042", "A-1043"]],
          ["#2490", ["#2490"]],
          ["2490", ["#2490"]]
        ] as const) {
          for (const sort of ["placedAt", "createdAt", "number"] as const) {
            const { items, total } = yield* client.orders.query({ storeId, search, sort })
            assert.deepStrictEqual(
              items.map(({ number }) => number),
              [...numbers],
              search
            )
            assert.strictEqual(total, numbers.length)
          }
        }
        for (const [number, found] of [
          ["#a-1042", "A-1042"],
          ["2490", "#2490"],
          ["#2490", "#2490"]
        ] as const) {
          const { items } = yield* client.orders.query({ storeId, number })
          assert.deepStrictEqual(
            items.map((order) => order.number),
            [found]
          )
        }
        const first = yield* client.orders.query({ storeId, search: "A-10", limit: 1 })
        const next = { storeId, search: "A-10", limit: 1, ...(first.nextCursor && { cursor: first.nextCursor }) }
        const second = yield* client.orders.query(next)
        assert.lengthOf([...new Set([...first.items, ...second.items].map(({ id }) => id))], 2)
      })
  )

  it.effect("orders and customers are found without accents, by sold items and by the digits of a phone number", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const cup = { name: "Café crème cup", sku: "CUP-É1", quantity: 1, unitPrice: 3 }
      const shopAddress = { first_name: "Ayşe", last_name: "Öztürk", phone: "+49 (30) 555-0199" }
      yield* putOrders(storeId, [
        { number: "1", lineItems: [cup, { ...cup, name: "Saucer", sku: null }], shippingAddress: shopAddress },
        { number: "2", lineItems: [cup, cup], billingAddress: { name: "Jonas Muller", phone: null } },
        { number: "3", email: "ΝΊΚΟΣ@example.com" }
      ])
      yield* putCustomers(storeId, [
        { name: "Ayşe Öztürk", phone: "030 / 555 01 99" },
        { name: "Jonas Müller", company: "Crème & Co", addresses: [{ address1: "1 Example Street" }, shopAddress] },
        { name: null, email: "zoe@example.com", addresses: [] }
      ])
      const call = yield* agentCalls(storeId, ["read_orders", "read_customers"])
      for (const [search, orders, customers, areSeen] of [
        ["creme CUP", ["1", "2"], [], true],
        ["cup-e1", ["1", "2"], [], true],
        ["saucer", ["1"], [], true],
        ["crème &", [], ["Jonas Müller"], true],
        ["MULLER", ["2"], ["Jonas Müller"], false],
        ["müller", ["2"], ["Jonas Müller"], false],
        ["ayse ozturk", ["1"], ["Ayşe Öztürk", "Jonas Müller"], false],
        ["oztürk", ["1"], ["Ayşe Öztürk", "Jonas Müller"], false],
        ["Öztürk", ["1"], ["Ayşe Öztürk", "Jonas Müller"], false],
        ["νικος@", ["3"], [], false],
        ["305550199", ["1"], ["Ayşe Öztürk", "Jonas Müller"], false],
        ["(030) 555-01", ["1"], ["Ayşe Öztürk", "Jonas Müller"], false],
        ["+49 30 5550199", ["1"], ["Jonas Müller"], false],
        ["5550198", [], [], true],
        ["-99", [], [], true]
      ] as const) {
        const found = yield* client.orders.query({ storeId, search, sort: "number" })
        const people = yield* client.customers.query({ storeId, search, sort: "name" })
        assert.deepStrictEqual(
          [found.items.map(({ number }) => number), people.items.map(({ name }) => name)],
          [[...orders], [...customers]],
          search
        )
        const seen = yield* call("orders.query", { search })
        assert.strictEqual(seen["total"], areSeen ? orders.length : 0, search)
      }
      // Names are visible to all, phone numbers are not.
      assert.strictEqual((yield* call("customers.query", { search: "ozturk" }))["total"], 1)
      assert.strictEqual((yield* call("customers.query", { search: "5550199" }))["total"], 0)
    })
  )

  it.effect("agents receive no personal data, and AgentScopeMissing without the read scope", () =>
    Effect.gen(function* () {
      const { customer, order, storeId } = yield* scene
      const call = yield* agentCalls(storeId, ["read_orders", "read_customers"])
      const responses = [
        yield* call("orders.list"),
        yield* call("orders.list", { updatedSince: "2020-01-01T00:00:00Z" }),
        yield* call("orders.get", { id: order }),
        yield* call("customers.list"),
        yield* call("customers.get", { id: customer }),
        yield* call("orders.query"),
        yield* call("customers.query")
      ]
      for (const response of responses) assert.notMatch(JSON.stringify(response), /secret/i)
      assert.deepInclude(responses[2], { number: "1042", email: null, shippingAddress: null, billingAddress: null })
      assert.deepInclude(responses[4], { name: "Ada Example", email: null, phone: null, addresses: null })

      const callWithoutScope = yield* agentCalls(storeId, ["read_products"])
      for (const [tag, payload] of [
        ["orders.list", {}],
        ["orders.get", { id: order }],
        ["customers.list", {}],
        ["customers.get", { id: customer }],
        ["orders.query", {}],
        ["customers.query", {}]
      ] as const) {
        assert.strictEqual((yield* callWithoutScope(tag, payload))["_tag"], "AgentScopeMissing", tag)
      }
    })
  )
})
