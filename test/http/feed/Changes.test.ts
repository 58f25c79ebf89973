import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { leastUuidOf } from "../../../src/domain/Uuid.ts"
import { ApiTest, dataOf, errorOf, freshClient, install } from "../../support/http/Api.ts"
import { createProduct, feedOf, isChange, readAfter, startOf } from "../../support/http/Feed.ts"
import { agentOf, freshMember, memberOf, newKey } from "../../support/rpc/Rpc.ts"

const resourcesOf = ({ changes }: ReturnType<typeof feedOf>) => changes.map(({ resource }) => resource)

const DAY = 24 * 3_600_000

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Change feed", (it) => {
  it.effect("without after, a page is empty and names the newest position", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* createProduct(client)
      const page = feedOf(yield* client.get("/changes"))
      assert.deepStrictEqual({ ...page, nextPosition: "" }, { changes: [], nextPosition: "", isLatest: true })
      assert.deepStrictEqual((yield* readAfter(client, page.nextPosition)).changes, [])
    })
  )

  it.effect("lists creates, updates and deletions of both resources in commit order, with author and origin", () =>
    Effect.gen(function* () {
      const { client, installation, storeId } = yield* freshClient()
      const member = yield* memberOf(storeId)
      const after = yield* startOf(client)
      const id = yield* createProduct(client)
      yield* client.patch(`/products/${id}`, { price: 4 })
      yield* member.client.collections.create({ storeId, idempotencyKey: newKey(), collection: { title: "Cups" } })
      yield* client.delete(`/products/${id}`)
      const page = yield* readAfter(client, after)
      const own = {
        actor: { kind: "app" },
        originInstallationId: installation.id,
        changeSetId: null
      }
      const product = { resource: "products", id, ...own }
      assert.containSubset(page, {
        isLatest: true,
        changes: [
          { ...product, version: 1, deleted: false },
          { ...product, version: 2, deleted: false },
          {
            resource: "collections",
            actor: { kind: "merchant" },
            originInstallationId: null,
            version: 1,
            deleted: false
          },
          { ...product, version: 2, deleted: true }
        ]
      })
      assert.lengthOf(page.changes, 4)
      assert.isTrue(page.changes.every((change) => !("document" in change)))
    })
  )

  it.effect("limit ends a page; reading on from nextPosition or from a position repeats and misses nothing", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const after = yield* startOf(client)
      for (let n = 0; n < 5; n++) yield* createProduct(client)
      const all = (yield* readAfter(client, after)).changes.map(({ position }) => position)
      const first = yield* readAfter(client, after, "&limit=3")
      assert.deepStrictEqual(
        first.changes.map(({ position }) => position),
        all.slice(0, 3)
      )
      assert.strictEqual(first.nextPosition, all[2])
      assert.isFalse(first.isLatest)
      const second = yield* readAfter(client, first.nextPosition, "&limit=2")
      assert.deepStrictEqual(
        second.changes.map(({ position }) => position),
        all.slice(3)
      )
      assert.isTrue(second.isLatest)
      assert.deepStrictEqual((yield* readAfter(client, all[3] ?? "")).changes.length, 1)
    })
  )

  it.effect("include=document adds the current document, and null for one that is gone", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const after = yield* startOf(client)
      const id = yield* createProduct(client)
      const product = dataOf(yield* client.patch(`/products/${id}`, { price: 4 }))
      const collection = dataOf(yield* client.post("/collections", { title: "Cups", productIds: [id] }))
      yield* client.delete(`/products/${yield* createProduct(client)}`)
      const { changes } = yield* readAfter(client, after, "&include=document")
      assert.deepStrictEqual(
        changes.map(({ document }) => document),
        [product, product, collection, null, null]
      )
    })
  )

  it.effect("a page with documents ends after 1 MiB, and the next one continues", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const after = yield* startOf(client)
      const body = { name: "Large", metafields: { blob: "x".repeat(600_000) } }
      for (let n = 0; n < 3; n++) yield* createProduct(client, body)
      const first = yield* readAfter(client, after, "&include=document")
      assert.strictEqual(first.changes.length, 2)
      assert.isFalse(first.isLatest)
      const second = yield* readAfter(client, first.nextPosition, "&include=document")
      assert.strictEqual(second.changes.length, 1)
      assert.isTrue(second.isLatest)
    })
  )

  it.effect("an installation reads the resources of its scopes; one that it names without the scope is 403", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const after = yield* startOf(client)
      yield* createProduct(client)
      yield* client.post("/collections", { title: "Cups" })
      const { client: products } = yield* install(storeId, { scopes: ["read_products"] })
      const { client: none } = yield* install(storeId, { scopes: ["read_orders"] })
      assert.deepStrictEqual(resourcesOf(yield* readAfter(client, after)), ["products", "collections"])
      assert.deepStrictEqual(resourcesOf(yield* readAfter(client, after, "&resources=collections")), ["collections"])
      assert.deepStrictEqual(resourcesOf(yield* readAfter(products, after)), ["products"])
      for (const path of [`/changes?after=${after}&resources=products,collections`, "/changes?resources=collections"]) {
        const refused = yield* products.get(path)
        assert.strictEqual(refused.status, 403)
        assert.include(errorOf(refused).error, "read_collections")
      }
      assert.strictEqual((yield* none.get("/changes")).status, 403)
    })
  )

  it.effect("a store's feed has no changes of another store", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { client: other } = yield* freshClient()
      const after = yield* startOf(client)
      yield* createProduct(other)
      const id = yield* createProduct(client)
      assert.deepStrictEqual(
        (yield* readAfter(client, after)).changes.map((change) => change.id),
        [id]
      )
    })
  )

  it.effect("a position older than 400 days, or in the future, is 410 with advice", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const days of [-401, 1]) {
        const gone = yield* client.get(`/changes?after=${leastUuidOf(new Date(Date.now() + days * DAY))}`)
        assert.strictEqual(gone.status, 410)
        assert.include(errorOf(gone).error, "read the resources again")
      }
      assert.strictEqual(
        (yield* client.get(`/changes?after=${leastUuidOf(new Date(Date.now() - 399 * DAY))}`)).status,
        200
      )
    })
  )

  it.effect("invalid parameters are 400 with their path", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const cases = [
        ["after=7", /^after: must be a UUID/],
        ["limit=0", /^limit: /],
        ["resources=orders", /^resources: must be products, collections or memberships/],
        ["resources=", /^resources: /],
        ["include=all", /^include: must be document/],
        ["wait=31", /^wait: must be an integer from 0 to 30/],
        ["wait=-1", /^wait: must be an integer from 0 to 30/]
      ] as const
      for (const [query, issue] of cases) {
        const refused = yield* client.get(`/changes?${query}`)
        assert.strictEqual(refused.status, 400, query)
        assert.match(errorOf(refused).issues?.join("\n") ?? "", issue)
      }
    })
  )

  it.effect("the RPC lists the same changes; agents read those of their scopes", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const member = yield* memberOf(storeId)
      const { nextPosition: after } = yield* member.client.changes.list({ storeId })
      const id = yield* createProduct(client)
      yield* client.post("/collections", { title: "Cups" })
      const page = yield* member.client.changes.list({ storeId, after, include: "document" })
      assert.deepStrictEqual(page.changes, (yield* readAfter(client, after, "&include=document")).changes)
      const agent = yield* agentOf({ ...member, storeId }, { scopes: ["read_products"] })
      const seen = yield* agent.client.changes.list({ storeId, after })
      assert.deepStrictEqual(
        seen.changes.filter(isChange).map((change) => change.id),
        [id]
      )
      const refused = yield* Effect.flip(agent.client.changes.list({ storeId, after, resources: ["collections"] }))
      assert.strictEqual(refused._tag, "AgentScopeMissing")
      const other = yield* freshMember()
      const foreign = yield* Effect.flip(other.client.changes.list({ storeId, after }))
      assert.strictEqual(foreign._tag, "StoreNotFound")
    })
  )
})
