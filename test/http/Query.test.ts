import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { queryOf } from "../../src/http/Query.ts"
import { ApiTest, errorOf, freshClient } from "../support/Api.ts"

it("a parameter is text, one that was sent more than once a list in its order, one that nobody asks for nothing", () => {
  const names = ["limit", "cursor"]
  assert.deepStrictEqual(queryOf("", names), {})
  assert.deepStrictEqual(queryOf("limit=5&cursor=a%20b+c&x=1&__proto__=2&=3", names), { limit: "5", cursor: "a b c" })
  assert.deepStrictEqual(queryOf("limit&cursor=1&limit=2", names), { limit: ["", "2"], cursor: "1" })
})

// Looking through all of them for each of them takes 10,000,000,000 steps: minutes, where one pass takes milliseconds.
it("many parameters are read in one pass, of one name or each of its own", () => {
  const values = Array.from({ length: 100_000 }, (_, index) => String(index))
  const limits = values.map((value) => `limit=${value}`).join("&")
  assert.deepStrictEqual(queryOf(limits, ["limit"]), { limit: values })
  const others = values.map((value) => `a${value}&a`).join("&")
  assert.deepStrictEqual(queryOf(`${others}&limit=5`, ["limit", "cursor"]), { limit: "5" })
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("A query of 15 KB", (it) => {
  it.effect("is answered like a short one", () =>
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
