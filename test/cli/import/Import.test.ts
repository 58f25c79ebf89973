import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { getPriority } from "node:os"
import { cli } from "../../support/process/Cli.ts"
import { countsOf, Imported, importScene, linesIn } from "../../support/data/Imports.ts"
import { rowsOf, startNode, waitUntil } from "../../support/process/Process.ts"

const NORTHWIND = "test/data/northwind/products.jsonl"

const cup = (n: number, more: object = {}) => ({ externalId: `cup ${n}`, name: `Cup ${n}`, price: n, ...more })
const range = (count: number) => Array.from({ length: count }, (_, index) => index)

it.live("a second run of an import writes nothing", () =>
  Effect.gen(function* () {
    const { books, bring, client } = yield* importScene()
    assert.deepStrictEqual(countsOf(yield* bring("products", NORTHWIND)), [77, 0, 0, 0])
    const [store] = yield* rowsOf(client, "select product_count from stores")
    assert.deepStrictEqual(store, { product_count: 77 })
    const entries = yield* rowsOf(
      client,
      "select actor_type, surface, count(*)::int from journal where before is null and version is not null group by 1, 2"
    )
    assert.deepStrictEqual(entries, [{ actor_type: "merchant", surface: "import", count: 77 }])
    assert.lengthOf(yield* rowsOf(client, "select from events where actor_type = 'merchant'"), 77)
    const before = yield* books
    assert.deepStrictEqual(countsOf(yield* bring("products", NORTHWIND)), [0, 0, 77, 0])
    assert.deepStrictEqual(yield* books, before)
  })
)

it.live("a changed row is an update: the version increases and absent fields keep their values", () =>
  Effect.gen(function* () {
    const { bring, client, fileOf } = yield* importScene()
    const variants = [
      { sku: "S", price: 1 },
      { options: { Size: "L" }, price: 2 }
    ]
    yield* bring("products", fileOf("one", [cup(1, { tags: ["red"], variants }), cup(2, { variants })]))
    const changed = [
      cup(1, { price: 7, slug: "cup" }),
      cup(2, { variants: [variants[1], { ...variants[0], price: 9 }] })
    ]
    assert.deepStrictEqual(countsOf(yield* bring("products", fileOf("two", changed))), [0, 2, 0, 0])
    const rows = yield* rowsOf(
      client,
      `select p.version, p.slug, document -> 'price' as price, document -> 'tags' as tags, k.price::float as key,
         (select count(distinct v ->> 'id')::int from json_array_elements(document -> 'variants') v) as ids,
         document -> 'variants' -> 1 ->> 'id' = (
           select after::json -> 'variants' -> 0 ->> 'id' from journal j where j.resource_id = p.id and j.version = 1
         ) as is_kept
       from products p join product_keys k using (store_id, id) order by p.id`
    )
    assert.deepStrictEqual(rows, [
      { version: 2, slug: "cup", price: 7, tags: ["red"], key: 7, ids: 2, is_kept: false },
      { version: 2, slug: "cup-2", price: 2, tags: [], key: 2, ids: 2, is_kept: true }
    ])
  })
)

it.live("invalid rows are reported with line and reason, and the other rows are imported", () =>
  Effect.gen(function* () {
    const { bring, client, fileOf } = yield* importScene()
    const file = fileOf("mixed", [
      cup(1, { slug: "mine" }),
      "{",
      "",
      cup(2, { price: -1, name: " " }),
      { name: "Nameless elsewhere" },
      `{"externalId":"huge","name":"${"x".repeat(1024 * 1024)}"}`,
      cup(3, { slug: "mine" }),
      "[]",
      cup(4, { metafields: { blob: "x".repeat(1024 * 1024 - 200) } }),
      cup(5, { slug: "mine" }),
      cup(6)
    ])
    const imported = yield* bring("products", file)
    assert.deepStrictEqual(countsOf(imported), [2, 0, 0, 8])
    assert.strictEqual(imported.refusedFile, `${file}.refused.jsonl`)
    const slugTaken = "slug: mine is taken; choose another, or omit it on creation to generate one"
    assert.sameDeepMembers(linesIn(`${file}.refused.jsonl`), [
      { line: 2, externalId: null, reason: "is not valid JSON" },
      {
        line: 4,
        externalId: "cup 2",
        reason: "name: must be text of 1 to 255 characters; price: must be a number from 0 to 999999999999999"
      },
      { line: 5, externalId: null, reason: "externalId: is missing" },
      { line: 6, externalId: null, reason: "is longer than 1048576 bytes" },
      { line: 7, externalId: "cup 3", reason: slugTaken },
      { line: 8, externalId: null, reason: "must be a JSON object" },
      {
        line: 9,
        externalId: "cup 4",
        reason: "The product would be larger than 1048576 bytes of JSON; shorten or remove some of its fields"
      },
      { line: 10, externalId: "cup 5", reason: slugTaken }
    ])
    const [store] = yield* rowsOf(client, "select product_count, (select count(*)::int from products) from stores")
    assert.deepStrictEqual(store, { product_count: 2, count: 2 })
  })
)

