import { assert, layer } from "@effect/vitest"
import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { MAX_VIEWS, type View, type ViewId, ViewInput } from "../../../src/domain/views/Views.ts"
import { type Client, performed } from "../../../src/rpc/Client.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { agentOf, callLine, errorOf, freshMember, memberOf, newKey, post } from "../../support/rpc/Rpc.ts"

const toView = Schema.decodeUnknownSync(ViewInput)
const toProduct = Schema.decodeUnknownSync(CreateProduct)

const RULES = [{ field: "price", relation: "less_than", value: 25 }]

const viewOf = (changes: object = {}) => ({
  resource: "products",
  name: "Cheap",
  query: { rules: RULES, sort: "-price" },
  columns: ["name", "price"],
  isShared: true,
  ...changes
})

const create = (client: Client, storeId: StoreId, changes?: object) =>
  client.views.create({ storeId, idempotencyKey: newKey(), view: toView(viewOf(changes)) })

const refusesName = (attempt: Effect.Effect<View, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(attempt), ({ _tag }) => assert.strictEqual(_tag, "ViewNameTaken"))

const namesOf = (views: ReadonlyArray<View>) => views.map(({ name }) => name)

/** Two members of a store. */
const scene = Effect.gen(function* () {
  const { client, cookie, storeId } = yield* freshMember()
  const { client: other, merchantId: otherId } = yield* memberOf(storeId, "staff")
  return { client, cookie, other, otherId, storeId }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Views", (it) => {
  it.effect("a shared view is visible to all members, a private one only to its owner", () =>
    Effect.gen(function* () {
      const { client, other, storeId } = yield* scene
      const shared = yield* create(client, storeId)
      const { id } = shared
      assert.deepStrictEqual<object>(Struct.omit(shared, ["id", "createdAt", "updatedAt"]), viewOf())
      const own = yield* create(client, storeId, { name: "Mine", isShared: false })
      assert.deepStrictEqual(yield* client.views.list({ storeId }), [shared, own])
      assert.deepStrictEqual(yield* other.views.list({ storeId }), [shared])
      const hidden = { storeId, idempotencyKey: newKey(), id: own.id }
      const failures = [
        yield* Effect.flip(other.views.delete(hidden)),
        yield* Effect.flip(other.views.update({ ...hidden, view: toView(viewOf({ name: "Theirs" })) })),
        yield* Effect.flip(other.views.toCollection(hidden))
      ]
      for (const failure of failures) assert.deepInclude(failure, { _tag: "ViewNotFound", id: own.id })
      assert.deepStrictEqual(yield* other.views.delete({ ...hidden, idempotencyKey: newKey(), id }), {
        id,
        deleted: true
      })
      assert.deepStrictEqual(yield* client.views.list({ storeId }), [own])
    })
  )

  it.effect("views of another store are neither listed nor changed", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* scene
      const view = yield* create(client, storeId)
      const stranger = yield* freshMember()
      assert.deepStrictEqual(yield* stranger.client.views.list({ storeId: stranger.storeId }), [])
      const target = { storeId: stranger.storeId, idempotencyKey: newKey(), id: view.id }
      assert.strictEqual((yield* Effect.flip(stranger.client.views.delete(target)))._tag, "ViewNotFound")
      assert.deepStrictEqual(yield* client.views.list({ storeId }), [view])
    })
  )

  it.effect("an update replaces a view, and a shared view that becomes private belongs to who changes it", () =>
    Effect.gen(function* () {
      const { client, other, storeId } = yield* scene
      const { id } = yield* create(client, storeId)
      const next = {
        resource: "orders",
        name: "Large orders",
        query: { status: "completed", placedSince: "2026-01-31T09:30:00.000Z", sort: "-total" },
        columns: [],
        isShared: false
      }
      const update = { storeId, idempotencyKey: newKey(), id, view: toView(next) }
      assert.deepInclude<object>(yield* other.views.update(update), { id, ...next })
      assert.deepStrictEqual(yield* client.views.list({ storeId }), [])
      assert.deepStrictEqual(namesOf(yield* other.views.list({ storeId, resource: "orders" })), ["Large orders"])
      assert.deepStrictEqual(yield* other.views.list({ storeId, resource: "products" }), [])
    })
  )

  it.effect("a name is taken once per resource among shared views, and once among those of a member", () =>
    Effect.gen(function* () {
      const { client, other, storeId } = yield* scene
      const shared = yield* create(client, storeId, { name: "Sold out" })
      yield* refusesName(create(other, storeId, { name: "SOLD OUT" }))
      yield* create(client, storeId, { name: "Sold out", isShared: false })
      yield* create(other, storeId, { name: "Sold out", isShared: false })
      yield* refusesName(create(other, storeId, { name: "Sold out", isShared: false }))
      yield* create(client, storeId, { name: "Sold out", resource: "collections", query: {}, columns: [] })
      const second = yield* create(client, storeId, { name: "Second" })
      const rename = (id: ViewId) =>
        client.views.update({ storeId, idempotencyKey: newKey(), id, view: toView(viewOf({ name: "Sold out" })) })
      yield* refusesName(rename(second.id))
      assert.strictEqual((yield* rename(shared.id)).id, shared.id)
    })
  )

  it.effect("a write with a used key returns the first response, and a member who leaves loses private views", () =>
    Effect.gen(function* () {
      const { client, other, otherId, storeId } = yield* scene
      const request = { storeId, idempotencyKey: newKey(), view: toView(viewOf({ isShared: false })) }
      const first = yield* other.views.create(request)
      assert.deepStrictEqual(yield* other.views.create(request), first)
      yield* create(other, storeId, { name: "Shared" })
      yield* client.members.leave({ storeId, idempotencyKey: newKey(), merchantId: otherId })
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select name from views where store_id = ${storeId}`, [{ name: "Shared" }])
    })
  )

  it.effect("a store has at most 100 views", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* scene
      const first = yield* create(client, storeId)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into views (store_id, id, resource, name, query, columns)
        select store_id, gen_random_uuid(), resource, name || n, query, columns
        from views, generate_series(2, ${MAX_VIEWS}) as n where store_id = ${storeId}
      `
      assert.strictEqual((yield* Effect.flip(create(client, storeId, { name: "More" })))._tag, "ViewLimitReached")
      yield* client.views.delete({ storeId, idempotencyKey: newKey(), id: first.id })
      assert.strictEqual((yield* create(client, storeId, { name: "More" })).name, "More")
    })
  )

  it.effect("invalid views are refused with their path", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* scene
      const issuesOf = Effect.fn(function* (changes: object) {
        const payload = { storeId, idempotencyKey: randomUUID(), view: viewOf(changes) }
        return errorOf((yield* post(callLine("views.create", payload), { cookie })).text)?.["issues"]
      })
      assert.deepStrictEqual(yield* issuesOf({ query: { sort: "weight" }, columns: ["name", "weather"], name: " " }), [
        "view.name: must be text of 1 to 100 characters",
        "view.query.sort: must be one of name, -name, price, -price, stock, -stock, createdAt, -createdAt, updatedAt, -updatedAt",
        "view.columns.1: must be a field of the resource"
      ])
      assert.deepStrictEqual(yield* issuesOf({ resource: "agents" }), [
        "view: must have the resource products, collections, orders or customers"
      ])
      assert.deepStrictEqual(yield* issuesOf({ resource: "orders", query: { rules: RULES }, columns: [] }), [
        "view.query.rules: is not a field that can be set"
      ])
      const value = "x".repeat(250)
      const rules = Array.from({ length: 60 }, () => ({ field: "title", relation: "in", value: [value, value] }))
      assert.deepStrictEqual(yield* issuesOf({ query: { rules } }), [
        "view: must have at most 16,384 characters as JSON"
      ])
    })
  )

  it.effect("agents have no views", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const agent = yield* agentOf(member)
      const { storeId } = member
      assert.strictEqual((yield* Effect.flip(agent.client.views.list({ storeId })))._tag, "AgentRefused")
      assert.strictEqual((yield* Effect.flip(create(agent.client, storeId)))._tag, "AgentRefused")
    })
  )

  it.effect("a view of products becomes an automated collection with its name and rules", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* scene
      const add = (price: number) =>
        performed(
          client.products.create({ storeId, idempotencyKey: newKey(), product: toProduct({ name: "Cup", price }) })
        )
      const cheap = yield* add(20)
      yield* add(30)
      const { id } = yield* create(client, storeId)
      const convert = (view: ViewId) => client.views.toCollection({ storeId, idempotencyKey: newKey(), id: view })
      const collection = yield* performed(convert(id))
      assert.deepInclude(collection, { title: "Cheap", type: "automated", disjunctive: false, productIds: [cheap.id] })
      assert.deepStrictEqual<unknown>(collection.rules, RULES)
      const others = {
        resource: { resource: "customers", query: {}, columns: [] },
        search: { query: { rules: RULES, search: "cup" } },
        rules: { query: {} }
      }
      for (const [reason, changes] of Object.entries(others)) {
        const view = yield* create(client, storeId, { name: reason, ...changes })
        assert.deepInclude<object>(yield* Effect.flip(convert(view.id)), { _tag: "ViewNotConvertible", reason })
      }
    })
  )
})
