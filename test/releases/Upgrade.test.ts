import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ClientId } from "../../src/domain/oauth/Clients.ts"
import { EntryId } from "../../src/domain/journal/Activity.ts"
import { ProposalId } from "../../src/domain/access/Proposals.ts"
import { ExportId } from "../../src/domain/exports/Export.ts"
import { StoreId } from "../../src/domain/Store.ts"
import { Email } from "../../src/domain/access/Merchants.ts"
import { performed } from "../../src/rpc/Client.ts"
import { verifyWebhook } from "../../src/http/client/Webhooks.ts"
import { readAll } from "../support/data/Exports.ts"
import { baseUrl, type Client, dataOf, makeClient, pageOf, type Resource } from "../support/http/Api.ts"
import { settled } from "../support/http/ChangeSets.ts"
import { fetchBytes } from "../support/http/Files.ts"
import { makePoster, tokensOf } from "../support/oauth/Oauth.ts"
import { rowsOf, waitUntil } from "../support/process/Process.ts"
import { versions } from "../support/releases/Fixture.ts"
import { assertComplete, KEPT, Upgraded, upgradedFrom } from "../support/releases/Upgraded.ts"
import { callTool } from "../support/rpc/Mcp.ts"
import { keyedIn } from "../support/rpc/Proposals.ts"
import { callLine, clientOf, exitsOf, post, signIn } from "../support/rpc/Rpc.ts"
import { eventOf, waitForRequests } from "../support/webhooks/Webhooks.ts"
import { leastUuidOf } from "../../src/domain/Uuid.ts"

const NOUNS = ["products", "collections", "orders", "customers"] as const

const without = (resource: unknown, ...names: ReadonlyArray<string>): unknown =>
  Object.fromEntries(Object.entries(Object(resource)).filter(([name]) => !names.includes(name)))

/** Clients of the upgraded store. */
const scene = Effect.gen(function* () {
  const upgraded = yield* Upgraded
  const { appToken, owner, storeId } = upgraded.facts
  return {
    ...upgraded,
    storeId: StoreId.make(storeId),
    rest: makeClient(yield* baseUrl, appToken),
    rpc: yield* clientOf(owner.cookie)
  }
})

const itemsOf = (rest: Client, path: string) =>
  Effect.map(rest.get(`/${path}?limit=200`), (answer) => {
    assert.strictEqual(answer.status, 200, answer.text)
    return pageOf(answer).items
  })

/** The resource with the id in a list of resources of any form. */
const find = (items: ReadonlyArray<Resource>, id: string) =>
  items.find((item) => item["id"] === id) ?? assert.fail(`${id} is missing`)

const read = (rest: Client, noun: string, id: string) => Effect.map(itemsOf(rest, noun), (items) => find(items, id))

const AnyObject = Schema.Record(Schema.String, Schema.mutableKey(Schema.Unknown))
const parseLine = Schema.decodeUnknownSync(Schema.fromJsonString(AnyObject))
const decodeItems = Schema.decodeUnknownSync(Schema.Struct({ items: Schema.Array(AnyObject) }))
const decodeFeed = Schema.decodeUnknownSync(
  Schema.Struct({
    changes: Schema.Array(
      Schema.Struct({ id: Schema.optional(Schema.String), document: Schema.optional(Schema.NullOr(AnyObject)) })
    )
  })
)

