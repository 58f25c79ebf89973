import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ApiTest, type Client, dataOf, errorOf, freshClient, pageOf } from "../../support/http/Api.ts"
import { memberOf } from "../../support/rpc/Rpc.ts"

const RESOURCES = ["products", "collections"] as const

const create = (client: Client, resource: string) =>
  Effect.map(client.post(`/${resource}`, { name: "Cup", title: "Cups" }), (answer) => String(dataOf(answer)["id"]))

const fill = Effect.fn(function* (client: Client, resource: string, count: number) {
  const ids: Array<string> = []
  for (let n = 0; n < count; n++) ids.push(yield* create(client, resource))
  return ids
})

/** Reads all pages of a list and returns their ids. */
const listIds = Effect.fn(function* (client: Client, resource: string, filter: string, limit = 2) {
  const ids: Array<string> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const after: string = cursor === "" ? "" : `&cursor=${cursor}`
    const answer = yield* client.get(`/${resource}?limit=${limit}&${filter}${after}`)
    assert.strictEqual(answer.status, 200, answer.text)
    const page = pageOf(answer)
    assert.isAtMost(page.items.length, limit)
    ids.push(...page.items.map(({ id }) => String(id)))
    cursor = page.nextCursor
  }
  return ids
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Filters of products and collections", (it) => {
  it.effect("ids returns the rows with these ids, in the order of ids, and omits others", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { client: other } = yield* freshClient()
      for (const resource of RESOURCES) {
        const [a = "", b = "", c = "", d = ""] = yield* fill(client, resource, 4)
        const foreign = yield* create(other, resource)
        yield* client.delete(`/${resource}/${b}`)
        assert.deepStrictEqual(yield* listIds(client, resource, `ids=${[d, c, foreign, b, a, a].join()}`), [a, c, d])
        assert.deepStrictEqual(yield* listIds(client, resource, `ids=${foreign}`), [])
      }
    })
  )

  it.effect("range returns the rows whose ids end with two digits", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const resource of RESOURCES) {
        const ids = yield* fill(client, resource, 12)
        const range = ids[3]?.slice(-2) ?? ""
        assert.deepStrictEqual(
          yield* listIds(client, resource, `range=${range}`),
          ids.filter((id) => id.endsWith(range))
        )
      }
    })
  )

  it.effect(
    "updatedSince returns the rows changed at this time or later, also before the time that the journal covers",
    () =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        for (const resource of RESOURCES) {
          const ids = yield* fill(client, resource, 5)
          const changed = dataOf(yield* client.patch(`/${resource}/${ids[1]}`, { name: "Mug", title: "Mugs" }))
          const later = yield* create(client, resource)
          const since = String(changed["updatedAt"])
          const after = new Date(Date.parse(since) + 1).toISOString()
          assert.deepStrictEqual(yield* listIds(client, resource, `updatedSince=${since}`), [ids[1], later])
          assert.deepStrictEqual(yield* listIds(client, resource, `updatedSince=${after}`), [later])
          assert.deepStrictEqual(yield* listIds(client, resource, "updatedSince=2020-01-31T09:30:00Z"), [...ids, later])
          assert.deepStrictEqual(yield* listIds(client, resource, "updatedSince=2099-01-31T09:30:00Z"), [])
          const range = ids[1]?.slice(-2) ?? ""
          assert.include(yield* listIds(client, resource, `updatedSince=${since}&range=${range}`), ids[1])
          assert.deepStrictEqual(yield* listIds(client, resource, `updatedSince=${since}&ids=${ids.join()}`), [ids[1]])
        }
      })
  )

  it.effect("updatedSince before the time of the journal examines 5,000 products a page, and continues", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      yield* fill(client, "products", 1)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into products (store_id, id, version, slug, document, facets)
        select store_id, made.id, 1, 'copy-' || n, '{"updatedAt":"2010-01-31T09:30:00.000Z"}', facets
        from products, generate_series(1, 6000) as n, lateral (select uuid_v7(clock_micros()) as id where n > 0) as made
        where store_id = ${storeId}
      `
      const last = yield* create(client, "products")
      const query = "/products?updatedSince=2020-01-31T09:30:00Z"
      const first = pageOf(yield* client.get(query))
      assert.lengthOf(first.items, 1)
      const second = pageOf(yield* client.get(`${query}&cursor=${first.nextCursor}`))
      assert.deepStrictEqual(
        second.items.map(({ id }) => id),
        [last]
      )
      assert.isNull(second.nextCursor)
    })
  )

  it.effect("invalid filters are 400 with their path", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const id = "01890a5d-ac96-774b-bcce-b302099a8057"
      const cases = [
        ["ids=7", /^ids: must be at most 100 ids/],
        [`ids=${Array.from({ length: 101 }, () => id).join()}`, /^ids: must be at most 100 ids/],
        ["range=a", /^range: must be two hexadecimal digits/],
        ["range=A7", /^range: must be two hexadecimal digits/],
        ["updatedSince=yesterday", /^updatedSince: must be a time of RFC 3339/]
      ] as const
      for (const resource of RESOURCES) {
        for (const [query, issue] of cases) {
          const refused = yield* client.get(`/${resource}?${query}`)
          assert.strictEqual(refused.status, 400, query)
          assert.match(errorOf(refused).issues?.join("\n") ?? "", issue)
        }
      }
    })
  )

  it.effect("the RPC has the same filters", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const member = yield* memberOf(storeId)
      const [a = ""] = yield* fill(client, "products", 2)
      const [c = ""] = yield* fill(client, "collections", 2)
      const products = yield* member.client.products.list({ storeId, range: a.slice(-2) })
      assert.include(
        products.items.map(({ id }) => String(id)),
        a
      )
      const collections = yield* member.client.collections.list({ storeId, range: c.slice(-2), limit: 1 })
      assert.isTrue(collections.items.every(({ id }) => id.endsWith(c.slice(-2))))
      const none = yield* member.client.products.list({ storeId, updatedSince: "2099-01-31T09:30:00.000Z" })
      assert.deepStrictEqual(none, { items: [], nextCursor: null })
    })
  )
})
