import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiTest, errorOf, freshClient } from "../../support/http/Api.ts"

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Query parameters", (it) => {
  it.effect("decodes parameters, ignores unknown ones and rejects repeated or malformed ones with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      assert.strictEqual((yield* client.get("/products?limit=%35&x=1&__proto__=2&=3")).status, 200)
      for (const query of ["limit=5&limit=5", "limit&cursor=1&limit=2", "limit=%", "limit="]) {
        assert.strictEqual((yield* client.get(`/products?${query}`)).status, 400, query)
      }
    })
  )

  it.effect("a query of 15 kB is handled like a short one", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const unknownParams = "a&".repeat(7500)
      assert.strictEqual((yield* client.get(`/products?${unknownParams}limit=5`)).status, 200)
      const rejected = yield* client.get(`/products?${unknownParams}limit=0`)
      assert.strictEqual(rejected.status, 400)
      assert.lengthOf(errorOf(rejected).issues ?? [], 1)
    })
  )
})
