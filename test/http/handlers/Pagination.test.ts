import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as FastCheck from "fast-check"
import type { StoreId } from "../../../src/domain/Store.ts"
import {
  ApiTest,
  type Client,
  dataOf,
  errorOf,
  freshClient,
  install,
  makeStore,
  pageOf
} from "../../support/http/Api.ts"

const UNKNOWN_ID = "01890a5d-ac96-774b-bcce-b302099a8057"

const create = (client: Client) =>
  Effect.map(client.post("/products", { name: "Cup" }), (response) => String(dataOf(response)["id"]))

/** Creates products with several installations, to stay within the rate limits. Returns their sorted ids. */
const fill = Effect.fn(function* (storeId: StoreId, count: number) {
  const ids: Array<string> = []
  while (ids.length < count) {
    const { client } = yield* install(storeId)
    const batch = Array.from({ length: Math.min(90, count - ids.length) }, () => create(client))
    ids.push(...(yield* Effect.all(batch, { concurrency: 8 })))
  }
  return ids.toSorted()
})

interface Page {
  readonly ids: ReadonlyArray<string>
  readonly nextCursor: string | null
}

const query = (cursor: string | null, limit: number | undefined) => {
  const search = new URLSearchParams()
  if (cursor !== null) search.set("cursor", cursor)
  if (limit !== undefined) search.set("limit", String(limit))
  return `/products?${search}`
}

const pageAt = Effect.fn(function* (client: Client, cursor: string | null, limit: number | undefined) {
  const response = yield* client.get(query(cursor, limit))
  assert.strictEqual(response.status, 200, response.text)
  const { items, nextCursor } = pageOf(response)
  return { ids: items.map(({ id }) => String(id)), nextCursor }
})

