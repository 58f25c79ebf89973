import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiTest, errorOf, freshClient } from "../../support/http/Api.ts"

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("A query", (it) => {
  it.effect("is decoded, refused if a parameter is repeated, and ignores unknown parameters", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      assert.strictEqual((yield* client.get("/products?limit=%35&x=1&__proto__=2&=3")).status, 200)
      for (const query of ["limit=5&limit=5", "limit&cursor=1&limit=2", "limit=%", "limit="]) {
        assert.strictEqual((yield* client.get(`/products?${query}`)).status, 400, query)
      }
    })
  )

  it.effect("of 15 KB is answered like a short one", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const many = "a&".repeat(7500)
      assert.strictEqual((yield* client.get(`/products?${many}limit=5`)).status, 200)
      const refused = yield* client.get(`/products?${many}limit=0`)
      assert.strictEqual(refused.status, 400)
      assert.lengthOf(errorOf(refused).issues ?? [], 1)
    })
  )
})