for (const version of versions) {
  layer(upgradedFrom(version), { excludeTestServices: true, timeout: "60 seconds" })(
    `Upgrade from ${version}`,
    (it) => {
      it.effect(
        "lists contain every field of the schema in its order, on all surfaces, and unknown members are kept",
        () =>
          Effect.gen(function* () {
            const { facts, old, rest, rpc, storeId } = yield* scene
            for (const noun of NOUNS) {
              const items = yield* itemsOf(rest, noun)
              assert.isAbove(items.length, 2)
              for (const item of items) assertComplete(noun, item)
              for (const item of [find(items, old[noun]), yield* read(rest, `${noun}/search`, old[noun])]) {
                assertComplete(noun, item)
                assert.strictEqual(item["later"], KEPT)
              }
            }
            assertComplete("collections", dataOf(yield* rest.get(`/collections/${old.collections}`)))
            // RPC, MCP, feed and export read the product by statements of their own.
            const line = callLine("products.list", { storeId, limit: 100 })
            const exit = exitsOf((yield* post(line, { cookie: facts.owner.cookie })).text).get("1")
            const overRpc = decodeItems(exit?._tag === "Success" ? exit.value : assert.fail(JSON.stringify(exit))).items
            const overMcp = (yield* callTool(facts.agentToken, "products_get", {
              id: old.products,
              whole: true
            })).structuredContent
            const { changes } = decodeFeed(
              (yield* rest.get(
                `/changes?include=document&limit=500&after=${leastUuidOf(new Date(Date.now() - 3_600_000))}`
              )).json
            )
            const { id } = yield* rpc.exports.create({ ...keyedIn(storeId), kind: "products" })
            yield* waitUntil(rpc.exports.get({ storeId, id }), ({ state }) => state !== "running")
            const exported = (yield* readAll(rpc, storeId, id)).join("").trimEnd().split("\n")
            const seen = {
              rpc: find(overRpc, old.products),
              mcp: overMcp,
              feed: changes.find((change) => change.id === old.products)?.document ?? assert.fail(),
              export: find(
                exported.map((text) => parseLine(text)),
                old.products
              )
            }
            for (const item of Object.values(seen)) {
              assertComplete("products", item)
              assert.strictEqual(item["later"], KEPT)
            }
          })
      )

      it.effect("a patch of an old document answers and sends the whole document, and keeps unknown members", () =>
        Effect.gen(function* () {
          const { facts, old, receiver, rest } = yield* scene
          const patched = yield* rest.patch(`/products/${old.products}`, { price: 42 })
          assert.strictEqual(patched.status, 200, patched.text)
          const product = dataOf(patched)
          assertComplete("products", product)
          assert.deepInclude(product, { price: 42, later: KEPT })
          assert.include(JSON.stringify(product["variants"]), `"later":"${KEPT}"`)
          assert.deepStrictEqual(yield* read(rest, "products", old.products), product)
          const title = yield* rest.patch(`/collections/${old.collections}`, { title: "Patched" })
          assertComplete("collections", dataOf(title))
          assert.deepInclude(dataOf(title), { title: "Patched", later: KEPT })
          const isEvent = ({ body }: { readonly body: string }) => {
            const sent = eventOf({ body }).data["product"]
            return sent?.["id"] === old.products && sent["price"] === 42
          }
          const received = yield* waitUntil(
            Effect.sync(() => receiver.received.find(isEvent)),
            (one) => one !== undefined
          )
          const sent = eventOf({ body: received?.body ?? "" }).data["product"] ?? {}
          assertComplete("products", sent)
          assert.strictEqual(sent["later"], KEPT)
          assert.isAtLeast(facts.webhook.pending, 1)
        })
      )

      it.effect("pending deliveries arrive with a right signature", () =>
        Effect.gen(function* () {
          const { facts, receiver } = yield* scene
          const [first = assert.fail()] = yield* waitForRequests(receiver, facts.webhook.pending)
          const { ok } = yield* Effect.promise(() => verifyWebhook(facts.webhook.secret, first.headers, first.body))
          assert.isTrue(ok)
        })
      )

      it.effect("entries of updates and deletions of the old release can be undone", () =>
        Effect.gen(function* () {
          const { facts, rest, rpc, storeId } = yield* scene
          for (const [name, { before, entry, id }] of Object.entries(facts.entries)) {
            yield* performed(rpc.activity.undo({ ...keyedIn(storeId), id: EntryId.make(entry) }))
            const noun = name.startsWith("product") ? "products" : "collections"
            const restored = yield* read(rest, noun, id)
            assertComplete(noun, restored)
            const computed = ["version", "updatedAt", "publishedAt"]
            assert.deepStrictEqual(without(restored, ...computed), without(before, ...computed))
          }
        })
      )

      it.effect("jobs of change sets, imports and exports continue", () =>
        Effect.gen(function* () {
          const { client, facts, rest, rpc, storeId } = yield* scene
          const { applied, applying, importing, previewing, ready, scheduled } = facts.changeSets
          assert.deepInclude(yield* settled(rest, applying), { state: "applied", failure: null })
          assert.include(
            (yield* itemsOf(rest, "collections")).map(({ title }) => title),
            "Other half"
          )
          assert.deepInclude(yield* settled(rest, previewing), { state: "ready" })
          yield* waitUntil(
            rowsOf(client, "select state from change_sets where id = $1", [importing]),
            ([row]) => row?.["state"] === "applied"
          )
          assert.include(
            (yield* itemsOf(rest, "products")).map(({ name }) => name),
            "Imported"
          )

          assert.strictEqual((yield* rest.post(`/change-sets/${ready}/apply`, {})).status, 200)
          assert.deepInclude(yield* settled(rest, ready), { state: "applied" })
          yield* rowsOf(client, "update jobs set next_at = now() where subject_id = $1", [scheduled])
          yield* waitUntil(
            rowsOf(client, "select state from change_sets where id = $1", [scheduled]),
            ([row]) => row?.["state"] === "applied"
          )
          const undo = yield* rest.post(`/change-sets/${applied}/undo`, undefined)
          assert.strictEqual(undo.status, 201, undo.text)

          for (const [state, name] of [
            ["finished", "running"],
            ["finished", "finished"]
          ] as const) {
            const id = ExportId.make(facts.exports[name])
            yield* waitUntil(rpc.exports.get({ storeId, id }), (one) => one.state === state)
            assert.isAbove((yield* readAll(rpc, storeId, id)).join("").length, 1_000)
          }
        })
      )

      it.effect("a pending proposal can be approved, and a repeated key gets its old response", () =>
        Effect.gen(function* () {
          const { facts, rest, rpc, storeId } = yield* scene
          const { id, price, productId } = facts.proposal
          const approved = yield* rpc.proposals.approve({ ...keyedIn(storeId), id: ProposalId.make(id) })
          assert.strictEqual(approved.status, "approved")
          assert.deepInclude(yield* read(rest, "products", productId), { price })
          const repeated = yield* rest.post("/products", facts.keyed.body, { key: facts.keyed.key })
          assert.strictEqual(repeated.text, facts.keyed.text)
        })
      )

      it.effect("views, app data, files, subscriptions, sessions, passwords and tokens work", () =>
        Effect.gen(function* () {
          const { facts, rest, rpc, storeId } = yield* scene
          const base = yield* baseUrl
          assert.deepStrictEqual<unknown>(yield* rpc.views.list({ storeId }), [facts.view])
          assert.deepInclude(dataOf(yield* rest.get(`${facts.appData.path}?key=old`)), { value: facts.appData.value })
          const { bytes, status } = yield* fetchBytes(`${base}${facts.file.url}`)
          assert.deepStrictEqual([status, bytes.toString("base64")], [200, facts.file.base64])
          assert.include(JSON.stringify(yield* rpc.billing.subscriptions({ storeId })), facts.subscription)
          const cookie = yield* signIn(Schema.decodeSync(Email)(facts.owner.email), facts.owner.password)
          assert.match(cookie, /^session=./)
          const { clientId, refreshToken, secret } = facts.oauth
          const refreshed = tokensOf(
            yield* makePoster(base, { clientId: ClientId.make(clientId), secret }).refresh(refreshToken)
          )
          assert.strictEqual((yield* makeClient(base, refreshed.access_token).get("/store")).status, 200)
        })
      )
    }
  )
}
