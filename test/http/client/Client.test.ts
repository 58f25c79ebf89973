import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiError, authorizationUrl, createClient } from "../../../src/http/client/Client.ts"
import type { Grants } from "../../../src/domain/access/AccessRule.ts"
import { ApiTest, baseUrl, freshClient } from "../../support/http/Api.ts"
import { rejection, rejectionOf } from "../../support/Rejections.ts"

/** A client with the token of an app that is installed on a new store. */
const makeTestClient = Effect.fn(function* (granted: Partial<Grants> = {}) {
  const { client, installation, storeId } = yield* freshClient(granted)
  const url = yield* baseUrl
  return { client: createClient({ url, tokens: client.token ?? "" }), installation, storeId, url, raw: client }
})

const apiError = (promise: Promise<unknown>) => rejectionOf(ApiError, promise)

/** Calls as JavaScript does, without types. */
const make = (options: unknown): unknown => Reflect.apply(createClient, undefined, [options])

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Client", (it) => {
  it.effect("creates, updates and deletes a product and adjusts its stock", () =>
    Effect.gen(function* () {
      const { client } = yield* makeTestClient()
      yield* Effect.promise(async () => {
        const created = await client.products.create({ name: "Lantern", price: 24.5, stock: 3, tags: ["outdoor"] })
        assert.include(created.data, { name: "Lantern", price: 24.5, slug: "lantern", version: 1 })
        assert.strictEqual(created.etag, '"1"')
        assert.isFalse(created.isReplayed)

        const { id } = created.data
        const { data } = await client.products.update(id, { name: "Storm lantern" })
        assert.include(data, { id, name: "Storm lantern", version: 2 })
        assert.strictEqual((await client.products.setInventory(id, { adjust: -2 })).data.stock, 1)
        assert.deepStrictEqual((await client.products.delete(id)).data, { id, deleted: true })
        assert.deepStrictEqual((await client.products.list().page()).items, [])
      })
    })
  )

  it.effect("reads and writes collections and app data, and reads the store, orders and customers", () =>
    Effect.gen(function* () {
      const { client, installation, storeId } = yield* makeTestClient()
      yield* Effect.promise(async () => {
        const lantern = await client.products.create({ name: "Lantern", price: 24.5 })
        const rules = [{ field: "price", relation: "less_than", value: 30 }] as const
        const cheap = await client.collections.create({ title: "Cheap", rules })
        assert.deepStrictEqual(cheap.data.productIds, [lantern.data.id])
        assert.deepStrictEqual((await client.collections.get(cheap.data.id)).data, cheap.data)
        const { data: renamed } = await client.collections.update(cheap.data.id, { title: "Below 30" })
        assert.strictEqual(renamed.title, "Below 30")
        assert.isTrue((await client.collections.delete(cheap.data.id)).data.deleted)

        const { data: store } = await client.store.get()
        assert.strictEqual(store.id, storeId)
        assert.strictEqual(store.installation.id, installation.id)
        assert.deepStrictEqual(
          (await client.orders.list({ updatedSince: "2026-01-31T09:30:00+01:00" }).page()).items,
          []
        )
        assert.deepStrictEqual((await client.customers.list().page()).items, [])

        const theme = await client.appData.put("settings", { key: "theme", value: { name: "dark" }, ttlSeconds: 3600 })
        assert.deepStrictEqual((await client.appData.get("settings", "theme")).data, theme.data)
        assert.deepStrictEqual((await client.appData.list("settings").page()).items, [theme.data])
        assert.isTrue((await client.appData.delete("settings", "theme")).data.deleted)
      })
    })
  )

  it.effect("list iterates over items or pages, starts after its cursor and stops with its consumer", () =>
    Effect.gen(function* () {
      const { client } = yield* makeTestClient()
      yield* Effect.promise(async () => {
        const names = ["a", "b", "c", "d", "e"]
        for (const name of names) await client.products.create({ name })

        const seen: Array<string> = []
        for await (const { name } of client.products.list({ limit: 2 })) seen.push(name)
        assert.deepStrictEqual(seen, names)

        const sizes: Array<number> = []
        for await (const { items } of client.products.list({ limit: 2 }).pages()) sizes.push(items.length)
        assert.deepStrictEqual(sizes, [2, 2, 1])

        const { items, nextCursor } = await client.products.list({ limit: 3 }).page()
        assert.strictEqual(nextCursor, items.at(-1)?.id)
        const rest: Array<string> = []
        for await (const { name } of client.products.list({ cursor: nextCursor ?? "" })) rest.push(name)
        assert.deepStrictEqual(rest, ["d", "e"])

        const first = client.products.list({ limit: 1 })[Symbol.asyncIterator]()
        assert.strictEqual((await first.next()).value?.name, "a")
        await first.return?.()
        assert.isTrue((await first.next()).done)
      })
    })
  )

  it.effect("search returns pages with the number of matches, and iterates over all of them", () =>
    Effect.gen(function* () {
      const { client } = yield* makeTestClient()
      yield* Effect.promise(async () => {
        for (const price of [3, 1, 2]) await client.products.create({ name: "Cup", price })
        const found = client.products.search({ sort: "price", limit: 2 })
        const { items, total } = await found.page()
        assert.deepStrictEqual([items.map(({ price }) => price), total], [[1, 2], 3])
        const prices: Array<number> = []
        for await (const { price } of found) prices.push(price)
        assert.deepStrictEqual(prices, [1, 2, 3])
      })
    })
  )

  it.effect("optional query parameters that are null or undefined are left out", () =>
    Effect.promise(async () => {
      const urls: Array<string> = []
      const fetch = async (url: string) => {
        urls.push(url)
        return Response.json({
          products: [],
          collections: [],
          orders: [],
          customers: [],
          entries: [],
          nextCursor: null
        })
      }
      const client = createClient({ url: "https://platform.example", tokens: "token", fetch })
      for (const nothing of [null, undefined]) {
        const page = { cursor: nothing, limit: nothing }
        await client.products.list(page).page()
        await client.collections.list(page).page()
        await client.orders.list({ ...page, updatedSince: nothing }).page()
        await client.customers.list({ ...page, updatedSince: nothing }).page()
        await client.appData.list("settings", page).page()
      }
      assert.lengthOf(urls, 10)
      assert.isTrue(
        urls.every((url) => new URL(url).search === ""),
        urls.join(" ")
      )
    })
  )

  it("missing arguments throw a TypeError that names them", () => {
    for (const options of [undefined, null, {}, { url: undefined, tokens: "token" }, { url: "", tokens: "token" }]) {
      assert.throws(() => make(options), TypeError, /^url must be/)
    }
    for (const tokens of [undefined, null, "", 12]) {
      assert.throws(() => make({ url: "https://platform.example", tokens }), TypeError, /^tokens must be/)
    }
    const { appData, products } = createClient({ url: "https://platform.example", tokens: "token" })
    for (const missing of [undefined, null, 12]) {
      assert.throws(
        () => Reflect.apply(products.update, products, [missing, { price: 1 }]),
        TypeError,
        /is not a valid id/
      )
      assert.throws(() => Reflect.apply(appData.get, appData, ["settings", missing]), TypeError, /^key is missing/)
      assert.throws(() => Reflect.apply(appData.delete, appData, ["settings", missing]), TypeError, /^key is missing/)
    }
    const app = { url: "https://platform.example", clientId: "a", redirectUri: "https://app.example/callback" }
    assert.throws(() => Reflect.apply(authorizationUrl, undefined, [app, { state: "s" }]), TypeError, /^challenge is/)
    assert.throws(() => Reflect.apply(authorizationUrl, undefined, [app, { challenge: "c" }]), TypeError, /^state is/)
  })

  it.effect("a write runs once per idempotency key, and a replayed response is marked", () =>
    Effect.gen(function* () {
      const { client } = yield* makeTestClient()
      yield* Effect.promise(async () => {
        const options = { idempotencyKey: "the-only-lantern" }
        const first = await client.products.create({ name: "Lantern" }, options)
        const second = await client.products.create({ name: "Lantern" }, options)
        assert.deepStrictEqual(second.data, first.data)
        assert.isTrue(second.isReplayed)
        assert.notStrictEqual(second.requestId, first.requestId)
        await client.products.create({ name: "Lantern" })
        assert.lengthOf((await client.products.list().page()).items, 2)
      })
      const { idempotencyKey, status } = yield* apiError(
        client.products.create({ name: "Lamp" }, { idempotencyKey: "the-only-lantern" })
      )
      assert.deepStrictEqual([status, idempotencyKey], [409, "the-only-lantern"])
    })
  )

  it.effect("a write is retried after a lost response and runs once", () =>
    Effect.gen(function* () {
      const { client, raw, url } = yield* makeTestClient()
      let responsesToLose = 2
      const unreliable = createClient({
        url,
        tokens: raw.token ?? "",
        wait: async () => undefined,
        fetch: async (url, init) => {
          const response = await fetch(url, init)
          if (responsesToLose-- > 0) throw new TypeError("terminated")
          return response
        }
      })
      const { data, isReplayed } = yield* Effect.promise(() => unreliable.products.create({ name: "Lantern" }))
      assert.isTrue(isReplayed)
      const { items } = yield* Effect.promise(() => client.products.list().page())
      assert.deepStrictEqual(items, [data])
    })
  )

  it.effect("ifMatch takes a version or an ETag, and a mismatch fails with 412", () =>
    Effect.gen(function* () {
      const { client } = yield* makeTestClient()
      const { data, etag } = yield* Effect.promise(() => client.products.create({ name: "Lantern" }))
      yield* Effect.promise(() => client.products.update(data.id, { price: 1 }, { ifMatch: data.version }))
      for (const ifMatch of [data.version, etag]) {
        assert.strictEqual((yield* apiError(client.products.update(data.id, { price: 2 }, { ifMatch }))).status, 412)
        assert.strictEqual((yield* apiError(client.products.delete(data.id, { ifMatch }))).status, 412)
      }
      const { data: last } = yield* Effect.promise(() => client.products.delete(data.id, { ifMatch: '"2"' }))
      assert.isTrue(last.deleted)
    })
  )

  it.effect("a dry run returns the result of a write and stores nothing", () =>
    Effect.gen(function* () {
      const { client } = yield* makeTestClient()
      yield* Effect.promise(async () => {
        const { data: all } = await client.collections.create({
          title: "All",
          rules: [{ field: "name", relation: "is_set" }]
        })
        const preview = await client.products.create({ name: "Lantern" }, { dryRun: true, idempotencyKey: "one" })
        assert.isTrue(preview.dryRun)
        assert.strictEqual(preview.data.slug, "lantern")
        assert.deepStrictEqual(
          preview.events.map(({ kind, version }) => [kind, version]),
          [["catalog.product.updated.v1", 1]]
        )
        assert.deepStrictEqual(preview.collections?.enters, [{ id: all.id, title: "All" }])
        assert.deepStrictEqual((await client.products.list().page()).items, [])
        assert.isFalse((await client.products.create({ name: "Lantern" }, { idempotencyKey: "one" })).isReplayed)
      })
    })
  )

  it.effect("an ApiError has status, message, issues and request id, also for unknown fields in strict mode", () =>
    Effect.gen(function* () {
      const { client } = yield* makeTestClient()
      const { issues, message, name, requestId, status } = yield* apiError(
        client.products.create({ name: "", price: -1 }, { requestId: "mine-1" })
      )
      assert.deepStrictEqual([name, status, message, requestId], ["ApiError", 400, "The request is invalid", "mine-1"])
      assert.deepStrictEqual(
        issues.map((line) => line.split(":")[0]),
        ["name", "price"]
      )

      const readOnly = yield* makeTestClient({ scopes: ["read_products"] })
      const forbidden = yield* apiError(readOnly.client.products.create({ name: "Lantern" }))
      assert.strictEqual(forbidden.status, 403)
      assert.include(forbidden.message, "write_products")
      assert.deepStrictEqual(forbidden.issues, [])
      assert.match(forbidden.requestId, /^[0-9a-f-]{36}$/)

      const withUnknownField = { name: "Lantern", colour: "red" }
      assert.strictEqual((yield* apiError(client.products.create(withUnknownField, { strict: true }))).status, 400)
      assert.notProperty((yield* Effect.promise(() => client.products.create(withUnknownField))).data, "colour")

      const unauthenticated = createClient({ url: (yield* makeTestClient()).url, tokens: "nobody's" })
      assert.strictEqual((yield* apiError(unauthenticated.store.get())).status, 401)
    })
  )

  it.effect("rejects header values with line breaks and ids that would change the path", () =>
    Effect.gen(function* () {
      const { client, raw } = yield* makeTestClient()
      for (const id of ["", ".", ".."]) {
        assert.throws(() => client.products.delete(id), TypeError)
        assert.throws(() => client.collections.get(id), TypeError)
      }
      assert.strictEqual((yield* apiError(client.products.delete("../collections"))).status, 400)
      assert.instanceOf(yield* rejection(client.store.get({ requestId: "two\nlines" })), TypeError)
      assert.strictEqual((yield* raw.get("/store")).status, 200)
    })
  )

  it.effect("numbers are returned and sent back unchanged", () =>
    Effect.gen(function* () {
      const { client } = yield* makeTestClient()
      const price = 0.12345678901234568
      const { data } = yield* Effect.promise(() =>
        client.products.create({ name: "Gold dust", price, metafields: { grams: 1e-20 } })
      )
      assert.deepInclude(data, { price, costPrice: null, metafields: { grams: 1e-20 } })
      const { id, ...same } = data
      const { data: after } = yield* Effect.promise(() => client.products.update(id, same))
      assert.strictEqual(after.version, 1)
    })
  )
})
