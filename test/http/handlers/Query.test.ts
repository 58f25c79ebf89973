import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiTest, errorOf, freshClient } from "../../support/http/Api.ts"
import { callTool, freshAgent } from "../../support/rpc/Mcp.ts"
import { callLine, newKey, post } from "../../support/rpc/Rpc.ts"

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Query parameters", (it) => {
  it.effect("decodes parameters, and refuses unknown, repeated and malformed ones with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      assert.strictEqual((yield* client.get("/products?limit=%35")).status, 200)
      for (const query of [
        "limit=5&x=1",
        "__proto__=2",
        "=3",
        "limit=5&limit=5",
        "limit&cursor=1&limit=2",
        "limit=%",
        "limit="
      ]) {
        assert.strictEqual((yield* client.get(`/products?${query}`)).status, 400, query)
      }
    })
  )

  it.effect("a query of 15 kB is handled like a short one", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      assert.strictEqual((yield* client.get(`/products?${"&".repeat(15_000)}limit=5`)).status, 200)
      const rejected = yield* client.get(`/products?${"a&".repeat(7500)}limit=5`)
      assert.strictEqual(rejected.status, 400)
      assert.lengthOf(errorOf(rejected).issues ?? [], 1)
    })
  )

  it.effect("issues describe a wrong type in plain words on every surface", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const repeated = errorOf(yield* client.get("/products?limit=1&limit=2"))
      assert.deepStrictEqual(repeated.issues, ["limit: must be given once"])
      const { cookie, storeId, token } = yield* freshAgent()
      const wrong: ReadonlyArray<unknown> = ["text", 1, true, null, [], [[]]]
      for (const value of wrong) {
        const fields = ["media", "options", "variants", "metafields", "customFields", "dimensions", "tags", "faqs"]
        for (const field of fields) {
          const { text } = yield* client.post("/products", { name: "Cup", [field]: value, [`${field}x`]: 1 })
          assert.notInclude(text, "Expected", `${field} ${JSON.stringify(value)}`)
        }
        const payload = { storeId, idempotencyKey: newKey(), product: value }
        const { text } = yield* post(callLine("products.create", payload), { cookie })
        assert.include(text, "product: must be an object")
        assert.notInclude(text, "Expected")
        const tool = yield* callTool(token, "products_create", { idempotencyKey: newKey(), product: value })
        assert.include(JSON.stringify(tool), "product: must be an object")
        assert.notInclude(JSON.stringify(tool), "Expected")
      }
    })
  )
})
