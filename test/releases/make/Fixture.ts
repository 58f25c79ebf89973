import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option, Schema } from "effect"
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import manifest from "../../../package.json" with { type: "json" }
import { InstallationId } from "../../../src/domain/access/Ids.ts"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { Email } from "../../../src/domain/access/Merchants.ts"
import { Billing } from "../../../src/domain/billing/Billing.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { ViewInput } from "../../../src/domain/views/Views.ts"
import { ProductId } from "../../../src/domain/catalog/Product.ts"
import { StepMillis } from "../../../src/layers/changeSets/Pace.ts"
import { openDemo } from "../../../src/layers/demo/Demo.ts"
import { performIn } from "../../support/data/Writes.ts"
import {
  baseUrl,
  type Client,
  dataOf,
  IsolatedApiTest,
  makeClient,
  pageOf,
  TestSettings
} from "../../support/http/Api.ts"
import { applied, createSet, creations, previewed, readSet, running, setOf } from "../../support/http/ChangeSets.ts"
import { picture, uploadTo } from "../../support/http/Files.ts"
import { agreeingMember, makePoster, register, tokensOf } from "../../support/oauth/Oauth.ts"
import {
  connection,
  databaseUrl,
  lockProduct,
  rowsOf,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"
import { dump, pack } from "../../support/releases/Dump.ts"
import { documents } from "../../support/releases/DocumentChanges.ts"
import { Facts, RELEASES } from "../../support/releases/Fixture.ts"
import { keyedIn, proposePrice } from "../../support/rpc/Proposals.ts"
import { agentOf, clientOf, signIn } from "../../support/rpc/Rpc.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { SECRET_KEY } from "../../support/SecretKey.ts"

/* Writes the folder of the release: `npm run release-fixture`. */

const folder = mkdtempSync(join(tmpdir(), "partner-api-release-"))
const target = join(RELEASES, manifest.version)

const Service = Layer.provide(IsolatedApiTest, Layer.succeed(TestSettings, { DATA_DIR: folder }))

/** Names of the members of `demo.json` that tests use. */
const decodeDemo = Schema.decodeSync(
  Schema.fromJsonString(
    Schema.Struct({
      storeId: Schema.toType(StoreId),
      installationId: Schema.toType(InstallationId),
      accessToken: Schema.String,
      merchantEmail: Schema.toType(Email),
      merchantPassword: Schema.String,
      agentToken: Schema.String,
      webhookAppId: Schema.String,
      webhookSecret: Schema.String
    })
  )
)

const decodeView = Schema.decodeUnknownSync(ViewInput)
const encodeFacts = Schema.encodeSync(Facts)

/** Creates the demo store. */
const makeDemo = Effect.gen(function* () {
  const settings = { DATABASE_URL: "postgres://given", DATA_DIR: folder, SECRET_KEY, DEMO: "true" }
  const opening = Effect.flatMap(baseUrl, openDemo)
  Option.getOrThrow(yield* Effect.provide(opening, ConfigProvider.layer(ConfigProvider.fromUnknown(settings))))
  return decodeDemo(readFileSync(join(folder, "demo.json"), "utf8"))
})

/** Creates an updated and a deleted product and collection, and returns their entries. */
const makeEntries = Effect.fnUntraced(function* (client: Client, entryOf: (id: string) => Effect.Effect<string>) {
  const create = (noun: string, body: object) => Effect.map(client.post(`/${noun}`, body), dataOf)
  const product = { description: "Old", price: 3, variants: [{ title: "Blue", price: 4, sku: "BLUE" }], tags: ["old"] }
  const collection = { type: "automated", rules: [{ field: "vendorName", relation: "equals", value: "Old" }] }
  const changed = Effect.fnUntraced(function* (noun: string, before: Record<string, unknown>, patch?: object) {
    const id = String(before["id"])
    const path = `/${noun}/${id}`
    const answer = yield* patch === undefined ? client.delete(path) : client.patch(path, patch)
    assert.strictEqual(answer.status, 200, answer.text)
    return { id, before, entry: yield* entryOf(id) }
  })
  const updated = yield* create("products", { ...product, name: "Updated" })
  const deleted = yield* create("products", { ...product, name: "Deleted" })
  yield* create("collections", { title: "Members", productIds: [updated["id"], deleted["id"]] })
  return {
    productUpdate: yield* changed("products", updated, { price: 5, tags: ["new"], variants: [] }),
    productDeletion: yield* changed("products", deleted),
    collectionUpdate: yield* changed("collections", yield* create("collections", { ...collection, title: "Updated" }), {
      title: "Changed"
    }),
    collectionDeletion: yield* changed("collections", yield* create("collections", { ...collection, title: "Deleted" }))
  }
})

/** Creates change sets in all states. Those that apply or preview wait for a runner. */
const makeChangeSets = Effect.fnUntraced(function* (client: Client, products: ReadonlyArray<string>) {
  const ready = yield* running(
    previewed(client, { mode: "each", note: "Old", where: { rules: [] }, change: { tags: { add: ["sale"] } } })
  )
  const done = yield* running(
    Effect.flatMap(previewed(client, { mode: "each", operations: creations(2) }), ({ id }) => applied(client, id))
  )
  const later = { mode: "each", operations: creations(1), applyAt: "2999-01-01T00:00:00Z" }
  const { id: scheduled } = yield* running(previewed(client, later))
  yield* client.post(`/change-sets/${scheduled}/apply`, {})
  // Each collection takes a step of its own.
  const operations = [
    { op: "collection.create", collection: { title: "Half" } },
    ...products.map((id) => ({ op: "product.update", id, patch: { price: 77 } })),
    { op: "collection.create", collection: { title: "Other half" } }
  ]
  const applying = yield* running(previewed(client, { mode: "each", operations }))
  const { release, watcher } = yield* lockProduct(yield* databaseUrl, products.at(-1) ?? "")
  yield* client.post(`/change-sets/${applying.id}/apply`, {})
  // A runner that stops ends its step, which the lock holds up until then.
  yield* running(
    Effect.andThen(waitForLockWaits(watcher, 1), Effect.forkDetach(Effect.delay(release, "200 millis")))
  ).pipe(Effect.provideService(StepMillis, { locked: -1, unlocked: -1 }))
  const half = yield* readSet(client, applying.id)
  assert.strictEqual(half.state, "applying")
  const previewing = yield* createSet(client, { mode: "each", operations: creations(1) })
  return {
    half,
    ids: { applied: done.id, applying: applying.id, ready: ready.id, scheduled, previewing: previewing.id }
  }
})

layer(Service, { excludeTestServices: true, timeout: "60 seconds" })("Release fixture", (it) => {
  it.effect(manifest.version, () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { storeId, ...demo } = yield* makeDemo
      const cookie = yield* signIn(demo.merchantEmail, demo.merchantPassword)
      const client = makeClient(base, demo.accessToken)
      const member = { client: yield* clientOf(cookie), storeId }
      const entries = yield* makeEntries(client, (resourceId) =>
        Effect.map(member.client.activity.list({ storeId, resourceId, limit: 1 }), ({ items: [entry] }) =>
          String(entry?.id)
        ).pipe(Effect.orDie)
      )
      const products = pageOf(yield* client.get("/products?limit=20")).items.map(({ id }) => String(id))
      const { half, ids } = yield* makeChangeSets(client, products.slice(0, 10))
      assert.isTrue(half.progress.done > 0 && half.progress.done < half.progress.total, JSON.stringify(half.progress))

      // Its rows wait for a runner.
      const query = { storeId, dryRun: false, settings: { kind: "products", format: "jsonl" } }
      const imported = yield* Effect.promise(async () => {
        const response = await fetch(`${base}/rpc/imports?import=${encodeURIComponent(JSON.stringify(query))}`, {
          method: "POST",
          headers: { cookie, "content-type": "application/octet-stream" },
          body: `${JSON.stringify({ externalId: "old-1", name: "Imported", price: 7 })}\n`
        })
        const text = await response.text()
        return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
      })
      assert.strictEqual(imported.status, 201, imported.text)

      const agent = yield* agentOf(member, { proposalsOnly: true })
      const [productId = ""] = products
      const proposal = yield* proposePrice(agent.client, storeId, ProductId.make(productId), 12.5)
      const view = yield* member.client.views.create({
        ...keyedIn(storeId),
        view: decodeView({
          resource: "products",
          name: "Cheap",
          query: { rules: [{ field: "price", relation: "less_than", value: 25 }], sort: "-price" },
          columns: ["name", "price"],
          isShared: true
        })
      })
      const keyed = { key: "release-fixture", body: { name: "Keyed", price: 1 } }
      const first = yield* client.post("/products", keyed.body, { key: keyed.key })
      assert.strictEqual(first.status, 201, first.text)
      const appData = { path: "/app-data/settings", value: { theme: "dark", sizes: [1, 2] } }
      yield* client.put(appData.path, { key: "old", value: appData.value })

      const bytes = yield* picture("png", 77)
      const { url } = dataOf(yield* uploadTo(base, client.token, bytes, { query: "?name=old.png&alt=Old" }))

      const finished = yield* running(
        Effect.gen(function* () {
          const { id } = yield* member.client.exports.create({ ...keyedIn(storeId), kind: "orders" })
          yield* waitUntil(member.client.exports.get({ storeId, id }), ({ state }) => state === "finished")
          return id
        })
      )
      const unfinished = yield* member.client.exports.create({ ...keyedIn(storeId), kind: "products", format: "csv" })

      const app = yield* register()
      const { agree } = yield* agreeingMember(storeId, yield* makeMerchant())
      const tokens = tokensOf(yield* makePoster(base, app).token(yield* agree(app)))

      const billing = yield* Billing
      const perform = yield* performIn(storeId)
      const { appId } = yield* Effect.flatMap(Installations, ({ find }) => find(demo.installationId))
      const terms = { name: "Basic", price: 9.9, currencyCode: "EUR", period: "month", trialDays: 0 } as const
      const planId = yield* billing.setPlan(appId, terms)
      yield* perform(billing.subscribe(storeId, demo.installationId, planId))

      const sql = yield* Effect.flatMap(databaseUrl, connection)
      const [pending] = yield* rowsOf(
        sql,
        "select count(*)::integer as n from deliveries where finished_at is null and app_id = $1",
        [demo.webhookAppId]
      )
      const keys = yield* rowsOf(
        sql,
        `select key from media_objects where hash = $1
         union all select key from media_sizes where hash = $1 and bytes is not null`,
        [String(url).split("/").at(-2)]
      )
      assert.isNotEmpty(keys, String(url))
      const files = keys.map(({ key }) => join("media", String(key).slice(0, 2), String(key)))

      const facts: Facts = {
        madeAt: Date.now(),
        secretKey: SECRET_KEY,
        storeId,
        owner: { email: demo.merchantEmail, password: demo.merchantPassword, cookie },
        appToken: demo.accessToken,
        oauth: { clientId: app.clientId, secret: app.secret ?? "", refreshToken: tokens.refresh_token },
        agentToken: demo.agentToken,
        webhook: { appId: demo.webhookAppId, secret: demo.webhookSecret, pending: Number(pending?.["n"]) },
        entries,
        changeSets: { ...ids, importing: setOf(imported).id },
        proposal: { id: proposal.id, productId, price: 12.5 },
        keyed: { ...keyed, text: first.text },
        view,
        exports: { finished, running: unfinished.id },
        file: { url: new URL(String(url)).pathname, base64: bytes.toString("base64") },
        appData,
        subscription: planId
      }
      const dumped = pack(yield* dump(sql, folder, files))
      rmSync(target, { recursive: true, force: true })
      mkdirSync(target, { recursive: true })
      writeFileSync(join(target, "database.jsonl.gz"), dumped)
      const writeJson = (name: string, value: unknown) =>
        writeFileSync(join(target, name), `${JSON.stringify(value, null, 2)}\n`)
      writeJson("fixture.json", encodeFacts(facts))
      writeJson("documents.json", documents)
      cpSync("src/layers/migrations/hashes.json", join(target, "migrations.json"))
      execFileSync("npx", ["prettier", "--write", target], { stdio: "ignore" })
      rmSync(folder, { recursive: true, force: true })
    })
  )
})
