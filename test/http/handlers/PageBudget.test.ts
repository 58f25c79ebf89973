import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { PAGE_BYTES } from "../../../src/domain/Page.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { IsolatedApiTest, type Client, dataOf, freshClient, pageOf, type Resource } from "../../support/http/Api.ts"

type Kind = "products" | "collections"

const idOf = ({ id }: Resource) => String(id)

/** Reads all pages of a list by following the cursor. */
const walk = Effect.fn(function* (client: Client, kind: Kind, limit: number) {
  const pages: Array<{ readonly ids: ReadonlyArray<string>; readonly bytes: number }> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const from: string = cursor === "" ? "" : `&cursor=${cursor}`
    const response = yield* client.get(`/${kind}?limit=${limit}${from}`)
    assert.strictEqual(response.status, 200, response.text.slice(0, 500))
    const { items, nextCursor } = pageOf(response)
    pages.push({ ids: items.map(idOf), bytes: Buffer.byteLength(response.text) })
    if (nextCursor !== null) assert.strictEqual(nextCursor, items.map(idOf).at(-1))
    cursor = nextCursor
  }
  return pages
})

/** Creates a product of about this size. Its repeated text compresses well in the database, but is sent in full. */
const makeProduct = (client: Client, bytes: number) =>
  Effect.map(
    client.post("/products", { name: "Desk", tags: ["oak"], metafields: { text: "a".repeat(bytes) } }),
    (created) => idOf(dataOf(created))
  )

const makeCollections = (client: Client, count: number, body: object) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.map(client.post("/collections", { title: "Oak", ...body }), (created) => idOf(dataOf(created)))
  )

const OAK = { field: "tags", relation: "equals", value: "oak" }

/** Copies the store's only product within the database, which is faster than requests. */
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

/** Reads the list and runs `meanwhile` between its two statements. A table lock blocks the second statement. */
const readDuring = Effect.fn(function* (client: Client, path: string, meanwhile: Effect.Effect<unknown, unknown>) {
  const sql = yield* SqlClient.SqlClient
  const blockedQueries = sql`select 1 from pg_locks where relation = 'collection_members'::regclass and not granted`
  const reading = yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`lock table collection_members in access exclusive mode`
      const fiber = yield* Effect.forkChild(client.get(path))
      yield* Effect.repeat(blockedQueries, { until: (rows) => rows.length > 0 })
      yield* meanwhile
      return fiber
    })
  )
  return pageOf(yield* Fiber.join(reading))
})

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Size and time limits of a page", (it) => {
  it.effect("a page of products ends at the size limit, and every product is returned once", () =>
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
      const smallPages = yield* walk(client, "products", 2)
      assert.deepStrictEqual(
        smallPages.map((page) => page.ids.length),
        [2, 2, 2, 2, 2]
      )
    })
  )

  it.effect("the size of a page depends on the current products, with or without stored sizes", () =>
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
      // Simulates a process that does not store sizes.
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

  it.effect("a page of collections ends at the size limit, and later collections are not computed", () =>
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

      // A collection that cannot be computed does not affect a page that ends before it.
      const weight = { field: "weight", relation: "greater_than", value: 1 }
      const [broken] = yield* makeCollections(client, 1, { rules: [weight] })
      yield* sql`update products set facets = facets || '{"weight":"heavy"}' where store_id = ${storeId}`
      assert.strictEqual((yield* client.get(`/collections/${broken}`)).status, 500)
      const first = pageOf(yield* client.get("/collections?limit=200"))
      assert.deepStrictEqual([first.items.map(idOf), first.nextCursor], [ids.slice(0, 2), ids[1] ?? null])
    })
  )

  it.effect("long rules count towards the size of a page of collections", () =>
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

  it.effect("paging continues after collections that are deleted or changed during a read", () =>
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
      const expected = [
        { id: a, productIds: [], version: 2 },
        { id: b, productIds: [product], version: 1 }
      ]
      assert.deepStrictEqual([members, changed.nextCursor], [expected, b])

      const [d = ""] = yield* make(1)
      const lastDeleted = yield* readDuring(client, `${path}&cursor=${a}`, remove(d))
      assert.deepStrictEqual([lastDeleted.items.map(idOf), lastDeleted.nextCursor], [[b, c], null])
      const firstDeleted = yield* readDuring(client, path, remove(a))
      assert.deepStrictEqual([firstDeleted.items.map(idOf), firstDeleted.nextCursor], [[b], b])
      const [e = "", f = ""] = yield* make(2)
      const allDeleted = yield* readDuring(client, path, remove(b, c))
      assert.deepStrictEqual([allDeleted.items.map(idOf), allDeleted.nextCursor], [[e, f], null])
    })
  )

  // Must be the last test: it slows down reads of manual collections for the whole database.
  it.effect("a page of collections ends at the time limit", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client } = yield* freshClient()
      const productIds = [yield* makeProduct(client, 10)]
      const ids = yield* makeCollections(client, 3, { productIds })
      assert.lengthOf(yield* walk(client, "collections", 200), 1)
      yield* sql`alter table collection_members rename to original_members`
      yield* sql`create view collection_members as select * from original_members where pg_sleep(1.1) is not null`
      const pages = yield* walk(client, "collections", 200)
      assert.deepStrictEqual(
        pages.map((page) => page.ids),
        ids.map((id) => [id])
      )
    })
  )
})
