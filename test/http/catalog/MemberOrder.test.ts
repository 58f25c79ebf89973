import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Product } from "../../../src/domain/catalog/Product.ts"
import { ChangeSet } from "../../../src/domain/changeSets/ChangeSet.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { baseUrl } from "../../support/http/Api.ts"
import { JobsTest, waitForState } from "../../support/http/ChangeSets.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"

const VARIANTS = [
  "Handle,Title,Option1 Name,Option1 Value,Variant Price,Variant SKU",
  "tray,Tray,Size,Small,12.5,TRAY-S",
  "tray,,,Large,20,TRAY-L"
].join("\n")

const VARIANT_MEMBERS = "id title sku barcode price discountedPrice costPrice stock options imageUrl".split(" ")

const decodeSet = Schema.decodeUnknownSync(Schema.Struct({ data: ChangeSet }))
const Names = Schema.Array(Schema.String)
const decodeNames = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ members: Names, variants: Schema.Array(Names) }))
)

/** Checks that the members of an object are in the order of the schema. */
const assertOrder = (found: ReadonlyArray<string>, order: ReadonlyArray<string>) =>
  assert.deepStrictEqual(
    found,
    order.filter((name) => found.includes(name))
  )

layer(JobsTest, { excludeTestServices: true, timeout: "60 seconds" })("Order of members", (it) => {
  it.effect("members of products and variants have the same order after an import, a create and a patch", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const settings = { kind: "products", format: "shopify" }
      const url = `${yield* baseUrl}/rpc/imports?import=${encodeURIComponent(JSON.stringify({ storeId, settings }))}`
      const headers = { cookie, "content-type": "application/octet-stream" }
      const sent = yield* Effect.promise(() => fetch(url, { method: "POST", headers, body: VARIANTS }))
      const { data } = decodeSet(yield* Effect.promise(() => sent.json()))
      yield* waitForState(data.id, "applied")
      const created = yield* performed(
        client.products.create({
          storeId,
          product: {
            variants: [{ stock: 1, options: { Size: "S" }, price: 2, title: "S" }],
            options: [{ name: "Size", values: ["S"] }],
            name: "Bowl"
          },
          idempotencyKey: newKey()
        })
      )
      const { id } = created
      const [variant] = created.variants
      yield* performed(
        client.products.update({
          storeId,
          id,
          patch: { variants: [{ sku: "B", barcode: "1", id: variant?.id ?? "" }] },
          idempotencyKey: newKey()
        })
      )
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`
        select array(select json_object_keys(document)) as members, (
          select json_agg(array(select json_object_keys(v))) from json_array_elements(document -> 'variants') as v
        ) as variants from products where store_id = ${storeId}
      `
      const products = decodeNames(rows)
      assert.strictEqual(products.flatMap(({ variants }) => variants).length, 3)
      for (const { members, variants } of products) {
        assertOrder(members, Object.keys(Product.fields))
        for (const variant of variants) assertOrder(variant, VARIANT_MEMBERS)
      }
    })
  )
})
