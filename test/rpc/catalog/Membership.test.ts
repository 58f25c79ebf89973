import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CollectionId, CreateCollection, UpdateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct, type Product, ProductId } from "../../../src/domain/catalog/Product.ts"
import { Rules } from "../../../src/domain/catalog/Rule.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { IsolatedApiTest } from "../../support/http/Api.ts"
import { callLine, errorOf, freshMember, newKey, post } from "../../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)
const toRules = Schema.decodeUnknownSync(Rules)

const keyedIn = (storeId: StoreId) => ({ storeId, idempotencyKey: newKey() })

const OAK = { field: "tags", relation: "equals", value: "Oak" }
const CHEAP = { field: "price", relation: "less_than", value: 100 }

/** A store with three products: a cheap and an expensive one of oak, and a cheap one of pine. */
const scene = Effect.gen(function* () {
  const member = yield* freshMember()
  const { client, storeId } = member
  const createProduct = (name: string, price: number, tags: ReadonlyArray<string>) =>
    client.products.create({ ...keyedIn(storeId), product: toProduct({ name, price, tags }) }).pipe(performed)
  return {
    ...member,
    stool: yield* createProduct("Stool", 40, ["Oak"]),
    desk: yield* createProduct("Desk", 400, ["oak", "office"]),
    shelf: yield* createProduct("Shelf", 60, ["pine"])
  }
})

