import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { PAGE_BYTES } from "../../../src/domain/Page.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { ApiTest, type Client, dataOf, freshClient, pageOf, type Resource } from "../../support/http/Api.ts"

type Kind = "products" | "collections"

const idOf = ({ id }: Resource) => String(id)

/** The pages of a list, as a client that follows the cursor reads them. */
const walk = Effect.fn(function* (client: Client, kind: Kind, limit: number) {
  const pages: Array<{ readonly ids: ReadonlyArray<string>; readonly bytes: number }> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const from: string = cursor === "" ? "" : `&cursor=${cursor}`
    const answer = yield* client.get(`/${kind}?limit=${limit}${from}`)
    assert.strictEqual(answer.status, 200, answer.text.slice(0, 500))
    const { items, nextCursor } = pageOf(answer)
    pages.push({ ids: items.map(idOf), bytes: Buffer.byteLength(answer.text) })
    if (nextCursor !== null) assert.strictEqual(nextCursor, items.map(idOf).at(-1))
    cursor = nextCursor
  }
  return pages
})

/** A product of that many bytes, more or less. Repeated text compresses to next to nothing, and is sent whole. */
const makeProduct = (client: Client, bytes: number) =>
  Effect.map(
    client.post("/products", { name: "Desk", tags: ["oak"], metafields: { text: "a".repeat(bytes) } }),
    (made) => idOf(dataOf(made))
  )

const makeCollections = (client: Client, count: number, body: object) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.map(client.post("/collections", { title: "Oak", ...body }), (made) => idOf(dataOf(made)))
  )

const OAK = { field: "tags", relation: "equals", value: "oak" }

