import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { ApiTest, baseUrl, errorOf, freshClient, makeApp, makeClient, makeStore } from "../../support/http/Api.ts"
import { installing } from "../../support/data/Writes.ts"

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Operator changes", (it) => {
  it.effect("requests to a deleted store return 404; other stores are unaffected", () =>
    Effect.gen(function* () {
      const stores = yield* Stores
      const [deleted, other] = [yield* freshClient(), yield* freshClient()]
      yield* stores.delete(deleted.storeId)
      const refused = [yield* deleted.client.get("/products"), yield* deleted.client.post("/products", { name: "Cup" })]
      for (const response of refused) {
        assert.strictEqual(response.status, 404)
        assert.deepStrictEqual(errorOf(response), { error: "The store was not found" })
      }
      assert.strictEqual((yield* other.client.get("/products")).status, 200)
    })
  )

  it.effect("revoked tokens return 401 at once, and a newly issued token works", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const { client, installation } = yield* freshClient()
      assert.strictEqual((yield* client.get("/products")).status, 200)
      yield* tokens.revoke(installation.id)
      assert.strictEqual((yield* client.get("/products")).status, 401)
      const { token } = yield* tokens.issue(installation)
      const renewed = makeClient(yield* baseUrl, Redacted.value(token))
      assert.strictEqual((yield* renewed.get("/products")).status, 200)
    })
  )

  it.effect("reinstalling an app keeps its idempotency keys and its existing tokens", () =>
    Effect.gen(function* () {
      const { install } = yield* installing
      const tokens = yield* Tokens
      const storeId = yield* makeStore()
      const appId = yield* makeApp()
      const installApp = Effect.gen(function* () {
        const { token } = yield* tokens.issue(yield* install({ storeId, appId, ...ALL_GRANTS }))
        return makeClient(yield* baseUrl, Redacted.value(token))
      })
      const before = yield* installApp
      const created = yield* before.post("/products", { name: "Cup" }, { key: "cup" })
      const after = yield* installApp
      const replayed = yield* after.post("/products", { name: "Cup" }, { key: "cup" })
      assert.strictEqual(replayed.text, created.text)
      assert.strictEqual(replayed.headers.get("idempotent-replayed"), "true")
      assert.strictEqual((yield* before.get("/products")).status, 200)
    })
  )
})