const summaryOf = ({ currencyCode, id, imageUrl, isActive, name, price, sku, slug, stock }: Product) => ({
  id,
  name,
  slug,
  sku,
  price,
  currencyCode,
  stock,
  isActive,
  imageUrl
})

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Memberships of collections", (it) => {
  it.effect("a preview of rules returns the count and the first of the matching products and stores nothing", () =>
    Effect.gen(function* () {
      const { client, desk, shelf, stool, storeId } = yield* scene
      const preview = (rules: ReadonlyArray<object>, rest: object = {}) =>
        client.collections.preview({ storeId, rules: toRules(rules), ...rest })
      const both = { productCount: 1, items: [summaryOf(stool)] }
      assert.deepStrictEqual(yield* preview([OAK, CHEAP]), both)
      assert.deepStrictEqual(yield* preview([OAK, CHEAP], { disjunctive: true }), {
        productCount: 3,
        items: [stool, desk, shelf].map(summaryOf)
      })
      assert.deepStrictEqual(yield* preview([OAK, CHEAP], { disjunctive: true, limit: 1 }), {
        productCount: 3,
        items: [summaryOf(stool)]
      })
      assert.deepStrictEqual(yield* client.collections.preview({ storeId }), { productCount: 0, items: [] })
      assert.deepStrictEqual((yield* client.collections.list({ storeId })).items, [])
    })
  )

  it.effect("a preview of changes to a collection does not change it", () =>
    Effect.gen(function* () {
      const { client, desk, shelf, stool, storeId } = yield* scene
      const collection = toCollection({ title: "Cheap oak", rules: [OAK, CHEAP] })
      const created = yield* client.collections.create({ ...keyedIn(storeId), collection }).pipe(performed)
      const preview = (rest: object = {}) => client.collections.preview({ storeId, id: created.id, ...rest })
      assert.deepStrictEqual((yield* preview()).items, [summaryOf(stool)])
      assert.deepStrictEqual((yield* preview({ disjunctive: true })).items, [stool, desk, shelf].map(summaryOf))
      assert.deepStrictEqual((yield* preview({ rules: toRules([OAK]) })).items, [stool, desk].map(summaryOf))
      assert.deepStrictEqual(yield* client.collections.get({ storeId, id: created.id }), created)
    })
  )

  it.effect("a preview with invalid or unknown fields reports each of them", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      const errorFor = (payload: object) =>
        Effect.map(post(callLine("collections.preview", { storeId, ...payload }), { cookie }), ({ text }) =>
          errorOf(text)
        )
      const error = yield* errorFor({
        rules: [{ field: "onSale", relation: "contains", value: 1 }],
        limit: 51,
        name: "x"
      })
      assert.deepStrictEqual(error?.["issues"], [
        "name: is not a field that can be set",
        "rules.0.relation: must be one of equals, not_equals for the field onSale",
        "limit: must be an integer from 1 to 50"
      ])
    })
  )

  it.effect("a preview of slow rules fails with RulesTooSlow", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      yield* client.products.create({ ...keyedIn(storeId), product: toProduct({ name: "Cup" }) }).pipe(performed)
      const sql = yield* SqlClient.SqlClient
      yield* sql`alter table product_keys rename to kept_keys`
      yield* sql`create view product_keys as select * from kept_keys where pg_sleep(20) is not null`
      const refused = yield* Effect.flip(client.collections.preview({ storeId, rules: toRules([CHEAP]) }))
      assert.deepInclude(refused, { _tag: "RulesTooSlow", collection: null })
      yield* sql`drop view product_keys`
      yield* sql`alter table kept_keys rename to product_keys`
    })
  )

  it.effect("a membership explanation compares each rule with the value of the product", () =>
    Effect.gen(function* () {
      const { client, desk, shelf, stool, storeId } = yield* scene
      const collection = toCollection({ title: "Cheap oak", rules: [OAK, CHEAP] })
      const { id } = yield* client.collections.create({ ...keyedIn(storeId), collection }).pipe(performed)
      const why = (product: Product) => client.collections.why({ storeId, id, productId: product.id })
      assert.deepStrictEqual(yield* why(desk), {
        collectionId: id,
        productId: desk.id,
        isMember: false,
        type: "automated",
        disjunctive: false,
        reasons: [
          { rule: OAK, found: ["oak", "office"], holds: true },
          { rule: CHEAP, found: 400, holds: false }
        ],
        since: null
      })
      assert.deepInclude(yield* why(stool), { isMember: true })
      const patch = Schema.decodeSync(UpdateCollection)({ disjunctive: true })
      yield* client.collections.update({ ...keyedIn(storeId), id, patch }).pipe(performed)
      const now = yield* why(shelf)
      assert.deepInclude(now, { isMember: true, disjunctive: true })
      assert.deepStrictEqual(
        now.reasons.map(({ holds }) => holds),
        [false, true]
      )
    })
  )

  it.effect("a membership explanation accepts unsaved rules, with or without a collection", () =>
    Effect.gen(function* () {
      const { client, desk, stool, storeId } = yield* scene
      const collection = toCollection({ title: "By hand", productIds: [desk.id] })
      const { id } = yield* client.collections.create({ ...keyedIn(storeId), collection }).pipe(performed)
      const rules = toRules([CHEAP])
      const none = yield* client.collections.why({ storeId, productId: desk.id, rules })
      assert.deepInclude(none, { collectionId: null, type: "automated", isMember: false })
      const request = { storeId, id, productId: stool.id, rules }
      assert.deepInclude(yield* client.collections.why(request), {
        collectionId: id,
        type: "automated",
        isMember: true,
        reasons: [{ rule: CHEAP, found: 40, holds: true }]
      })
      const unknownProduct = { storeId, productId: ProductId.make(id), rules }
      assert.strictEqual((yield* Effect.flip(client.collections.why(unknownProduct)))._tag, "ProductNotFound")
      assert.deepStrictEqual((yield* client.collections.get({ storeId, id })).productIds, [desk.id])
    })
  )

  it.effect("product summaries omit deleted and foreign products and accept at most 200 ids", () =>
    Effect.gen(function* () {
      const { client, cookie, desk, shelf, stool, storeId } = yield* scene
      yield* client.products.delete({ ...keyedIn(storeId), id: shelf.id }).pipe(performed)
      const ids = [desk.id, shelf.id, stool.id, desk.id]
      const { items } = yield* client.products.summaries({ storeId, ids })
      assert.deepStrictEqual(items, [stool, desk].map(summaryOf))
      const stranger = yield* freshMember()
      const ofStranger = yield* stranger.client.products.summaries({ storeId: stranger.storeId, ids })
      assert.deepStrictEqual(ofStranger.items, [])
      const tooMany = callLine("products.summaries", { storeId, ids: Array.from({ length: 201 }, () => desk.id) })
      const { text } = yield* post(tooMany, { cookie })
      assert.deepStrictEqual(errorOf(text)?.["issues"], ["ids: must be a list of at most 200 items"])
    })
  )

  it.effect("a membership explanation cuts text after 200 characters and lists after 20 values", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const tags = Array.from({ length: 30 }, (_, index) => `tag ${index}`)
      const product = toProduct({ name: "Long", description: `${"😀".repeat(300)}`, tags })
      const { id: productId } = yield* client.products.create({ ...keyedIn(storeId), product }).pipe(performed)
      const rules = [
        { field: "description", relation: "is_set" },
        { field: "tags", relation: "is_set" },
        { field: "vendor", relation: "is_not_set" }
      ]
      const collection = toCollection({ title: "All", rules })
      const { id } = yield* client.collections.create({ ...keyedIn(storeId), collection }).pipe(performed)
      const { reasons } = yield* client.collections.why({ storeId, id, productId })
      assert.deepStrictEqual(
        reasons.map(({ found }) => found),
        [`${"😀".repeat(200)}…`, tags.slice(0, 20), null]
      )
    })
  )

  it.effect("products listed in a manual collection are its members, without reasons", () =>
    Effect.gen(function* () {
      const { client, desk, stool, storeId } = yield* scene
      const collection = toCollection({ title: "By hand", productIds: [desk.id] })
      const { id } = yield* client.collections.create({ ...keyedIn(storeId), collection }).pipe(performed)
      const listed = yield* client.collections.why({ storeId, id, productId: desk.id })
      assert.deepInclude(listed, { isMember: true, type: "manual", reasons: [] })
      assert.deepInclude(yield* client.collections.why({ storeId, id, productId: stool.id }), { isMember: false })
      const unknownProduct = { storeId, id, productId: ProductId.make(id) }
      assert.strictEqual((yield* Effect.flip(client.collections.why(unknownProduct)))._tag, "ProductNotFound")
      const unknownCollection = { storeId, id: CollectionId.make(desk.id), productId: desk.id }
      assert.strictEqual((yield* Effect.flip(client.collections.why(unknownCollection)))._tag, "CollectionNotFound")
    })
  )
})
