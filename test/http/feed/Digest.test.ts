import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { Digest } from "../../../src/domain/journal/Digest.ts"
import { DigestTimeout } from "../../../src/layers/journal/Digest.ts"
import {
  type Answer,
  ApiTest,
  type Client,
  errorOf,
  freshClient,
  install,
  IsolatedApiTest,
  pageOf,
  type Resource
} from "../../support/http/Api.ts"
import { agentOf, memberOf } from "../../support/rpc/Rpc.ts"

const decode = Schema.decodeUnknownSync(Schema.Struct({ data: Digest }), { onExcessProperty: "error" })

const digestOf = (answer: Answer) => {
  assert.strictEqual(answer.status, 200, answer.text)
  return decode(answer.json).data
}

/** Computes a digest as the documentation describes it. */
const expected = (rows: ReadonlyArray<Resource>) => {
  const xor = rows.reduce((xor, { id, version }) => {
    const hash = createHash("sha256")
      .update(`${String(id)}:${String(version)}`)
      .digest("hex")
    return xor ^ BigInt(`0x${hash.slice(0, 16)}`)
  }, 0n)
  return { count: rows.length, digest: xor.toString(16).padStart(16, "0") }
}

const listAll = (client: Client, path: string) =>
  Effect.map(client.get(`${path}?limit=200`), (answer) => pageOf(answer).items)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Digest", (it) => {
  it.effect("is the XOR of the hashes of the rows, in total and in 256 ranges of ids", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { client: other } = yield* freshClient()
      yield* other.post("/products", { name: "Of another store" })
      for (const resource of ["products", "collections"] as const) {
        assert.include(digestOf(yield* client.get(`/digest?resource=${resource}`)), { ...expected([]), resource })
        for (let n = 0; n < 8; n++) yield* client.post(`/${resource}`, { name: "Cup", title: "Cups" })
        const [first] = yield* listAll(client, `/${resource}`)
        const path = `/${resource}/${String(first?.["id"])}`
        yield* client.patch(path, { name: "Mug", title: "Mugs" })
        const rows = yield* listAll(client, `/${resource}`)
        const digest = digestOf(yield* client.get(`/digest?resource=${resource}`))
        assert.include(digest, { ...expected(rows), resource })
        assert.lengthOf(digest.ranges, 256)
        for (const [index, range] of digest.ranges.entries()) {
          const name = index.toString(16).padStart(2, "0")
          const inRange = rows.filter(({ id }) => String(id).endsWith(name))
          assert.deepStrictEqual(range, { range: name, ...expected(inRange) })
        }
        yield* client.delete(path)
        assert.include(
          digestOf(yield* client.get(`/digest?resource=${resource}`)),
          expected(yield* listAll(client, `/${resource}`))
        )
      }
    })
  )

  it.effect("needs the scope of its resource, and a known resource", () =>
    Effect.gen(function* () {
      const { storeId } = yield* freshClient()
      const { client } = yield* install(storeId, { scopes: ["read_products"] })
      const refused = yield* client.get("/digest?resource=collections")
      assert.strictEqual(refused.status, 403)
      assert.include(errorOf(refused).error, "read_collections")
      for (const query of ["", "?resource=orders"]) {
        const invalid = yield* client.get(`/digest${query}`)
        assert.strictEqual(invalid.status, 400)
        assert.match(errorOf(invalid).issues?.join("\n") ?? "", /^resource: /)
      }
    })
  )

  it.effect("the RPC returns the same digest to members, and to agents with the scope", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const member = yield* memberOf(storeId)
      yield* client.post("/products", { name: "Cup" })
      const digest = digestOf(yield* client.get("/digest?resource=products"))
      assert.deepStrictEqual(yield* member.client.digest.get({ storeId, resource: "products" }), digest)
      const agent = yield* agentOf({ ...member, storeId }, { scopes: ["read_products"] })
      assert.deepStrictEqual(yield* agent.client.digest.get({ storeId, resource: "products" }), digest)
      const refused = yield* Effect.flip(agent.client.digest.get({ storeId, resource: "collections" }))
      assert.strictEqual(refused._tag, "AgentScopeMissing")
    })
  )
})

layer(Layer.provide(IsolatedApiTest, Layer.succeed(DigestTimeout, 300)), {
  excludeTestServices: true,
  timeout: "60 seconds"
})("Slow digest", (it) => {
  it.effect("a digest that takes too long is refused with 503 and advice", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
          create or replace function digest_of_products(store uuid)
          returns table (range integer, count integer, digest bigint) language sql as $$
            select 0, 0, 0::bigint from pg_sleep(20)
          $$
        `
      const slow = yield* client.get("/digest?resource=products")
      assert.strictEqual(slow.status, 503)
      assert.include(errorOf(slow).error, "repeat the request in a minute")
    })
  )
})
