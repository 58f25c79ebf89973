import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { StoreId } from "../../../src/domain/Store.ts"
import { IsolatedApiTest, dataOf, freshClient, type Resource } from "../../support/http/Api.ts"

const Side = Schema.NullOr(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const rowsOf = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      id: Schema.String,
      at: Schema.Date,
      actorType: Schema.String,
      actorId: Schema.String,
      surface: Schema.String,
      key: Schema.NullOr(Schema.String),
      hops: Schema.Int,
      resource: Schema.String,
      resourceId: Schema.String,
      version: Schema.Int,
      before: Side,
      after: Side,
      omitted: Schema.Array(Schema.String)
    })
  )
)

/** Returns the entries of a store, oldest first. */
const entriesOf = Effect.fn(function* (storeId: StoreId) {
  const sql = yield* SqlClient.SqlClient
  return rowsOf(
    yield* sql`
      select
        id, at, actor_type as "actorType", actor_id as "actorId", surface, idempotency_key as key, hops, resource,
        resource_id as "resourceId", version, before, after, omitted
      from journal where store_id = ${storeId} and version is not null order by id
    `
  )
})

/** Returns the diff of each entry of a store. */
const changesOf = (storeId: StoreId) =>
  Effect.map(entriesOf(storeId), (entries) => entries.map(({ after, before, omitted }) => ({ before, after, omitted })))

const pick = (resource: Resource, ...names: ReadonlyArray<string>): Resource =>
  Object.fromEntries(names.map((name) => [name, resource[name]]))