it.live("an import stops at the plan's limit, and a second run continues after an upgrade", () =>
  Effect.gen(function* () {
    const { bring, client, fileOf, storeId, url } = yield* importScene("free")
    const file = fileOf(
      "many",
      range(130).map((n) => cup(n))
    )
    const { code, stderr, stdout } = yield* cli(url, "import", "products", "--store", storeId, "--file", file, "--json")
    assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
    assert.strictEqual(
      stderr,
      "partner-api: Stopped before line 101: The store's plan allows 100 products; delete some or move to a larger plan. Created 100, updated 0, unchanged 0, refused 0. Then run the same import again to continue\n"
    )
    assert.deepStrictEqual(yield* rowsOf(client, "select product_count from stores"), [{ product_count: 100 }])
    yield* cli(url, "stores", "set-plan", storeId, "--plan", "starter")
    assert.deepStrictEqual(countsOf(yield* bring("products", file)), [30, 0, 100, 0])
  })
)

it.live("a dry run prints counts or stops at the plan's limit, and writes nothing", () =>
  Effect.gen(function* () {
    const { books, bring, fileOf, storeId, url } = yield* importScene("free")
    yield* bring("products", fileOf("few", [cup(1), cup(2)]))
    const before = yield* books
    const file = fileOf("next", [cup(1), cup(2, { price: 9 }), cup(3), cup(4, { price: "4" })])
    const dryRun = yield* bring("products", file, "--dry-run")
    assert.deepStrictEqual(countsOf(dryRun), [1, 1, 1, 1])
    assert.isTrue(dryRun.dryRun)
    const large = fileOf(
      "large",
      range(400).map((n) => cup(n))
    )
    const { code, stderr } = yield* cli(url, "import", "products", "--store", storeId, "--file", large, "--dry-run")
    assert.strictEqual(code, 1)
    assert.include(stderr, "Stopped before line 101: ")
    assert.deepStrictEqual(yield* books, before)
  })
)

it.live("--no-events writes journal entries but no events", () =>
  Effect.gen(function* () {
    const { bring, client, fileOf } = yield* importScene()
    yield* bring("products", fileOf("few", [cup(1), cup(2)]), "--no-events")
    yield* bring("products", fileOf("one", [cup(1, { price: 9 })]), "--no-events")
    const counts = yield* rowsOf(
      client,
      "select (select count(*)::int from journal where version is not null) as entries, (select count(*)::int from events) as events"
    )
    assert.deepStrictEqual(counts, [{ entries: 3, events: 0 }])
  })
)

it.live("an import creates a deleted product again", () =>
  Effect.gen(function* () {
    const { bring, client, fileOf } = yield* importScene()
    const file = fileOf("few", [cup(1), cup(2)])
    yield* bring("products", file)
    // The previous release deletes products without deleting their external ids itself.
    yield* rowsOf(client, "delete from products where slug = 'cup-1'")
    assert.deepStrictEqual(yield* rowsOf(client, "select external_id from external_ids"), [{ external_id: "cup 2" }])
    assert.deepStrictEqual(countsOf(yield* bring("products", file)), [1, 0, 1, 0])
  })
)

it.live("without --file the import reads standard input", () =>
  Effect.gen(function* () {
    const { storeId, url } = yield* importScene()
    const input = [cup(1), cup(2)].map((row) => JSON.stringify(row)).join("\n")
    const args = ["import", "products", "--store", storeId, "--json"]
    const { ended } = yield* startNode("cli", args, { DATABASE_URL: url }, input)
    const { code, stdout } = yield* ended
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(countsOf(Schema.decodeSync(Schema.fromJsonString(Imported))(stdout)), [2, 0, 0, 0])
  })
)

it.live("collections refer to products by external id or id", () =>
  Effect.gen(function* () {
    const { books, bring, client, fileOf } = yield* importScene()
    yield* bring("products", fileOf("cups", [cup(1), cup(2), cup(3)]))
    const [third] = yield* rowsOf(client, "select id from products where slug = 'cup-3'")
    const file = fileOf("collections", [
      { externalId: "a", title: "Two", productIds: ["cup 2", third?.["id"], "cup 2"] },
      { externalId: "b", title: "None", productIds: ["cup 9"] },
      { externalId: "c", title: "Cheap", rules: [{ field: "price", relation: "less_than", value: 3 }] }
    ])
    assert.deepStrictEqual(countsOf(yield* bring("collections", file)), [2, 0, 0, 1])
    assert.deepStrictEqual(linesIn(`${file}.refused.jsonl`), [
      { line: 2, externalId: "b", reason: "productIds.0: cup 9 is not in this store; import it first" }
    ])
    const members = yield* rowsOf(
      client,
      "select slug from collection_members m join products p on p.id = m.product_id order by position"
    )
    assert.deepStrictEqual(
      members.map(({ slug }) => slug),
      ["cup-2", "cup-3"]
    )
    const before = yield* books
    assert.deepStrictEqual(countsOf(yield* bring("collections", file)), [0, 0, 2, 1])
    assert.deepStrictEqual(yield* books, before)
    const changed = fileOf("changed", [{ externalId: "a", title: "One", productIds: ["cup 1"] }])
    assert.deepStrictEqual(countsOf(yield* bring("collections", changed)), [0, 1, 0, 0])
  })
)