/** As many products like the store's one as the database copies in a second or two. */
const copyProduct = Effect.fn(function* (storeId: StoreId, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    with copies as (
      insert into products (store_id, id, version, slug, document, facets)
      select store_id, made.id, 1, 'copy-' || n, json_build_object('id', made.id, 'version', 1), facets
      from products, generate_series(1, ${count}::integer) as n,
        lateral (select uuid_v7(clock_micros()) as id where n > 0) as made
      where store_id = ${storeId} returning store_id, id
    )
    insert into product_keys (store_id, id, price, stock, terms)
    select store_id, copies.id, price, stock, terms from copies join product_keys using (store_id)
  `
})

/** Reads the list while `meanwhile` is done between its two statements: the second waits for a table that is locked. */
const readDuring = Effect.fn(function* (client: Client, path: string, meanwhile: Effect.Effect<unknown, unknown>) {
  const sql = yield* SqlClient.SqlClient
  const waits = sql`select 1 from pg_locks where relation = 'collection_members'::regclass and not granted`
  const reading = yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`lock table collection_members in access exclusive mode`
      const fiber = yield* Effect.forkChild(client.get(path))
      yield* Effect.repeat(waits, { until: (rows) => rows.length > 0 })
      yield* meanwhile
      return fiber
    })
  )
  return pageOf(yield* Fiber.join(reading))
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("A page ends early", (it) => {
  it.effect("when its products pass the bytes of a page: every one comes once, and every page has one", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const sizes = [700_000, 700_000, 700_000, 10, 10, 900_000, 10, 900_000, 900_000, 900_000]
      const ids = yield* Effect.forEach(sizes, (bytes) => makeProduct(client, bytes))
      const pages = yield* walk(client, "products", 200)
      assert.deepStrictEqual(
        pages.map((page) => page.ids.length),
        [2, 4, 3, 1]
      )
      assert.deepStrictEqual(
        pages.flatMap((page) => page.ids),
        ids
      )
      for (const { bytes } of pages.slice(0, -1)) assert.isAbove(bytes, PAGE_BYTES)
      for (const { bytes } of pages) assert.isBelow(bytes, PAGE_BYTES + 1_048_576)
      const few = yield* walk(client, "products", 2)
      assert.deepStrictEqual(
        few.map((page) => page.ids.length),
        [2, 2, 2, 2, 2]
      )
    })
  )

  it.effect("by what a product is now, whether or not its row knows the size of that", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, storeId } = yield* freshClient()
      const ids = yield* Effect.forEach([10, 10, 10, 10], (bytes) => makeProduct(client, bytes))
      assert.lengthOf(yield* walk(client, "products", 200), 1)
      for (const id of ids) yield* client.patch(`/products/${id}`, { metafields: { text: "b".repeat(900_000) } })
      assert.deepStrictEqual(
        (yield* walk(client, "products", 200)).map((page) => page.ids.length),
        [2, 2]
      )
      yield* sql`update products set bytes = null, bytes_of = null where store_id = ${storeId}`
      assert.deepStrictEqual(
        (yield* walk(client, "products", 200)).map((page) => page.ids.length),
        [2, 2]
      )
      for (const id of ids) yield* client.patch(`/products/${id}`, { metafields: { text: "short" } })
      assert.lengthOf(yield* walk(client, "products", 200), 1)
      // As a process writes it that knows of no sizes.
      yield* sql`
        update products set version = 4, document =
          replace(replace(document::text, '"version":3', '"version":4'), 'short', repeat('c', 900000))::json
        where store_id = ${storeId}
      `
      assert.deepStrictEqual(
        (yield* walk(client, "products", 200)).map((page) => page.ids.length),
        [2, 2]
      )
    })
  )

  it.effect("when its collections pass the bytes of a page, and computes none beyond them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, storeId } = yield* freshClient()
      yield* makeProduct(client, 10)
      yield* copyProduct(storeId, 15_000)
      const ids = yield* makeCollections(client, 5, { rules: [OAK] })
      const pages = yield* walk(client, "collections", 200)
      assert.deepStrictEqual(
        pages.map((page) => page.ids.length),
        [2, 2, 1]
      )
      assert.deepStrictEqual(
        pages.flatMap((page) => page.ids),
        ids
      )
      assert.isAbove(pages[0]?.bytes ?? 0, PAGE_BYTES)

      // A collection that fails when it is computed does not harm a page that ends before it.
      const weight = { field: "weight", relation: "greater_than", value: 1 }
      const [broken] = yield* makeCollections(client, 1, { rules: [weight] })
      yield* sql`update products set facets = facets || '{"weight":"heavy"}' where store_id = ${storeId}`
      assert.strictEqual((yield* client.get(`/collections/${broken}`)).status, 500)
      const first = pageOf(yield* client.get("/collections?limit=200"))
      assert.deepStrictEqual([first.items.map(idOf), first.nextCursor], [ids.slice(0, 2), ids[1] ?? null])
    })
  )

  it.effect("when the rules of its collections are long", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const value = Array.from({ length: 200 }, (_, n) => `${n} ${"c".repeat(4_000)}`)
      const ids = yield* makeCollections(client, 4, { rules: [{ field: "title", relation: "in", value }] })
      const pages = yield* walk(client, "collections", 200)
      assert.deepStrictEqual(
        pages.map((page) => page.ids.length),
        [2, 2]
      )
      assert.deepStrictEqual(
        pages.flatMap((page) => page.ids),
        ids
      )
    })
  )

  it.effect("goes on behind collections that were deleted or changed while it was read", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, storeId } = yield* freshClient()
      const product = yield* makeProduct(client, 10)
      const make = (count: number) => makeCollections(client, count, { rules: [OAK] })
      const [a = "", b = "", c = ""] = yield* make(3)
      const path = "/collections?limit=2"
      const remove = (...ids: ReadonlyArray<string>) =>
        sql`delete from collections where store_id = ${storeId} and ${sql.in("id", ids)}`

      const change = sql`
        update collections set document = replace(replace(document::text, '"version":1', '"version":2'), 'oak', 'ash')::json
        where store_id = ${storeId} and id = ${a}
      `
      const changed = yield* readDuring(client, path, change)
      const members = changed.items.map(({ id, productIds, version }) => ({ id, productIds, version }))
      const both = [
        { id: a, productIds: [], version: 2 },
        { id: b, productIds: [product], version: 1 }
      ]
      assert.deepStrictEqual([members, changed.nextCursor], [both, b])

      const [d = ""] = yield* make(1)
      const lastGone = yield* readDuring(client, `${path}&cursor=${a}`, remove(d))
      assert.deepStrictEqual([lastGone.items.map(idOf), lastGone.nextCursor], [[b, c], null])
      const firstGone = yield* readDuring(client, path, remove(a))
      assert.deepStrictEqual([firstGone.items.map(idOf), firstGone.nextCursor], [[b], b])
      const [e = "", f = ""] = yield* make(2)
      const allGone = yield* readDuring(client, path, remove(b, c))
      assert.deepStrictEqual([allGone.items.map(idOf), allGone.nextCursor], [[e, f], null])
    })
  )

  // The last one: it makes what manual collections hold slow for everybody on this database.
  it.effect("when its collections have taken the time of a page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client } = yield* freshClient()
      const productIds = [yield* makeProduct(client, 10)]
      const ids = yield* makeCollections(client, 3, { productIds })
      assert.lengthOf(yield* walk(client, "collections", 200), 1)
      yield* sql`alter table collection_members rename to kept_members`
      yield* sql`create view collection_members as select * from kept_members where pg_sleep(1.1) is not null`
      const pages = yield* walk(client, "collections", 200)
      assert.deepStrictEqual(
        pages.map((page) => page.ids),
        ids.map((id) => [id])
      )
    })
  )
})
