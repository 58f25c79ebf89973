import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { LARGE_RESPONSE, MAX_LARGE_RESPONSES } from "../../../src/domain/Idempotency.ts"
import { ApiTest, errorOf, freshClient, install, pageOf } from "../../support/http/Api.ts"

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Stored responses", (it) => {
  it.effect(
    "limits the total size of stored large responses to 256 MiB per installation; other writes still succeed",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { client, installation, storeId } = yield* freshClient()
        const { client: other } = yield* install(storeId)
        const large = { name: "Cup", description: "x".repeat(LARGE_RESPONSE) }
        const first = yield* client.post("/products", large, { key: "first" })
        const storedSizes = sql`select bytes from large_responses where actor_id = ${installation.id}`
        const stored = sql`select octet_length(outcome) as bytes from idempotency_records where actor_id = ${installation.id}`
        assert.deepStrictEqual(yield* storedSizes, yield* stored)
        yield* sql`
        update large_responses set bytes = ${MAX_LARGE_RESPONSES - LARGE_RESPONSE} where actor_id = ${installation.id}
      `

        const rejected = yield* client.post("/products", large, { key: "second" })
        assert.strictEqual(rejected.status, 422)
        assert.include(errorOf(rejected).error, "256 MiB")
        assert.lengthOf(pageOf(yield* client.get("/products")).items, 1)
        assert.strictEqual((yield* client.post("/products", large, { key: "first" })).text, first.text)
        assert.strictEqual((yield* client.post("/products", { name: "Small" })).status, 201)
        assert.strictEqual((yield* other.post("/products", large)).status, 201)

        yield* sql`
        update large_responses set expires_at = clock_timestamp() where actor_id = ${installation.id}
      `
        assert.strictEqual((yield* client.post("/products", large, { key: "second" })).status, 201)
      })
  )
})
