import { assert, it } from "@effect/vitest"
import { Effect, Schema, Struct } from "effect"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { cli, cliProcess, factsOf, store } from "../support/process/Cli.ts"
import { countsOf, Imported, importing, linesIn } from "../support/data/Imports.ts"
import { folder, rowsOf } from "../support/process/Process.ts"

const NORTHWIND = "test/data/northwind"

/** What refers to others comes after them. */
const KINDS = ["products", "collections", "customers", "orders"]

const Exported = Schema.Struct({
  storeId: Schema.String.check(Schema.isUUID()),
  exported: Schema.Int,
  file: Schema.String
})
const AnyRow = Schema.Record(Schema.String, Schema.Unknown)
const rowsIn = (file: string) => Schema.decodeUnknownSync(Schema.Array(AnyRow))(linesIn(file))
const itemsOf = Schema.decodeUnknownSync(Schema.Array(AnyRow))

/** A row without what the service gives: ids, versions and times. */
const said = (row: typeof AnyRow.Type) => ({
  ...Struct.omit(row, ["id", "version", "createdAt", "updatedAt"]),
  ...("variants" in row ? { variants: itemsOf(row["variants"]).map((item) => Struct.omit(item, ["id"])) } : {}),
  ...("lineItems" in row ? { lineItems: itemsOf(row["lineItems"]).map((item) => Struct.omit(item, ["id"])) } : {})
})

it.live("an export that is imported into an empty store exports the same lines", () =>
  Effect.gen(function* () {
    const { bring, client, fileOf, storeId, url } = yield* importing()
    const path = yield* folder
    const take = Effect.fn(function* (from: string, kind: string) {
      const file = join(path, `${kind}-${from}.jsonl`)
      const facts = yield* factsOf(Exported, url, "export", kind, "--store", from, "--file", file)
      assert.deepStrictEqual(facts, { storeId: from, exported: linesIn(file).length, file })
      return file
    })
    yield* bring("products", `${NORTHWIND}/products.jsonl`)
    const collections = [
      { externalId: "favourites", title: "Favourites", productIds: ["11", "42"] },
      { externalId: "dear", title: "Dear", rules: [{ field: "price", relation: "greater_than", value: 50 }] }
    ]
    yield* bring("collections", fileOf("collections.jsonl", collections))
    yield* bring("customers", `${NORTHWIND}/customers.jsonl`)
    yield* bring("orders", `${NORTHWIND}/orders.jsonl`)
    // Half of them have no name from elsewhere, as what was made here.
    yield* rowsOf(client, "delete from external_ids where hashtext(external_id) % 2 = 0")

    const empty = (yield* store(url, "scale")).storeId
    for (const kind of KINDS) {
      const first = yield* take(storeId, kind)
      assert.isNotEmpty(linesIn(first), kind)
      assert.strictEqual(statSync(first).mode & 0o777, 0o600)
      const printed = yield* cliProcess(url, "export", kind, "--store", storeId)
      assert.deepStrictEqual([printed.code, printed.stderr], [0, ""])
      assert.strictEqual(printed.stdout, readFileSync(first, "utf8"))

      const here = yield* factsOf(Imported, url, "import", kind, "--store", storeId, "--file", first)
      assert.deepStrictEqual(countsOf(here), [0, 0, linesIn(first).length, 0], kind)
      const there = yield* factsOf(Imported, url, "import", kind, "--store", empty, "--file", first)
      assert.deepStrictEqual(countsOf(there), [linesIn(first).length, 0, 0, 0], kind)
    }
    for (const kind of KINDS) {
      const [first, second] = [yield* take(storeId, kind), yield* take(empty, kind)]
      assert.deepStrictEqual(rowsIn(second).map(said), rowsIn(first).map(said), kind)
    }
  })
)

it.live("an unwritable file or an unknown store prints one error line", () =>
  Effect.gen(function* () {
    const { storeId, url } = yield* importing()
    const nowhere = yield* cli(url, "export", "orders", "--store", storeId, "--file", "/nowhere/orders.jsonl")
    assert.strictEqual(nowhere.code, 1)
    assert.match(nowhere.stderr, /The export could not be written: .*ENOENT/)
    const gone = yield* cli(url, "export", "orders", "--store", "019c1363-49c0-7a11-9c3d-0b8e5f6a7d42")
    assert.strictEqual(gone.code, 1)
    assert.match(gone.stderr, /Store 019c1363/)
  })
)