/** The expected page: the rows after the cursor, in order, with a cursor only if more rows follow. */
const expected = (rows: ReadonlyArray<string>, cursor: string | null, limit: number) => {
  const remaining = rows.filter((id) => cursor === null || id > cursor)
  const ids = remaining.slice(0, limit)
  return { ids, nextCursor: remaining.length > limit ? (ids.at(-1) ?? null) : null }
}

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Pagination", (it) => {
  it.effect("an empty list has no next page", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const path of ["/products", "/products?limit=1", `/products?cursor=${UNKNOWN_ID}`]) {
        assert.deepStrictEqual((yield* client.get(path)).json, { products: [], nextCursor: null })
      }
    })
  )

  it.effect("limit defaults to 50 and is capped at 200", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const ids = yield* fill(storeId, 201)
      const { client } = yield* install(storeId)
      const cases = [
        [undefined, 50],
        [1, 1],
        [50, 50],
        [199, 199],
        [200, 200],
        [201, 200],
        [1000, 200],
        [99999999999999999999n, 200]
      ] as const
      for (const [limit, size] of cases) {
        const { items, nextCursor } = pageOf(
          yield* client.get(limit === undefined ? "/products" : `/products?limit=${limit}`)
        )
        assert.deepStrictEqual(
          items.map(({ id }) => id),
          ids.slice(0, size)
        )
        assert.strictEqual(nextCursor, ids[size - 1])
      }
      assert.deepStrictEqual(yield* pageAt(client, ids[0] ?? null, 200), { ids: ids.slice(1), nextCursor: null })
      assert.deepStrictEqual(yield* pageAt(client, ids[199] ?? null, undefined), {
        ids: ids.slice(200),
        nextCursor: null
      })
    })
  )

  it.effect("a limit that is below 1, not an integer or repeated is rejected with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const limit of [
        "0",
        "-1",
        "-0",
        "1.5",
        "1.0",
        "",
        "ten",
        "1e2",
        "%2B5",
        "0x10",
        "5%20",
        "NaN",
        "null",
        "١"
      ]) {
        const rejected = yield* client.get(`/products?limit=${limit}`)
        assert.strictEqual(rejected.status, 400, limit)
        assert.match(errorOf(rejected).issues?.join("\n") ?? "", /^limit: \S/)
      }
      assert.strictEqual((yield* client.get("/products?limit=1&limit=2")).status, 400)
    })
  )

  it.effect("a malformed or repeated cursor is rejected with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const id = yield* create(client)
      for (const cursor of ["", "x", "1", `${id}0`, id.slice(1), "null", "%00", "%F0%9F%98%80", `${id}'--`]) {
        const rejected = yield* client.get(`/products?cursor=${cursor}`)
        assert.strictEqual(rejected.status, 400, cursor)
        assert.match(errorOf(rejected).issues?.join("\n") ?? "", /^cursor: \S/)
      }
      assert.strictEqual((yield* client.get(`/products?cursor=${id}&cursor=${id}`)).status, 400)
      assert.strictEqual((yield* client.get("/products?cursor=x&limit=0")).status, 400)
    })
  )

  it.effect("any id is a valid cursor: of a deleted product, of another store or of no product", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const other = yield* freshClient()
      const [a = "", b = "", c = ""] = yield* fill(storeId, 3)
      yield* client.delete(`/products/${b}`)
      assert.deepStrictEqual(yield* pageAt(client, b, undefined), { ids: [c], nextCursor: null })
      assert.deepStrictEqual(yield* pageAt(client, c, undefined), { ids: [], nextCursor: null })
      const otherId = yield* create(other.client)
      const ownId = yield* create(client)
      assert.deepStrictEqual(yield* pageAt(client, otherId, undefined), expected([a, c, ownId], otherId, 50))
      assert.deepStrictEqual(yield* pageAt(client, UNKNOWN_ID, undefined), { ids: [a, c, ownId], nextCursor: null })
      const last = "ffffffff-ffff-ffff-ffff-ffffffffffff"
      assert.deepStrictEqual(yield* pageAt(client, last, undefined), { ids: [], nextCursor: null })
      assert.deepStrictEqual(yield* pageAt(client, a.toUpperCase(), undefined), { ids: [c, ownId], nextCursor: null })
    })
  )

  it.effect("following the cursor misses no row while products are created, changed and deleted between pages", () =>
    Effect.gen(function* () {
      const runtime = yield* Effect.context<Effect.Services<ReturnType<typeof freshClient>>>()
      const write = FastCheck.oneof(
        FastCheck.constant({ kind: "create" } as const),
        FastCheck.constant({ kind: "deleteCursor" } as const),
        FastCheck.record({ kind: FastCheck.constant("delete" as const), which: FastCheck.nat() }),
        FastCheck.record({ kind: FastCheck.constant("change" as const), which: FastCheck.nat() })
      )
      const scenario = FastCheck.record({
        size: FastCheck.integer({ min: 0, max: 8 }),
        limit: FastCheck.integer({ min: 1, max: 4 }),
        between: FastCheck.array(FastCheck.array(write, { maxLength: 3 }), { maxLength: 6 })
      })
      const property = FastCheck.asyncProperty(scenario, ({ between, limit, size }) =>
        Effect.runPromiseWith(runtime)(
          Effect.gen(function* () {
            const { client, storeId } = yield* freshClient()
            const rows = yield* fill(storeId, size)
            const read: Array<string> = []
            let cursor: string | null = null
            for (let page = 0; page === 0 || cursor !== null; page++) {
              const found: Page = yield* pageAt(client, cursor, limit)
              assert.deepStrictEqual(found, expected(rows, cursor, limit))
              read.push(...found.ids)
              cursor = found.nextCursor
              for (const step of between[page] ?? []) {
                const which = "which" in step ? rows[step.which % Math.max(rows.length, 1)] : cursor
                if (step.kind === "create") rows.push(yield* create(client))
                else if (which === null || which === undefined || !rows.includes(which)) continue
                else if (step.kind === "change") yield* client.patch(`/products/${which}`, { name: `Mug ${page}` })
                else {
                  assert.strictEqual((yield* client.delete(`/products/${which}`)).status, 200)
                  rows.splice(rows.indexOf(which), 1)
                }
              }
            }
            assert.deepStrictEqual(read.toSorted(), read)
            assert.strictEqual(new Set(read).size, read.length)
            // Every remaining row up to the last returned id has been returned.
            const last = read.at(-1) ?? ""
            assert.deepStrictEqual(
              rows.filter((id) => id <= last && !read.includes(id)),
              []
            )
          })
        )
      )
      yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 40 }))
    })
  )
})