/** Returns the diff of a change to the named members. Removed members are absent from `after`. */
const updated = (
  before: Resource,
  after: Resource,
  names: ReadonlyArray<string>,
  removed: ReadonlyArray<string> = []
): Resource => ({
  before: pick(before, ...names),
  after: pick(after, ...names.filter((name) => !removed.includes(name))),
  omitted: []
})

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Journal", (it) => {
  it.effect("an entry has the id, time and hops of the event of the same change", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, storeId } = yield* freshClient()
      const { id } = dataOf(yield* client.post("/products", { name: "Cup" }))
      const [event] = yield* entriesOf(storeId)
      yield* client.patch(`/products/${id}`, { price: 1 }, { headers: { "x-service-event-id": event?.id ?? "" } })
      const same = yield* sql`
        select j.hops from journal j join events e using (store_id, id)
        where store_id = ${storeId} and j.at = e.occurred_at and j.hops = e.hops order by id
      `
      assert.deepStrictEqual(same, [{ hops: 0 }, { hops: 1 }])
    })
  )

  it.effect("each write of a collection has an entry, with productIds while the collection is manual", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const cup = String(dataOf(yield* client.post("/products", { name: "Cup" }))["id"])
      const mug = String(dataOf(yield* client.post("/products", { name: "Mug" }))["id"])
      const created = dataOf(yield* client.post("/collections", { title: "Hand", productIds: [cup] }))
      const path = `/collections/${created["id"]}`
      const titled = dataOf(yield* client.patch(path, { title: "By hand" }))
      const filled = dataOf(yield* client.patch(path, { productIds: [mug, cup] }))
      const swapped = dataOf(yield* client.patch(path, { productIds: [cup, mug] }))
      const rules = [{ field: "title", relation: "equals", value: "Cup" }]
      const withRules = dataOf(yield* client.patch(path, { type: "automated", rules }))
      const restored = dataOf(yield* client.patch(path, { type: "manual" }))
      yield* client.delete(path)

      const entries = (yield* entriesOf(storeId)).filter(({ resource }) => resource === "collection")
      const common = ["version", "updatedAt"]
      const members = ["productIds", "productCount"]
      const automated = updated(swapped, withRules, ["version", "type", "rules", "updatedAt", ...members], members)
      const manual = updated(restored, withRules, ["version", "type", "updatedAt", ...members], members)
      assert.deepStrictEqual<ReadonlyArray<unknown>>(
        entries.map(({ after, before, omitted }) => ({ before, after, omitted })),
        [
          { before: null, after: created, omitted: [] },
          updated(created, titled, ["version", "title", "updatedAt"]),
          updated(titled, filled, [...common, ...members]),
          updated(filled, swapped, [...common, "productIds"]),
          automated,
          { ...manual, before: manual["after"], after: manual["before"] },
          { before: restored, after: null, omitted: [] }
        ]
      )
      assert.deepStrictEqual(
        entries.map(({ version }) => version),
        [1, 2, 3, 4, 5, 6, 6]
      )
    })
  )

  it.effect("entries of an automated collection omit its matching products", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const rules = [{ field: "price", relation: "less_than", value: 5 }]
      const response = dataOf(yield* client.post("/collections", { title: "Cheap", rules }))
      const created = pick(response, ...Object.keys(response).filter((name) => !name.startsWith("product")))
      yield* client.delete(`/collections/${created["id"]}`)
      assert.deepStrictEqual(yield* changesOf(storeId), [
        { before: null, after: created, omitted: [] },
        { before: created, after: null, omitted: [] }
      ])
    })
  )

  it.effect("values that are too large are left out and listed in omitted", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const long = "x".repeat(65_535)
      const created = dataOf(yield* client.post("/products", { name: "Cup", description: long }))
      const path = `/products/${created["id"]}`
      const updated = dataOf(yield* client.patch(path, { price: 1, description: "short" }))
      const [first, second] = yield* changesOf(storeId)
      const { description: _, ...rest } = created
      assert.deepStrictEqual(first, { before: null, after: rest, omitted: ["description"] })
      const names = ["version", "price", "updatedAt"]
      assert.deepStrictEqual(second, {
        before: pick(created, ...names),
        after: pick(updated, ...names),
        omitted: ["description"]
      })
    })
  )

  it.effect("no-ops, replays and rejected writes have no entry", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const once = { key: "once" }
      const product = dataOf(yield* client.post("/products", { name: "Cup" }, once))
      yield* client.post("/products", { name: "Cup" }, once)
      const collection = dataOf(yield* client.post("/collections", { title: "Hand", productIds: [product["id"]] }))
      const [path, other] = [`/products/${product["id"]}`, `/collections/${collection["id"]}`]
      const stale = { headers: { "if-match": '"9"' } }
      const answers = [
        yield* client.patch(path, product),
        yield* client.patch(other, collection),
        yield* client.patch(path, { price: -1 }),
        yield* client.patch(path, { price: 1 }, stale),
        yield* client.patch(other, { title: "Other" }, stale),
        yield* client.delete(path, stale),
        yield* client.delete(other, stale),
        yield* client.delete(`/products/${randomUUID()}`),
        yield* client.patch(other, { productIds: [randomUUID()] }),
        yield* client.post("/products", { name: "Mug" }, once)
      ]
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, 400, 412, 412, 412, 412, 404, 422, 409]
      )
      assert.lengthOf(yield* entriesOf(storeId), 2)
    })
  )

  it.effect("a write whose entry cannot be stored is rolled back with 500 and can be retried with the same key", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, storeId } = yield* freshClient()
      const product = dataOf(yield* client.post("/products", { name: "Cup" }))
      const collection = dataOf(yield* client.post("/collections", { title: "Hand" }))
      yield* sql`
        create function refuse_entry() returns trigger language plpgsql as $$ begin raise 'no room for entries'; end $$
      `
      // DDL does not accept parameters. The store id is safe to inline, because the database generates it.
      yield* sql.unsafe(`
        create trigger refuse before insert on journal for each row
        when (new.store_id = '${storeId}') execute function refuse_entry()
      `)
      const [path, other] = [`/products/${product["id"]}`, `/collections/${collection["id"]}`]
      const writes = () =>
        Effect.all([
          client.post("/products", { name: "Mug" }, { key: "create" }),
          client.patch(path, { price: 9 }, { key: "update" }),
          client.patch(other, { title: "By hand" }, { key: "title" }),
          client.delete(other, { key: "empty" }),
          client.delete(path, { key: "delete" })
        ])
      for (const { json, status } of yield* writes()) {
        assert.strictEqual(status, 500)
        assert.deepStrictEqual(json, { error: "Internal error" })
      }
      assert.deepStrictEqual((yield* client.get("/products")).json, { products: [product], nextCursor: null })
      assert.deepStrictEqual((yield* client.get("/collections")).json, { collections: [collection], nextCursor: null })
      assert.lengthOf(yield* entriesOf(storeId), 2)

      yield* sql`drop trigger refuse on journal`
      assert.deepStrictEqual(
        (yield* writes()).map(({ status }) => status),
        [201, 200, 200, 200, 200]
      )
      assert.lengthOf(yield* entriesOf(storeId), 7)
    })
  )
})