it.live("orders refer to customers and products by external id, and totals are computed", () =>
  Effect.gen(function* () {
    const { books, bring, client, fileOf } = yield* importScene()
    const [customers, orders] = ["test/data/northwind/customers.jsonl", "test/data/northwind/orders.jsonl"]
    const refused = fileOf("refused", [])
    yield* bring("products", NORTHWIND)
    assert.deepStrictEqual(countsOf(yield* bring("orders", orders, "--refused", refused)), [0, 0, 0, 150])
    assert.deepInclude(linesIn(refused)[0], {
      line: 1,
      reason: "customerId: VINET is not in this store; import it first"
    })
    assert.deepStrictEqual(countsOf(yield* bring("customers", customers)), [91, 0, 0, 0])
    assert.deepStrictEqual(countsOf(yield* bring("orders", orders)), [150, 0, 0, 0])
    const sums = yield* rowsOf(
      client,
      `with orders as (select (opening || personal)::json as document from orders),
         customers as (select (opening || personal)::json as document from customers)
       select
         (select count(*)::int from orders o, json_array_elements(document -> 'lineItems') l
          where not exists (select from products p where p.id::text = l ->> 'productId')) as unknown,
         (select count(*)::int from orders o where (document ->> 'subtotal')::numeric <>
            (select sum((l ->> 'total')::numeric) from json_array_elements(document -> 'lineItems') l)) as "notAddingUp",
         (select sum((document ->> 'ordersCount')::int)::int from customers) as counted,
         (select sum((document ->> 'totalSpent')::numeric) from customers)
           = (select sum((document ->> 'total')::numeric) from orders) as "isSpent"`
    )
    assert.deepStrictEqual(sums, [{ unknown: 0, notAddingUp: 0, counted: 150, isSpent: true }])
    const before = yield* books
    assert.deepStrictEqual(countsOf(yield* bring("orders", orders)), [0, 0, 150, 0])
    assert.deepStrictEqual(countsOf(yield* bring("customers", customers)), [0, 0, 91, 0])
    assert.deepStrictEqual(yield* books, before)
  })
)

it.live("an import that is killed repeatedly ends with every row exactly once", () =>
  Effect.gen(function* () {
    const { bring, client, fileOf, storeId, url } = yield* importScene()
    const ROWS = 2000
    const file = fileOf(
      "many",
      range(ROWS).map((n) => cup(n))
    )
    const total = Effect.map(rowsOf(client, "select product_count as n from stores"), ([row]) => Number(row?.["n"]))
    for (const _ of range(3)) {
      const before = yield* total
      yield* Effect.scoped(
        Effect.gen(function* () {
          const args = ["import", "products", "--store", storeId, "--file", file]
          const { ended, kill } = yield* startNode("cli", args, { DATABASE_URL: url })
          yield* waitUntil(total, (n) => n > before)
          kill("SIGKILL")
          assert.strictEqual((yield* ended).signal, "SIGKILL")
          yield* rowsOf(client, "update jobs set next_at = now() where lease is not null")
        })
      )
    }
    const { created, unchanged } = yield* bring("products", file)
    assert.strictEqual(created + unchanged, ROWS)
    assert.isAbove(unchanged, 0)
    const [counts] = yield* rowsOf(
      client,
      `select product_count as counted, (select count(*)::int from products) as products,
         (select count(*)::int from product_keys) as keys,
         (select count(distinct document ->> 'name')::int from products) as names,
         (select count(*)::int from external_ids) as known, (select count(*)::int from journal where version is not null) as entries,
         (select count(*)::int from events) as events
       from stores`
    )
    const all = { counted: ROWS, products: ROWS, keys: ROWS, names: ROWS, known: ROWS, entries: ROWS, events: ROWS }
    assert.deepStrictEqual(counts, all)
  })
)

it.live("SIGINT stops an import with exit code 130 and prints how to continue", () =>
  Effect.gen(function* () {
    const { client, fileOf, storeId, url } = yield* importScene()
    const file = fileOf(
      "many",
      range(3000).map((n) => cup(n))
    )
    const total = Effect.map(rowsOf(client, "select product_count as n from stores"), ([row]) => Number(row?.["n"]))
    const args = ["import", "products", "--store", storeId, "--file", file]
    const { child, ended, kill } = yield* startNode("cli", args, { DATABASE_URL: url })
    yield* waitUntil(total, (n) => n > 0)
    assert.strictEqual(getPriority(child.pid), 19, "servers on the same machine come first")
    kill("SIGINT")
    const { code, stderr } = yield* ended
    assert.strictEqual(code, 130)
    assert.include(stderr, "run the same import again to continue")
    assert.isBelow(yield* total, 3000)
  })
)
