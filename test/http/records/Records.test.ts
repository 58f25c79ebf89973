import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as FastCheck from "fast-check"
import { randomUUID } from "node:crypto"
import { Customer } from "../../../src/domain/records/Customer.ts"
import { Order } from "../../../src/domain/records/Order.ts"
import {
  ApiTest,
  type Client,
  errorOf,
  freshClient,
  install,
  makeStore,
  pageOf,
  type Resource
} from "../../support/http/Api.ts"
import { makeClientRotation } from "../../support/http/ClientRotation.ts"
import { putCustomers, putOrders } from "../../support/data/Records.ts"

const address = { name: "Ada Example", line1: "1 Secret Street", city: "Porto", unitOfTheirs: "7b" }
const ada = {
  name: "Ada Example",
  email: "secret@example.com",
  phone: "+351 secret",
  company: "Example Books",
  tags: ["Regular", "regular"],
  acceptsMarketing: true,
  addresses: [address]
}
const line = { name: "Cup", quantity: 2, unitPrice: 12.5, discount: 5 }
const orderBody = { email: "secret@example.com", shippingAddress: address, billingAddress: address, lineItems: [line] }

const idsOf = (items: ReadonlyArray<Resource>) => items.map(({ id }) => String(id))

const sizes = (pages: ReadonlyArray<ReadonlyArray<Resource>>) => pages.map((page) => page.length)

