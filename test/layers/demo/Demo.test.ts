import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { InstallationId, Installations } from "../../../src/domain/access/Installations.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { PutOrder } from "../../../src/domain/records/Order.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { collections, products } from "../../../src/layers/demo/catalog.ts"
import { openDemo } from "../../../src/layers/demo/Demo.ts"
import { ApiTest, baseUrl, makeClient, pageOf } from "../../support/http/Api.ts"
import { watch } from "../../support/process/Process.ts"
import { callLine, errorOf, post } from "../../support/rpc/Rpc.ts"
import { SECRET_KEY } from "../../support/SecretKey.ts"

const distinct = (values: ReadonlyArray<unknown>) => new Set(values.filter((value) => value !== undefined)).size

/** How many products are so. */
const some = (isSo: (product: CreateProduct) => boolean) => products.filter(isSo).length

describe("The sample catalog", () => {
  it("is what the service takes, with no field it does not know", () => {
    const strict = { errors: "all", onExcessProperty: "error" } as const
    const decodeProduct = Schema.decodeUnknownSync(CreateProduct, strict)
    const decodeCollection = Schema.decodeUnknownSync(CreateCollection, strict)
    assert.deepStrictEqual(
      products.map((product) => decodeProduct(JSON.parse(JSON.stringify(product)))),
      products
    )
    for (const { slugs: _, ...collection } of collections) {
      assert.deepStrictEqual(decodeCollection(JSON.parse(JSON.stringify(collection))), collection)
    }
  })

  it("has forty products of many kinds, and names each by a slug of its own", () => {
    assert.lengthOf(products, 40)
    assert.strictEqual(distinct(products.map(({ slug }) => slug)), 40)
    assert.isAtLeast(distinct(products.map(({ vendorName }) => vendorName)), 8)
    assert.isAtLeast(distinct(products.map(({ countryOfOrigin }) => countryOfOrigin)), 10)
    assert.isAtLeast(distinct(products.map(({ productKind }) => productKind)), 3)
    assert.isAtLeast(
      some(({ variants = [] }) => variants.length > 1),
      8
    )
    assert.isAtLeast(
      some(({ discountedPrice }) => typeof discountedPrice === "number"),
      6
    )
    assert.isAtLeast(
      some(({ stock }) => stock === 0),
      4
    )
    assert.isAtLeast(
      some(({ isActive }) => isActive === false),
      1
    )
    assert.strictEqual(
      some(({ media = [] }) => media.length > 0),
      40
    )
  })

  it("points at no host but the one for examples", () => {
    const hosts = [...JSON.stringify([products, collections]).matchAll(/https?:\/\/([^/"]+)/g)].map(([, host]) => host)
    assert.deepStrictEqual([...new Set(hosts)], ["images.example.com"])
  })
})

const factsOf = Schema.decodeSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const decodeOrder = Schema.decodeUnknownResult(PutOrder)

const linesOf = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ productId: Schema.String })))

const idsOf = Schema.decodeUnknownSync(Schema.Array(Schema.String))

const demo = Effect.gen(function* () {
  const opened = yield* openDemo(yield* baseUrl)
  return Option.getOrElse(opened, () => assert.fail("no demo was opened"))
})

