import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { FeedMembership, MAX_MEMBERSHIPS } from "../../../src/domain/journal/ChangeFeed.ts"
import { CollectionId } from "../../../src/domain/catalog/Collection.ts"
import { ProductId } from "../../../src/domain/catalog/Product.ts"
import { ApiTest, type Client, dataOf, errorOf, freshClient, install } from "../../support/http/Api.ts"
import { decodePage, startOf } from "../../support/http/Feed.ts"
import { memberOf, newKey } from "../../support/rpc/Rpc.ts"

const isMembership = Schema.is(FeedMembership)

const CHEAP = { title: "Cheap", rules: [{ field: "price", relation: "less_than", value: 25 }] }

const read = Effect.fn(function* (client: Client, after: string, resources = "memberships", query = "") {
  const answer = yield* client.get(`/changes?after=${after}&resources=${resources}${query}`)
  assert.strictEqual(answer.status, 200, answer.text)
  return decodePage(answer.json)
})

/** Reads memberships from a position on: who entered (+) and left (-) which collection, and the causes. */
const membershipsAfter = Effect.fn(function* (client: Client, after: string) {
  const { changes } = yield* read(client, after)
  const items = changes.filter(isMembership)
  assert.lengthOf(items, changes.length)
  return items
})

const short = ({ collectionId, entered, productId }: typeof FeedMembership.Type): ReadonlyArray<string | null> => [
  entered === null ? "?" : entered ? "+" : "-",
  productId,
  collectionId
]

const create = (client: Client, path: "products" | "collections", body: object) =>
  Effect.map(client.post(`/${path}`, body), (answer) => String(dataOf(answer)["id"]))

