import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { InstallationId } from "../../../src/domain/access/Ids.ts"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { PutOrder } from "../../../src/domain/records/Order.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { collections, products } from "../../../src/layers/demo/catalog.ts"
import { openDemo } from "../../../src/layers/demo/Demo.ts"
import { IsolatedApiTest, baseUrl, makeClient, pageOf } from "../../support/http/Api.ts"
import { fetchBytes, filesOf } from "../../support/http/Files.ts"
import { waitUntil } from "../../support/process/Process.ts"
import { callLine, errorOf, post } from "../../support/rpc/Rpc.ts"
import { SECRET_KEY } from "../../support/SecretKey.ts"

const distinct = (values: ReadonlyArray<unknown>) => new Set(values.filter((value) => value !== undefined)).size

const factsOf = Schema.decodeSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const decodeOrder = Schema.decodeUnknownResult(PutOrder)

const linesOf = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ productId: Schema.String })))

const idsOf = Schema.decodeUnknownSync(Schema.Array(Schema.String))

const demo = Effect.gen(function* () {
  const opened = yield* openDemo(yield* baseUrl)
  return Option.getOrElse(opened, () => assert.fail("no demo was opened"))
})

/** A temporary folder for `demo.json`, and settings with and without `DEMO`. */
const demoSettings = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => join(tmpdir(), `partner-api-demo-${randomUUID()}`)),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => {
    const settings = { DATABASE_URL: "postgres://given", DATA_DIR: folder, SECRET_KEY }
    const config = (more: Record<string, string>) =>
      ConfigProvider.layer(ConfigProvider.fromUnknown({ ...settings, ...more }))
    return { file: join(folder, "demo.json"), withDemo: config({ DEMO: "true" }), withoutDemo: config({}) }
  }
)

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Demo store", (it) => {
  it.effect("the demo store has the sample catalog, with pictures that the service itself serves", () =>
    Effect.gen(function* () {
      const { withDemo } = yield* demoSettings
      const { accessToken, baseUrl: base } = yield* Effect.provide(demo, withDemo)
      const client = makeClient(base, accessToken)
      const listed = pageOf(yield* client.get("/products?limit=200")).items
      assert.deepStrictEqual(
        listed.map(({ slug }) => slug),
        products.map(({ slug }) => slug)
      )
      const urls = [...JSON.stringify(listed).matchAll(/"(?:imageUrl|url)":"(.*?)"/g)].map(([, url = ""]) => url)
      assert.isAtLeast(urls.length, 80)
      const { files: stored } = filesOf(yield* client.get("/files?limit=100"))
      assert.deepStrictEqual(
        stored.filter(({ alt, height, width }) => alt === "" || width !== 640 || height !== 640),
        []
      )
      assert.sameMembers(
        [...new Set(urls)],
        stored.map(({ url }) => url)
      )
      const [first = ""] = urls
      assert.strictEqual((yield* fetchBytes(first.replace(/\/(?=[^/]+$)/, "/160/"))).status, 200)
      const slugs = new Map(listed.map(({ id, slug }) => [id, slug]))
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

  it.effect("the demo store has 40 customers and 60 valid orders of its products, also after a second start", () =>
    Effect.gen(function* () {
      const { withDemo } = yield* demoSettings
      yield* Effect.provide(demo, withDemo)
      const { accessToken, baseUrl: base } = yield* Effect.provide(demo, withDemo)
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
      const listed = pageOf(yield* client.get("/products?limit=200")).items.map(({ id }) => id)
      assert.isAtLeast(sold.size, 20)
      for (const id of sold) assert.include(listed, id)
      const counted = placed.filter(({ customerId, status }) => customerId !== null && status !== "cancelled").length
      const count = shown.reduce((sum, { ordersCount }) => sum + Number(ordersCount), 0)
      assert.strictEqual(count, counted)
    })
  )

  it.effect("a second start reuses the demo store and issues a new token; the old one stays valid", () =>
    Effect.gen(function* () {
      const { file, withDemo } = yield* demoSettings
      const first = yield* Effect.provide(demo, withDemo)
      const second = yield* Effect.provide(demo, withDemo)
      assert.notStrictEqual(second.accessToken, first.accessToken)
      const lists = yield* Effect.forEach([first, second], (facts) =>
        makeClient(facts.baseUrl, facts.accessToken).get("/products?limit=200")
      )
      assert.deepStrictEqual(lists[0]?.json, lists[1]?.json)
      assert.deepInclude(JSON.parse(readFileSync(file, "utf8")), second)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    })
  )

  it.effect("a running demo writes a new token to its file every 20 minutes, and earlier tokens stay valid", () =>
    Effect.gen(function* () {
      const { file, withDemo } = yield* demoSettings
      const tokenIn = Effect.sync(() => String(factsOf(readFileSync(file, "utf8"))["accessToken"]))
      const { accessToken, baseUrl: base } = yield* Effect.provide(demo, withDemo)
      const tokens = [accessToken]
      for (let renewed = 1; renewed <= 3; renewed++) {
        yield* TestClock.adjust("19 minutes")
        assert.strictEqual(yield* tokenIn, tokens.at(-1))
        yield* TestClock.adjust("1 minute")
        tokens.push(yield* TestClock.withLive(waitUntil(tokenIn, (token) => token !== tokens.at(-1))))
      }
      for (const token of tokens) assert.strictEqual((yield* makeClient(base, token).get("/products")).status, 200)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    }).pipe(Effect.provide(TestClock.layer()))
  )

  it.effect("a token that could not be written to the file is retried", () =>
    Effect.gen(function* () {
      const { file, withDemo } = yield* demoSettings
      const { accessToken } = yield* Effect.provide(demo, withDemo)
      const folder = dirname(file)
      rmSync(folder, { recursive: true })
      yield* TestClock.adjust("20 minutes")
      mkdirSync(folder)
      yield* Effect.repeat(TestClock.adjust("20 minutes"), { until: () => existsSync(file) })
      assert.notStrictEqual(factsOf(readFileSync(file, "utf8"))["accessToken"], accessToken)
    }).pipe(Effect.provide(TestClock.layer()))
  )

  it.effect("a start after the deletion of the demo store creates a new one", () =>
    Effect.gen(function* () {
      const { file, withDemo } = yield* demoSettings
      const stores = yield* Stores
      yield* Effect.provide(demo, withDemo)
      const { storeId } = factsOf(readFileSync(file, "utf8"))
      yield* stores.delete(Schema.decodeUnknownSync(StoreId)(storeId))
      const { accessToken, baseUrl: base } = yield* Effect.provide(demo, withDemo)
      assert.strictEqual((yield* makeClient(base, accessToken).get("/products")).status, 200)
    })
  )

  it.effect("a demo file of a release without webhooks keeps its store and gets a webhook", () =>
    Effect.gen(function* () {
      const { file, withDemo } = yield* demoSettings
      yield* Effect.provide(demo, withDemo)
      const first = factsOf(readFileSync(file, "utf8"))
      const { installationId, storeId } = first
      writeFileSync(file, JSON.stringify({ storeId, installationId }))
      yield* Effect.provide(demo, withDemo)
      const second = factsOf(readFileSync(file, "utf8"))
      assert.deepInclude(second, { installationId, storeId })
      assert.match(String(second["webhookSecret"]), /^whsec_/)
      assert.notStrictEqual(second["webhookAppId"], first["webhookAppId"])
    })
  )

  it.effect(
    "the demo owner can sign in and the agent can call, also with a demo file of a release without agents",
    () =>
      Effect.gen(function* () {
        const { file, withDemo } = yield* demoSettings
        yield* Effect.provide(demo, withDemo)
        const created = factsOf(readFileSync(file, "utf8"))
        const { installationId, storeId } = created
        const signIn = Effect.fn(function* ({ merchantEmail, merchantPassword }: typeof created) {
          const { status } = yield* makeClient(yield* baseUrl).send("POST", `${yield* baseUrl}/auth/sign-in`, {
            key: null,
            body: { email: merchantEmail, password: merchantPassword }
          })
          return status
        })
        const call = ({ agentToken, storeId }: typeof created) =>
          Effect.map(
            post(callLine("store.get", { storeId }), { authorization: `Bearer ${String(agentToken)}` }),
            ({ text }) => errorOf(text)
          )
        assert.strictEqual(yield* signIn(created), 200)
        assert.isUndefined(yield* call(created))
        yield* Effect.provide(demo, withDemo)
        assert.deepInclude(factsOf(readFileSync(file, "utf8")), {
          merchantPassword: created["merchantPassword"],
          agentToken: created["agentToken"]
        })

        writeFileSync(file, JSON.stringify({ storeId, installationId }))
        yield* Effect.provide(demo, withDemo)
        const after = factsOf(readFileSync(file, "utf8"))
        assert.strictEqual(after["storeId"], storeId)
        assert.isString(after["exampleClientId"])
        assert.strictEqual(yield* signIn(after), 200)
        assert.isUndefined(yield* call(after))
      })
  )

  it.effect("a demo store of a release without capabilities gets a new installation with all grants", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { file, withDemo } = yield* demoSettings
      const first = yield* Effect.provide(demo, withDemo)
      const before = factsOf(readFileSync(file, "utf8"))
      yield* sql`update installations set capabilities = '{}' where store_id = ${before["storeId"]}`
      const second = yield* Effect.provide(demo, withDemo)
      const { installationId, storeId } = factsOf(readFileSync(file, "utf8"))
      assert.strictEqual(storeId, before["storeId"])
      assert.notStrictEqual(installationId, before["installationId"])
      const { find } = yield* Installations
      const id = Schema.decodeUnknownSync(InstallationId)(installationId)
      assert.deepInclude(yield* find(id), ALL_GRANTS)
      for (const { accessToken, baseUrl: base } of [first, second])
        assert.strictEqual((yield* makeClient(base, accessToken).get("/products")).status, 200)
      yield* Effect.provide(demo, withDemo)
      assert.strictEqual(factsOf(readFileSync(file, "utf8"))["installationId"], installationId)
    })
  )

  it.effect("no demo store is created in a configured database without DEMO", () =>
    Effect.gen(function* () {
      const { withoutDemo } = yield* demoSettings
      assert.isTrue(Option.isNone(yield* Effect.provide(openDemo(yield* baseUrl), withoutDemo)))
    })
  )
})
