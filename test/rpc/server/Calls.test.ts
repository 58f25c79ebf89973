import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreId } from "../../../src/domain/Store.ts"
import { CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { NOT_A_DOUBLE } from "../../../src/domain/json/Numbers.ts"
import { HELD, NOT_HELD } from "../../data/numbers.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { ApiTest } from "../../support/http/Api.ts"
import {
  callLine,
  clientOf,
  errorOf,
  exitsOf,
  freshMember,
  memberOf,
  newKey,
  post,
  signIn
} from "../../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)

const keyedIn = (storeId: StoreId) => ({ storeId, idempotencyKey: newKey() })

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("RPC calls", (it) => {
  it.effect("a signed-in merchant reads and writes the catalog of their store", () =>
    Effect.gen(function* () {
      const { email, storeId } = yield* freshMember()
      const client = yield* clientOf(yield* signIn(email))

      const product = yield* client.products
        .create({
          ...keyedIn(storeId),
          product: toProduct({ name: "Oak desk", price: 12, tags: ["oak"] })
        })
        .pipe(performed)
      assert.deepInclude(product, { name: "Oak desk", version: 1, slug: "oak-desk", price: 12 })
      assert.deepStrictEqual(yield* client.products.get({ storeId, id: product.id }), product)

      const rules = [{ field: "tags", relation: "equals", value: "oak" }]
      const collection = yield* client.collections
        .create({
          ...keyedIn(storeId),
          collection: toCollection({ title: "Oak", rules })
        })
        .pipe(performed)
      assert.deepStrictEqual(collection.productIds, [product.id])
      assert.deepStrictEqual(yield* client.collections.get({ storeId, id: collection.id }), collection)
      assert.deepStrictEqual(yield* client.collections.list({ storeId }), { items: [collection], nextCursor: null })

      const patched = { ...keyedIn(storeId), id: product.id, patch: { tags: [] }, expectedVersion: 1 }
      const changed = yield* client.products.update(patched).pipe(performed)
      assert.strictEqual(changed.version, 2)
      assert.deepStrictEqual((yield* client.collections.get({ storeId, id: collection.id })).productIds, [])
      const renamed = { ...keyedIn(storeId), id: collection.id, patch: { title: "Of oak" } }
      assert.strictEqual((yield* client.collections.update(renamed).pipe(performed)).title, "Of oak")

      const second = yield* client.products
        .create({ ...keyedIn(storeId), product: toProduct({ name: "Lamp" }) })
        .pipe(performed)
      const first = yield* client.products.list({ storeId, limit: 1 })
      assert.deepStrictEqual(first, { items: [changed], nextCursor: product.id })
      const rest = yield* client.products.list({ storeId, cursor: product.id })
      assert.deepStrictEqual(rest, { items: [second], nextCursor: null })

      for (const { id } of [product, second]) {
        const deleted = yield* client.products.delete({ ...keyedIn(storeId), id }).pipe(performed)
        assert.deepStrictEqual(deleted, { id, deleted: true })
      }
      const deletedCollection = yield* client.collections
        .delete({ ...keyedIn(storeId), id: collection.id })
        .pipe(performed)
      assert.deepStrictEqual(deletedCollection, { id: collection.id, deleted: true })
      assert.deepInclude(yield* client.store.get({ storeId }), { id: storeId, name: "A store", productCount: 0 })
    })
  )

  it.effect("a repeated write returns the stored response byte for byte; each merchant has their own keys", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      const other = yield* memberOf(storeId)
      const payload = { ...keyedIn(storeId), product: { name: "Cup", price: 3 } }
      const body = callLine("products.create", payload)
      const { text } = yield* post(body, { cookie })
      assert.strictEqual([...exitsOf(text).values()][0]?._tag, "Success")

      const reordered = JSON.stringify({
        ...JSON.parse(body),
        payload: Object.fromEntries(Object.entries(payload).toReversed())
      })
      const repeated = yield* Effect.all(
        [post(body, { cookie }), post(body, { cookie }), post(reordered, { cookie })],
        {
          concurrency: "unbounded"
        }
      )
      for (const response of repeated) assert.strictEqual(response.text, text)

      const { text: otherText } = yield* post(body, { cookie: other.cookie })
      assert.notStrictEqual(otherText, text)
      assert.strictEqual([...exitsOf(otherText).values()][0]?._tag, "Success")

      const sql = yield* SqlClient.SqlClient
      const entries =
        yield* sql`select surface, actor_type, idempotency_key from journal where store_id = ${storeId} and version is not null`
      const entry = { surface: "rpc", actor_type: "merchant", idempotency_key: payload.idempotencyKey }
      assert.deepStrictEqual(entries, [entry, entry])
    })
  )

  it.effect("a key reused with another payload or another procedure fails with KeyReused", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const key = keyedIn(storeId)
      const { id } = yield* client.products.create({ ...key, product: toProduct({ name: "Cup" }) }).pipe(performed)
      const other = yield* Effect.flip(client.products.create({ ...key, product: toProduct({ name: "Mug" }) }))
      assert.strictEqual(other._tag, "KeyReused")
      const deletion = { ...keyedIn(storeId), id }
      yield* client.products.delete(deletion)
      assert.strictEqual(
        errorOf((yield* post(callLine("collections.delete", deletion), { cookie })).text)?.["_tag"],
        "KeyReused"
      )
    })
  )

  it.effect("a stale expectedVersion fails with VersionMismatch and the current version", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const { id } = yield* client.products
        .create({ ...keyedIn(storeId), product: toProduct({ name: "Cup" }) })
        .pipe(performed)
      yield* client.products.update({ ...keyedIn(storeId), id, patch: { stock: 2 }, expectedVersion: 1 })
      const stale = { ...keyedIn(storeId), id, expectedVersion: 1 }
      const calls = [
        Effect.asVoid(client.products.update({ ...stale, patch: { stock: 3 } })),
        Effect.asVoid(client.products.delete(stale))
      ]
      for (const call of calls) {
        const error = yield* Effect.flip(call)
        assert.deepInclude(error, { _tag: "VersionMismatch", current: 2 })
        assert.match(error.message, /its version is 2/)
      }
    })
  )

  it.effect("a number is accepted if a double prints as the same value, and the others fail with their paths", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      const create = (number: string) => {
        const payload = { ...keyedIn(storeId), product: { name: "Gold", price: "@", variants: [{}, { price: "@" }] } }
        return post(callLine("products.create", payload).replaceAll('"@"', number), { cookie })
      }
      for (const [number, value] of HELD) {
        const { text } = yield* create(number)
        assert.include(text, `"price":${value},`, number)
        assert.match(text, new RegExp(`"variants":.*"price":${value}[,}]`), number)
      }
      for (const number of NOT_HELD) {
        assert.include(
          (yield* create(number)).text,
          `"issues":["product.price: ${NOT_A_DOUBLE}","product.variants.1.price: ${NOT_A_DOUBLE}"]`,
          number
        )
      }
    })
  )

  it.effect("a body of 16 calls returns one result per id, in order", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      const ids = Array.from({ length: 16 }, (_, index) => String(index))
      const lines = ids.map((id) => callLine("products.create", { ...keyedIn(storeId), product: { name: id } }, { id }))
      const exits = exitsOf((yield* post(lines.join(""), { cookie })).text)
      assert.deepStrictEqual([...exits.keys()], ids)
      for (const [id, exit] of exits) assert.deepInclude(exit._tag === "Success" ? exit.value : {}, { name: id })
    })
  )
})
