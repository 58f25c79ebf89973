import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiTest, errorOf, freshClient } from "../../support/http/Api.ts"
import {
  relativeCosts,
  INVALID_COLLECTIONS,
  INVALID_PRODUCTS,
  MAX_RELATIVE_COST,
  MANY_PARTS,
  TOO_MANY_PARTS,
  VALID_PRODUCT
} from "../../support/http/InvalidBodies.ts"

const STRICT = { headers: { prefer: "handling=strict" } }

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Limits of JSON bodies", (it) => {
  it.effect("an invalid body of 1 MiB gets 400 with at most 100 issues and costs at most 4 times a valid one", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const bodies = [
        ...Object.entries({ ...INVALID_PRODUCTS, ...MANY_PARTS }).map(([name, body]) => ({
          name,
          body,
          path: "/products"
        })),
        ...Object.entries(INVALID_COLLECTIONS).map(([name, body]) => ({ name, body, path: "/collections" }))
      ]
      const cost = yield* relativeCosts(client.post("/products", VALID_PRODUCT), bodies, ({ body, name, path }) =>
        Effect.map(client.post(path, body.json, STRICT), (refused) => {
          assert.strictEqual(refused.status, 400, name)
          const { issues = [] } = errorOf(refused)
          assert.isAtMost(issues.length, 100, name)
          assert.match(issues.at(-1) ?? "", new RegExp(body.last), name)
        })
      )
      assert.isBelow(cost, MAX_RELATIVE_COST)
    })
  )

  it.effect("a body may contain 40,000 keys, objects and arrays in total; more get 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const thousand = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, n]))
      const metafields = Array.from({ length: 39 }, () => thousand)
      assert.strictEqual((yield* client.post("/products", { name: "x", metafields })).status, 201)
      assert.strictEqual((yield* client.post("/products", { name: "x", metafields: { a: metafields } })).status, 201)
      const rejected = yield* client.post("/products", { name: "x", metafields: [...metafields, thousand] })
      assert.deepStrictEqual(errorOf(rejected).issues, [TOO_MANY_PARTS])
      const colonsAndItems = { text: ":".repeat(100_000), list: Array.from({ length: 20_000 }, () => '":"') }
      assert.strictEqual((yield* client.post("/products", { name: "x", metafields: colonsAndItems })).status, 201)
    })
  )
})