/** A folder for `demo.json` that goes with the test, and the wish for a demo. */
const wished = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => join(tmpdir(), `partner-api-demo-${randomUUID()}`)),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => {
    const settings = { DATABASE_URL: "postgres://given", DATA_DIR: folder, SECRET_KEY }
    const config = (more: Record<string, string>) =>
      ConfigProvider.layer(ConfigProvider.fromUnknown({ ...settings, ...more }))
    return { file: join(folder, "demo.json"), on: config({ DEMO: "true" }), unsaid: config({}) }
  }
)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("The demo store", (it) => {
  it.effect("holds the sample catalog, its collections filled", () =>
    Effect.gen(function* () {
      const { on } = yield* wished
      const { accessToken, baseUrl: base } = yield* Effect.provide(demo, on)
      const client = makeClient(base, accessToken)
      const held = pageOf(yield* client.get("/products?limit=200")).items
      assert.deepStrictEqual(
        held.map(({ slug }) => slug),
        products.map(({ slug }) => slug)
      )
      const slugs = new Map(held.map(({ id, slug }) => [id, slug]))
      const shown = pageOf(yield* client.get("/collections")).items
      assert.deepStrictEqual(
        shown.map(({ type }) => type),
        ["manual", "automated", "automated"]
      )
      const [desk = [], gifts = [], reduced = []] = shown.map(({ productIds }) =>
        idsOf(productIds).map((id) => slugs.get(id))
      )
      assert.deepStrictEqual(desk, [...(collections[0]?.slugs ?? [])])
      assert.include(gifts, "stoneware-mug")
      assert.notInclude(gifts, "wool-blanket")
      assert.include(reduced, "teapot")
      assert.include(reduced, "walnut-desk")
      assert.notInclude(reduced, "stoneware-mug")
    })
  )

  it.effect("holds forty customers and sixty orders of its products, once, whose totals agree with their lines", () =>
    Effect.gen(function* () {
      const { on } = yield* wished
      yield* Effect.provide(demo, on)
      const { accessToken, baseUrl: base } = yield* Effect.provide(demo, on)
      const client = makeClient(base, accessToken)
      const shown = pageOf(yield* client.get("/customers?limit=200")).items
      assert.lengthOf(shown, 40)
      assert.strictEqual(distinct(shown.map(({ email }) => email)), 40)
      for (const { email } of shown) assert.match(String(email), /^[a-z.]+@example\.com$/)
      const placed = pageOf(yield* client.get("/orders?limit=200")).items
      assert.lengthOf(placed, 60)
      for (const order of placed) assert.isTrue(Result.isSuccess(decodeOrder(order)), JSON.stringify(order))
      assert.sameMembers([...new Set(placed.map(({ status }) => status))], ["open", "completed", "cancelled"])
      const sold = new Set(placed.flatMap(({ lineItems }) => linesOf(lineItems)).map(({ productId }) => productId))
      const held = pageOf(yield* client.get("/products?limit=200")).items.map(({ id }) => id)
      assert.isAtLeast(sold.size, 20)
      for (const id of sold) assert.include(held, id)
      const counted = placed.filter(({ customerId, status }) => customerId !== null && status !== "cancelled").length
      const count = shown.reduce((sum, { ordersCount }) => sum + Number(ordersCount), 0)
      assert.strictEqual(count, counted)
    })
  )

  it.effect("is found again by the next start, with a fresh token; the old one stays good", () =>
    Effect.gen(function* () {
      const { file, on } = yield* wished
      const first = yield* Effect.provide(demo, on)
      const second = yield* Effect.provide(demo, on)
      assert.notStrictEqual(second.accessToken, first.accessToken)
      const lists = yield* Effect.forEach([first, second], (facts) =>
        makeClient(facts.baseUrl, facts.accessToken).get("/products?limit=200")
      )
      assert.deepStrictEqual(lists[0]?.json, lists[1]?.json)
      assert.deepInclude(JSON.parse(readFileSync(file, "utf8")), second)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    })
  )

  it.effect(
    "while it runs has a token in its file that is good for 40 minutes more, and the ones before stay good",
    () =>
      Effect.gen(function* () {
        const { file, on } = yield* wished
        const tokenIn = Effect.sync(() => String(factsOf(readFileSync(file, "utf8"))["accessToken"]))
        const { accessToken, baseUrl: base } = yield* Effect.provide(demo, on)
        const tokens = [accessToken]
        for (let renewed = 1; renewed <= 3; renewed++) {
          yield* TestClock.adjust("19 minutes")
          assert.strictEqual(yield* tokenIn, tokens.at(-1))
          yield* TestClock.adjust("1 minute")
          tokens.push(yield* TestClock.withLive(watch(tokenIn, (token) => token !== tokens.at(-1))))
        }
        for (const token of tokens) assert.strictEqual((yield* makeClient(base, token).get("/products")).status, 200)
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      }).pipe(Effect.provide(TestClock.layer()))
  )

  it.effect("tries again when a token could not be written", () =>
    Effect.gen(function* () {
      const { file, on } = yield* wished
      const { accessToken } = yield* Effect.provide(demo, on)
      const folder = dirname(file)
      rmSync(folder, { recursive: true })
      yield* TestClock.adjust("20 minutes")
      mkdirSync(folder)
      yield* Effect.repeat(TestClock.adjust("20 minutes"), { until: () => existsSync(file) })
      assert.notStrictEqual(factsOf(readFileSync(file, "utf8"))["accessToken"], accessToken)
    }).pipe(Effect.provide(TestClock.layer()))
  )

  it.effect("is made anew when its store was deleted", () =>
    Effect.gen(function* () {
      const { file, on } = yield* wished
      const stores = yield* Stores
      yield* Effect.provide(demo, on)
      const { storeId } = factsOf(readFileSync(file, "utf8"))
      yield* stores.delete(Schema.decodeUnknownSync(StoreId)(storeId))
      const { accessToken, baseUrl: base } = yield* Effect.provide(demo, on)
      assert.strictEqual((yield* makeClient(base, accessToken).get("/products")).status, 200)
    })
  )

  it.effect("from before there were webhooks is found again, and gets its receiver", () =>
    Effect.gen(function* () {
      const { file, on } = yield* wished
      yield* Effect.provide(demo, on)
      const first = factsOf(readFileSync(file, "utf8"))
      const { installationId, storeId } = first
      writeFileSync(file, JSON.stringify({ storeId, installationId }))
      yield* Effect.provide(demo, on)
      const second = factsOf(readFileSync(file, "utf8"))
      assert.deepInclude(second, { installationId, storeId })
      assert.match(String(second["webhookSecret"]), /^whsec_/)
      assert.notStrictEqual(second["webhookAppId"], first["webhookAppId"])
    })
  )

  it.effect("has an owner who signs in and an agent, who both call; one from before there were agents gets them", () =>
    Effect.gen(function* () {
      const { file, on } = yield* wished
      yield* Effect.provide(demo, on)
      const made = factsOf(readFileSync(file, "utf8"))
      const { installationId, storeId } = made
      const signIn = Effect.fn(function* ({ merchantEmail, merchantPassword }: typeof made) {
        const { status } = yield* makeClient(yield* baseUrl).send("POST", `${yield* baseUrl}/auth/sign-in`, {
          key: null,
          body: { email: merchantEmail, password: merchantPassword }
        })
        return status
      })
      const call = ({ agentToken, storeId }: typeof made) =>
        Effect.map(
          post(callLine("store.get", { storeId }), { authorization: `Bearer ${String(agentToken)}` }),
          ({ text }) => errorOf(text)
        )
      assert.strictEqual(yield* signIn(made), 200)
      assert.isUndefined(yield* call(made))
      yield* Effect.provide(demo, on)
      assert.deepInclude(factsOf(readFileSync(file, "utf8")), {
        merchantPassword: made["merchantPassword"],
        agentToken: made["agentToken"]
      })

      writeFileSync(file, JSON.stringify({ storeId, installationId }))
      yield* Effect.provide(demo, on)
      const after = factsOf(readFileSync(file, "utf8"))
      assert.strictEqual(after["storeId"], storeId)
      assert.isString(after["exampleClientId"])
      assert.strictEqual(yield* signIn(after), 200)
      assert.isUndefined(yield* call(after))
    })
  )

  it.effect("from before there were capabilities is found again, and gets an app that holds them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { file, on } = yield* wished
      const first = yield* Effect.provide(demo, on)
      const before = factsOf(readFileSync(file, "utf8"))
      yield* sql`update installations set capabilities = '{}' where store_id = ${before["storeId"]}`
      const second = yield* Effect.provide(demo, on)
      const { installationId, storeId } = factsOf(readFileSync(file, "utf8"))
      assert.strictEqual(storeId, before["storeId"])
      assert.notStrictEqual(installationId, before["installationId"])
      const { find } = yield* Installations
      const id = Schema.decodeUnknownSync(InstallationId)(installationId)
      assert.deepInclude(yield* find(id), ALL_GRANTS)
      for (const { accessToken, baseUrl: base } of [first, second])
        assert.strictEqual((yield* makeClient(base, accessToken).get("/products")).status, 200)
      yield* Effect.provide(demo, on)
      assert.strictEqual(factsOf(readFileSync(file, "utf8"))["installationId"], installationId)
    })
  )

  it.effect("is not made on a database of one's own unless it is wished for", () =>
    Effect.gen(function* () {
      const { unsaid } = yield* wished
      assert.isTrue(Option.isNone(yield* Effect.provide(openDemo(yield* baseUrl), unsaid)))
    })
  )
})
