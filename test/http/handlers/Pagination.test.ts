import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
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

const NOWHERE = "01890a5d-ac96-774b-bcce-b302099a8057"

const create = (client: Client) =>
  Effect.map(client.post("/products", { name: "Cup" }), (answer) => String(dataOf(answer)["id"]))

/** Makes products in a store, with as many installations as their windows ask for. Answers their ids, ascending. */
const fill = Effect.fn(function* (storeId: StoreId, count: number) {
  const ids: Array<string> = []
  while (ids.length < count) {
    const { client } = yield* install(storeId)
    const some = Array.from({ length: Math.min(90, count - ids.length) }, () => create(client))
    ids.push(...(yield* Effect.all(some, { concurrency: 8 })))
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
  const answer = yield* client.get(query(cursor, limit))
  assert.strictEqual(answer.status, 200, answer.text)
  const { items, nextCursor } = pageOf(answer)
  return { ids: items.map(({ id }) => String(id)), nextCursor }
})

/** The page there must be: rows behind the cursor, in order, and a cursor exactly when there are more. */
const expected = (rows: ReadonlyArray<string>, cursor: string | null, limit: number) => {
  const behind = rows.filter((id) => cursor === null || id > cursor)
  const ids = behind.slice(0, limit)
  return { ids, nextCursor: behind.length > limit ? (ids.at(-1) ?? null) : null }
}

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Pagination", (it) => {
  it.effect("an empty list has no next page", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const path of ["/products", "/products?limit=1", `/products?cursor=${NOWHERE}`]) {
        assert.deepStrictEqual((yield* client.get(path)).json, { products: [], nextCursor: null })
      }
    })
  )

  it.effect("a page has 50 rows when no limit is given, and at most 200 whatever is asked for", () =>
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
      for (const [asked, given] of cases) {
        const { items, nextCursor } = pageOf(
          yield* client.get(asked === undefined ? "/products" : `/products?limit=${asked}`)
        )
        assert.deepStrictEqual(
          items.map(({ id }) => id),
          ids.slice(0, given)
        )
        assert.strictEqual(nextCursor, ids[given - 1])
      }
      assert.deepStrictEqual(yield* pageAt(client, ids[0] ?? null, 200), { ids: ids.slice(1), nextCursor: null })
      assert.deepStrictEqual(yield* pageAt(client, ids[199] ?? null, undefined), {
        ids: ids.slice(200),
        nextCursor: null
      })
    })
  )

  it.effect("a limit below 1, or that is no integer, is 400", () =>
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
        const refused = yield* client.get(`/products?limit=${limit}`)
        assert.strictEqual(refused.status, 400, limit)
        assert.match(errorOf(refused).issues?.join("\n") ?? "", /^limit: \S/)
      }
      assert.strictEqual((yield* client.get("/products?limit=1&limit=2")).status, 400)
    })
  )

  it.effect("a malformed cursor is 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const id = yield* create(client)
      for (const cursor of ["", "x", "1", `${id}0`, id.slice(1), "null", "%00", "%F0%9F%98%80", `${id}'--`]) {
        const refused = yield* client.get(`/products?cursor=${cursor}`)
        assert.strictEqual(refused.status, 400, cursor)
        assert.match(errorOf(refused).issues?.join("\n") ?? "", /^cursor: \S/)
      }
      assert.strictEqual((yield* client.get(`/products?cursor=${id}&cursor=${id}`)).status, 400)
      assert.strictEqual((yield* client.get("/products?cursor=x&limit=0")).status, 400)
    })
  )

  it.effect("any id is a good cursor: one that was deleted, one of another store, one that never was", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const other = yield* freshClient()
      const [a = "", b = "", c = ""] = yield* fill(storeId, 3)
      yield* client.delete(`/products/${b}`)
      assert.deepStrictEqual(yield* pageAt(client, b, undefined), { ids: [c], nextCursor: null })
      assert.deepStrictEqual(yield* pageAt(client, c, undefined), { ids: [], nextCursor: null })
      const theirs = yield* create(other.client)
      const mine = yield* create(client)
      assert.deepStrictEqual(yield* pageAt(client, theirs, undefined), expected([a, c, mine], theirs, 50))
      assert.deepStrictEqual(yield* pageAt(client, NOWHERE, undefined), { ids: [a, c, mine], nextCursor: null })
      const last = "ffffffff-ffff-ffff-ffff-ffffffffffff"
      assert.deepStrictEqual(yield* pageAt(client, last, undefined), { ids: [], nextCursor: null })
      assert.deepStrictEqual(yield* pageAt(client, a.toUpperCase(), undefined), { ids: [c, mine], nextCursor: null })
    })
  )

  it.effect("pages of any limit partition the list: every row once, ascending, each page full but the last", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const ids = yield* fill(storeId, 37)
      const runtime = yield* Effect.context<Effect.Services<ReturnType<typeof install>>>()
      const property = FastCheck.asyncProperty(FastCheck.integer({ min: 1, max: 45 }), (limit) =>
        Effect.runPromiseWith(runtime)(
          Effect.gen(function* () {
            const { client } = yield* install(storeId)
            const pages: Array<ReadonlyArray<string>> = []
            let cursor: string | null = null
            do {
              const page: Page = yield* pageAt(client, cursor, limit)
              pages.push(page.ids)
              cursor = page.nextCursor
            } while (cursor !== null)
            assert.deepStrictEqual(pages.flat(), ids)
            assert.strictEqual(pages.length, Math.ceil(ids.length / limit))
            for (const page of pages.slice(0, -1)) assert.strictEqual(page.length, limit)
          })
        )
      )
      yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 25, examples: [[1], [37], [36], [38]] }))
    })
  )

  it.effect("a reader who follows the cursor misses no row, whatever is written and deleted between the pages", () =>
    Effect.gen(function* () {
      const runtime = yield* Effect.context<Effect.Services<ReturnType<typeof freshClient>>>()
      const write = FastCheck.oneof(
        FastCheck.constant({ kind: "create" } as const),
        FastCheck.constant({ kind: "deleteCursor" } as const),
        FastCheck.record({ kind: FastCheck.constant("delete" as const), which: FastCheck.nat() }),
        FastCheck.record({ kind: FastCheck.constant("change" as const), which: FastCheck.nat() })
      )
      const story = FastCheck.record({
        size: FastCheck.integer({ min: 0, max: 8 }),
        limit: FastCheck.integer({ min: 1, max: 4 }),
        between: FastCheck.array(FastCheck.array(write, { maxLength: 3 }), { maxLength: 6 })
      })
      const property = FastCheck.asyncProperty(story, ({ between, limit, size }) =>
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
            // What was there all the time, or came before the last page was read, was seen.
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

  it.effect("ids rise with the order of commits, so that a reader behind racing writers skips nothing", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const writers = yield* Effect.all(Array.from({ length: 4 }, () => install(storeId)))
      const reader = yield* install(storeId)
      const writing = Effect.all(
        writers.map(({ client }) => Effect.all(Array.from({ length: 25 }, () => create(client)))),
        { concurrency: "unbounded" }
      )
      const seen: Array<string> = []
      const fiber = yield* Effect.forkChild(writing)
      for (let read = 0; read < 60 && seen.length < 100; read++) {
        const { ids } = yield* pageAt(reader.client, seen.at(-1) ?? null, 200)
        seen.push(...ids)
      }
      const made = (yield* Fiber.join(fiber)).flat()
      seen.push(...(yield* pageAt(reader.client, seen.at(-1) ?? null, 200)).ids)
      assert.deepStrictEqual(seen, made.toSorted())
    })
  )
})