/** Reads all pages of a list by following the cursor. */
const readPages = Effect.fn(function* (client: (index: number) => Client, path: string) {
  const pages: Array<ReadonlyArray<Resource>> = []
  let cursor: string | null = null
  do {
    const from: string = cursor === null ? "" : `&cursor=${cursor}`
    const answer = yield* client(pages.length).get(`${path}${from}`)
    assert.strictEqual(answer.status, 200, answer.text.slice(0, 500))
    const { items, nextCursor } = pageOf(answer)
    if (nextCursor !== null) assert.strictEqual(nextCursor, idsOf(items).at(-1))
    pages.push(items)
    cursor = nextCursor
  } while (cursor !== null)
  return pages
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Orders and customers", (it) => {
  it.effect("lists return every field to an installation with customer_pii", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const [customer] = yield* putCustomers(storeId, [ada])
      yield* putOrders(storeId, [{ ...orderBody, customerId: customer?.id, note: "Ring twice" }])

      const orders = yield* client.get("/orders")
      const { items, nextCursor } = pageOf(orders)
      assert.isNull(nextCursor)
      const [order = {}] = items
      assert.sameMembers(Object.keys(order), Object.keys(Order.fields))
      Schema.decodeUnknownSync(Order)(order)
      assert.strictEqual(order["createdAt"], order["updatedAt"])
      assert.deepStrictEqual(order, {
        ...order,
        number: "1",
        status: "open",
        financialStatus: null,
        fulfillmentStatus: null,
        currencyCode: "EUR",
        subtotal: 20,
        discount: 0,
        shipping: 0,
        tax: 0,
        total: 20,
        customerId: customer?.id,
        email: "secret@example.com",
        shippingAddress: address,
        billingAddress: address,
        note: "Ring twice",
        placedAt: "2026-01-31T09:30:00.000Z"
      })

      const [shown = {}] = pageOf(yield* client.get("/customers")).items
      assert.sameMembers(Object.keys(shown), Object.keys(Customer.fields))
      Schema.decodeUnknownSync(Customer)(shown)
      assert.deepStrictEqual(shown, {
        ...shown,
        ...ada,
        tags: ["Regular"],
        ordersCount: 1,
        totalSpent: 20
      })
    })
  )

  it.effect("personal fields are null without customer_pii, and other fields are unchanged", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const [customer] = yield* putCustomers(storeId, [ada])
      yield* putOrders(storeId, [{ ...orderBody, customerId: customer?.id }])
      const { client: other } = yield* install(storeId, { capabilities: ["app_storage"] })
      for (const [path, hidden] of [
        ["/orders", { email: null, shippingAddress: null, billingAddress: null }],
        ["/customers", { email: null, phone: null, addresses: null }]
      ] as const) {
        for (const query of ["", "?limit=1", "?updatedSince=2026-01-01T00:00:00Z"]) {
          const all = pageOf(yield* client.get(`${path}${query}`)).items
          const answer = yield* other.get(`${path}${query}`)
          assert.notMatch(answer.text, /secret/i)
          assert.lengthOf(all, 1)
          assert.deepStrictEqual(
            pageOf(answer).items,
            all.map((item) => ({ ...item, ...hidden }))
          )
        }
      }
    })
  )

  it.effect("each list requires its own scope, and single records have no route", () =>
    Effect.gen(function* () {
      const { storeId } = yield* freshClient()
      const [done] = yield* putOrders(storeId, [{}])
      const { client } = yield* install(storeId, { scopes: ["read_orders"] })
      assert.strictEqual((yield* client.get("/orders")).status, 200)
      const refused = yield* client.get("/customers")
      assert.strictEqual(refused.status, 403)
      assert.include(errorOf(refused).error, "read_customers")
      for (const path of [`/orders/${done?.id}`, `/customers/${randomUUID()}`]) {
        assert.strictEqual((yield* client.get(path)).status, 404, path)
      }
      const { client: other } = yield* install(storeId, { scopes: ["read_customers", "read_products"] })
      assert.strictEqual((yield* other.get("/customers")).status, 200)
      assert.strictEqual((yield* other.get("/orders")).status, 403)
    })
  )

  it.effect("lists contain only records of the store", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const other = yield* freshClient()
      yield* putCustomers(storeId, [ada])
      yield* putOrders(storeId, [orderBody])
      for (const path of ["/orders", "/customers", "/orders?updatedSince=2026-01-01T00:00:00Z"]) {
        assert.lengthOf(pageOf(yield* client.get(path)).items, 1)
        assert.deepStrictEqual(pageOf(yield* other.client.get(path)), { items: [], nextCursor: null })
      }
    })
  )

  it.effect("lists page by ascending id with any limit, with and without updatedSince", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const created = yield* putOrders(
        storeId,
        Array.from({ length: 23 }, (_, index) => ({ number: String(index) }))
      )
      const client = yield* makeClientRotation(storeId, 10)
      // Change some orders at different times.
      for (const place of [17, 2, 3, 11]) {
        const id = created[place]?.id
        assert.isDefined(id)
        if (id !== undefined) yield* putOrders(storeId, [{ id, number: "changed" }])
      }
      const rows = (yield* readPages(client, "/orders?limit=200")).flat()
      assert.deepStrictEqual(
        idsOf(rows),
        created.map(({ id }) => id)
      )
      const times = [...new Set(rows.map(({ updatedAt }) => String(updatedAt)))].toSorted()
      const since = FastCheck.constantFrom(undefined, "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", ...times)
      let requests = 0
      const runtime = yield* Effect.context<never>()
      const property = FastCheck.asyncProperty(FastCheck.integer({ min: 1, max: 25 }), since, (limit, since) =>
        Effect.runPromiseWith(runtime)(
          Effect.gen(function* () {
            const query = since === undefined ? "" : `&updatedSince=${since}`
            const pages = yield* readPages(() => client(requests++), `/orders?limit=${limit}${query}`)
            const expected = rows.filter(({ updatedAt }) => since === undefined || String(updatedAt) >= since)
            assert.deepStrictEqual(pages.flat(), expected)
            assert.strictEqual(pages.length, Math.max(1, Math.ceil(expected.length / limit)))
          })
        )
      )
      yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 60 }))
    })
  )

  it.effect("updatedSince returns exactly the records changed since then, whether few or many", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const old = yield* putCustomers(storeId, [{ name: "First" }, { name: "Second" }])
      const [first] = pageOf(yield* client.get("/customers?limit=1")).items
      const before = String(first?.["updatedAt"])
      yield* Effect.repeat(
        Effect.sync(() => Date.now()),
        { until: (now) => now > Date.parse(before) }
      )
      const many = yield* putCustomers(
        storeId,
        Array.from({ length: 2100 }, (_, index) => ({ name: String(index) }))
      )
      const [third] = pageOf(yield* client.get(`/customers?limit=1&cursor=${old[1]?.id}`)).items
      const after = String(third?.["updatedAt"])
      assert.isBelow(Date.parse(before), Date.parse(after))
      // The first two customers have the lowest ids and are skipped.
      const pages = yield* readPages(() => client, `/customers?limit=200&updatedSince=${after}`)
      assert.deepStrictEqual(
        idsOf(pages.flat()),
        many.map(({ id }) => id)
      )
      yield* putCustomers(storeId, [{ ...old[0], name: "Changed" }])
      const [changed] = pageOf(yield* client.get("/customers?limit=1")).items
      assert.strictEqual(changed?.["name"], "Changed")
      const since = String(changed?.["updatedAt"])
      const page = pageOf(yield* client.get(`/customers?updatedSince=${since}`))
      assert.deepStrictEqual([page.items, page.nextCursor], [[changed], null])
      // updatedSince has millisecond precision and is inclusive.
      const next = new Date(Date.parse(since) + 1).toISOString()
      assert.deepStrictEqual(pageOf(yield* client.get(`/customers?updatedSince=${next}`)).items, [])
      const shifted = encodeURIComponent(since.replace("Z", "+00:00"))
      assert.lengthOf(pageOf(yield* client.get(`/customers?updatedSince=${shifted}`)).items, 1)
    })
  )

  it.effect("an invalid updatedSince, limit or cursor is rejected with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const path of ["/orders", "/customers"]) {
        for (const time of [
          "",
          "yesterday",
          "2026-01-31",
          "1769851800",
          "2026-02-30T00:00:00Z",
          "2026-01-31T09:30:00+01:00"
        ]) {
          const refused = yield* client.get(`${path}?updatedSince=${time}`)
          assert.strictEqual(refused.status, 400, time)
          assert.deepStrictEqual(errorOf(refused).issues, [
            "updatedSince: must be a time of RFC 3339, as in 2026-01-31T09:30:00Z"
          ])
        }
        const parameter = "updatedSince=2026-01-31T09:30:00Z"
        assert.strictEqual((yield* client.get(`${path}?${parameter}&${parameter}`)).status, 400)
        assert.strictEqual((yield* client.get(`${path}?limit=0`)).status, 400)
        assert.strictEqual((yield* client.get(`${path}?cursor=x`)).status, 400)
      }
    })
  )

  it.effect("a page ends early at its size limit, which counts only the returned bytes", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { client: other } = yield* install(storeId, { capabilities: [] })
      const large = { ...address, story: "a".repeat(400_000) }
      const created = yield* putCustomers(
        storeId,
        Array.from({ length: 7 }, () => ({ addresses: [large] }))
      )
      for (const path of ["/customers?limit=200", "/customers?limit=200&updatedSince=2026-01-01T00:00:00Z"]) {
        const pages = yield* readPages(() => client, path)
        assert.deepStrictEqual(sizes(pages), [3, 3, 1])
        assert.deepStrictEqual(
          idsOf(pages.flat()),
          created.map(({ id }) => id)
        )
        assert.deepStrictEqual(sizes(yield* readPages(() => other, path)), [7])
      }
    })
  )
})