/** Copies a product within the database, which is faster than requests. */
const copyProduct = Effect.fn(function* (storeId: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    with copies as (
      insert into products (store_id, id, version, slug, document, facets)
      select store_id, made.id, 1, 'copy-' || n, document, facets
      from products, generate_series(1, ${MAX_MEMBERSHIPS}::integer) as n,
        lateral (select uuid_v7(clock_micros()) as id where n > 0) as made
      where store_id = ${storeId} and products.id = ${id} returning store_id, id
    )
    insert into product_keys (store_id, id, price, stock, terms)
    select store_id, copies.id, price, stock, terms from copies join product_keys using (store_id)
  `
})

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Memberships in the feed", (it) => {
  it.effect(
    "a product enters and leaves an automated collection with its change, with rule and value as the cause",
    () =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        const cheap = yield* create(client, "collections", CHEAP)
        const after = yield* startOf(client)
        const id = yield* create(client, "products", { name: "Cup", price: 20 })
        yield* client.patch(`/products/${id}`, { name: "Mug" })
        yield* client.patch(`/products/${id}`, { price: 30 })
        yield* client.patch(`/products/${id}`, { price: 10 })
        yield* client.delete(`/products/${id}`)
        const items = yield* membershipsAfter(client, after)
        assert.deepStrictEqual(items.map(short), [
          ["+", id, cheap],
          ["-", id, cheap],
          ["+", id, cheap],
          ["-", id, cheap]
        ])
        const { cause, position } = items[1] ?? assert.fail("The product left")
        assert.strictEqual(cause.text, `price 30 by change ${position}; rule price less_than 25`)
        assert.containSubset(cause, {
          changed: "product",
          reasons: [{ rule: CHEAP.rules[0], found: 30, holds: false }]
        })
        assert.match(items[3]?.cause.text ?? "", /^product deleted by change /)
      })
  )

  it.effect("new rules are applied to the products as they were at that time", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const cheap = yield* create(client, "collections", CHEAP)
      const stays = yield* create(client, "products", { name: "Cup", price: 5 })
      const leaves = yield* create(client, "products", { name: "Mug", price: 20 })
      const enters = yield* create(client, "products", { name: "Pot", price: 40 })
      const after = yield* startOf(client)
      yield* client.patch(`/collections/${cheap}`, {
        rules: [
          { field: "price", relation: "less_than", value: 10 },
          { field: "price", relation: "greater_than", value: 35 }
        ],
        disjunctive: true
      })
      yield* client.patch(`/products/${leaves}`, { price: 7 })
      yield* client.patch(`/products/${enters}`, { price: 30 })
      yield* client.delete(`/products/${stays}`)
      const items = yield* membershipsAfter(client, after)
      assert.sameDeepMembers(items.slice(0, 2).map(short), [
        ["-", leaves, cheap],
        ["+", enters, cheap]
      ])
      assert.deepStrictEqual(items.slice(2).map(short), [
        ["+", leaves, cheap],
        ["-", enters, cheap],
        ["-", stays, cheap]
      ])
      assert.deepStrictEqual(
        items.map(({ cause }) => cause.changed),
        ["rules", "rules", "product", "product", "product"]
      )
    })
  )

  it.effect("members of manual collections enter and leave with the list, with their deletion and its undo", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { client: rpc } = yield* memberOf(storeId)
      const [a, b] = [
        yield* create(client, "products", { name: "A" }),
        yield* create(client, "products", { name: "B" })
      ]
      const after = yield* startOf(client)
      const id = yield* create(client, "collections", { title: "Some", productIds: [a] })
      yield* client.patch(`/collections/${id}`, { productIds: [b] })
      yield* client.delete(`/products/${b}`)
      const { items } = yield* rpc.activity.list({ storeId })
      const deletion = items[0]?.id ?? assert.fail("The deletion has an entry")
      yield* rpc.activity.undo({ storeId, idempotencyKey: newKey(), id: deletion })
      assert.deepStrictEqual((yield* membershipsAfter(client, after)).map(short), [
        ["+", a, id],
        ["+", b, id],
        ["-", a, id],
        ["-", b, id],
        ["+", b, id]
      ])
    })
  )

  it.effect("memberships follow their change; pages repeat and miss nothing, also with documents", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* create(client, "collections", CHEAP)
      const after = yield* startOf(client)
      for (const price of [20, 30, 10]) yield* create(client, "products", { name: "Cup", price })
      for (const query of ["", "&include=document"]) {
        const all = yield* read(client, after, "products,memberships", query)
        assert.deepStrictEqual(
          all.changes.map(({ resource }) => resource),
          ["products", "memberships", "products", "products", "memberships"]
        )
        const pages = []
        let position: string = after
        for (let isLatest = false; !isLatest;) {
          const page = yield* read(client, position, "products,memberships", `&limit=1${query}`)
          pages.push(...page.changes)
          ;({ isLatest, nextPosition: position } = page)
        }
        assert.deepStrictEqual(pages, all.changes)
      }
    })
  )

  it.effect("a change of a collection that affects more than 1,000 products is one item without a product", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const first = yield* create(client, "products", { name: "Cup", price: 20 })
      yield* copyProduct(storeId, first)
      const after = yield* startOf(client)
      const id = yield* create(client, "collections", CHEAP)
      assert.deepStrictEqual((yield* membershipsAfter(client, after)).map(short), [["?", null, id]])
    })
  )

  it.effect("memberships need the scopes of products and collections", () =>
    Effect.gen(function* () {
      const { storeId } = yield* freshClient()
      for (const [scope, missing] of [
        ["read_products", "read_collections"],
        ["read_collections", "read_products"]
      ] as const) {
        const { client } = yield* install(storeId, { scopes: [scope] })
        const refused = yield* client.get("/changes?resources=memberships")
        assert.strictEqual(refused.status, 403)
        assert.include(errorOf(refused).error, missing)
      }
    })
  )

  it.effect("a store's memberships name no product or collection of another store", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { client: other } = yield* freshClient()
      const after = yield* startOf(client)
      yield* create(other, "collections", CHEAP)
      yield* create(other, "products", { name: "Cup", price: 20 })
      assert.deepStrictEqual(yield* membershipsAfter(client, after), [])
    })
  )

  it.effect("collections.why names the change with which the product entered", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { client: rpc } = yield* memberOf(storeId)
      const product = ProductId.make(yield* create(client, "products", { name: "Cup", price: 30 }))
      const cheap = CollectionId.make(yield* create(client, "collections", CHEAP))
      const manual = CollectionId.make(yield* create(client, "collections", { title: "Some", productIds: [product] }))
      const sinceOf = (id: CollectionId) =>
        Effect.map(rpc.collections.why({ storeId, id, productId: product }), ({ since }) => since)
      const newest = Effect.map(rpc.activity.list({ storeId }), ({ items }) => items[0]?.id)
      const added = yield* newest
      assert.isNull(yield* sinceOf(cheap))
      yield* client.patch(`/products/${product}`, { price: 20 })
      const entered = yield* newest
      yield* client.patch(`/products/${product}`, { name: "Mug" })
      yield* client.patch(`/collections/${cheap}`, { title: "Bargains" })
      assert.containSubset(yield* sinceOf(cheap), { position: entered, changed: "product" })
      assert.containSubset(yield* sinceOf(manual), { position: added, changed: "collection" })
      yield* client.patch(`/products/${product}`, { price: 30 })
      yield* client.patch(`/collections/${cheap}`, { rules: [{ field: "price", relation: "less_than", value: 40 }] })
      assert.containSubset(yield* sinceOf(cheap), { position: yield* newest, changed: "collection" })
    })
  )
})
