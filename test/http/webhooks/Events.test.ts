import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreId } from "../../../src/domain/Store.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import { IsolatedApiTest, dataOf, freshClient, install } from "../../support/http/Api.ts"

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const rowsOf = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      id: Schema.String,
      kind: Schema.String,
      actorType: Schema.String,
      origin: Schema.NullOr(Schema.String),
      resourceId: Schema.String,
      resourceVersion: Schema.Int,
      payload: Schema.String
    })
  )
)

/** The events of a store, oldest first. */
const eventsOf = Effect.fn(function* (storeId: StoreId) {
  const sql = yield* SqlClient.SqlClient
  return rowsOf(
    yield* sql`
      select
        id, kind, actor_type as "actorType", origin_installation_id as origin, resource_id as "resourceId",
        resource_version as "resourceVersion", payload
      from events where store_id = ${storeId} order by id
    `
  )
})

const payloadsOf = (storeId: StoreId) =>
  Effect.map(eventsOf(storeId), (rows) => rows.map(({ payload }): unknown => JSON.parse(payload)))

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Events of products", (it) => {
  it.effect("a create and an update emit catalog.product.updated.v1 with the product of the response", () =>
    Effect.gen(function* () {
      const { client, installation, storeId } = yield* freshClient()
      const body = { name: "Cup", variants: [{ price: 1 }], metafields: { a: { b: null } } }
      const created = dataOf(yield* client.post("/products", body))
      const updated = dataOf(yield* client.patch(`/products/${created["id"]}`, { price: 2 }))

      const rows = yield* eventsOf(storeId)
      const payloads = yield* payloadsOf(storeId)
      assert.deepStrictEqual<ReadonlyArray<unknown>>(
        payloads,
        [created, updated].map((product, n) => ({
          id: rows[n]?.id,
          kind: "catalog.product.updated.v1",
          occurredAt: product["updatedAt"],
          storeId,
          actor: { type: "app" },
          originInstallationId: installation.id,
          hops: 0,
          data: { product }
        }))
      )
      for (const [n, { id, payload: _, ...row }] of rows.entries()) {
        assert.match(id, UUID_V7)
        assert.deepStrictEqual(row, {
          kind: "catalog.product.updated.v1",
          actorType: "app",
          origin: installation.id,
          resourceId: String(created["id"]),
          resourceVersion: n + 1
        })
      }
      assert.strictEqual(rows.length, 2)
    })
  )

  it.effect("the payload contains the exact JSON text of the product", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const body = '{"name":"Cup","price":0.12345678901234568,"stock":1e3,"metafields":{"é":"\\u2028"}}'
      const { text } = yield* client.post("/products", body)
      const product = text.slice('{"data":'.length, -1)
      const [row] = yield* eventsOf(storeId)
      assert.isTrue(row?.payload.endsWith(`"data":{"product":${product}}}`), row?.payload)
    })
  )

  it.effect("a rejected write emits no event", () =>
    Effect.gen(function* () {
      yield* changeGlobally((sql) => sql`insert into plans (name, product_limit) values ('pair', 2)`)
      const { client, storeId } = yield* freshClient({ plan: "pair" })
      const reader = yield* install(storeId, { scopes: ["read_products"] })
      const { id } = dataOf(yield* client.post("/products", { name: "Cup" }, { key: "used" }))
      yield* client.post("/products", { name: "Mug" })
      const path = `/products/${id}`
      const rejected = [
        yield* client.post("/products", { name: "" }),
        yield* client.patch(path, "{"),
        yield* client.patch("/products/none", { price: 1 }),
        yield* client.patch(path, { price: 1 }, { key: null }),
        yield* reader.client.patch(path, { price: 1 }),
        yield* client.post("/products", { name: "One too many" }),
        yield* client.patch("/products/01890a5d-ac96-774b-bcce-b302099a8057", { price: 1 }),
        yield* client.post("/products", { name: "Other" }, { key: "used" }),
        yield* client.patch(path, { price: 1 }, { headers: { "if-match": '"9"' } }),
        yield* client.patch(path, { slug: "mug" }),
        yield* client.patch(path, { price: 1, colour: "red" }, { headers: { prefer: "handling=strict" } })
      ]
      assert.deepStrictEqual(
        rejected.map(({ status }) => status),
        [400, 400, 400, 400, 403, 403, 404, 409, 412, 422, 400]
      )
      assert.strictEqual((yield* eventsOf(storeId)).length, 2)
    })
  )
})
