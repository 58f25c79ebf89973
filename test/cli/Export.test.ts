import { assert, it } from "@effect/vitest"
import { Effect, Schema, Struct } from "effect"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { cli, cliProcess, jsonOutput, createStore } from "../support/process/Cli.ts"
import { countsOf, Imported, importScene, linesIn } from "../support/data/Imports.ts"
import { temporaryFolder, rowsOf } from "../support/process/Process.ts"

const NORTHWIND = "test/data/northwind"

/** Kinds in import order: resources follow those that they refer to. */
const KINDS = ["products", "collections", "customers", "orders"]

const Exported = Schema.Struct({
  storeId: Schema.String.check(Schema.isUUID()),
  exported: Schema.Int,
  file: Schema.String
})
const AnyRow = Schema.Record(Schema.String, Schema.Unknown)
const rowsIn = (file: string) => Schema.decodeUnknownSync(Schema.Array(AnyRow))(linesIn(file))
const itemsOf = Schema.decodeUnknownSync(Schema.Array(AnyRow))

/** A row without generated fields: ids, versions and times. */
const withoutGenerated = (row: typeof AnyRow.Type) => ({
  ...Struct.omit(row, ["id", "version", "createdAt", "updatedAt"]),
  ...("variants" in row ? { variants: itemsOf(row["variants"]).map((item) => Struct.omit(item, ["id"])) } : {}),
  ...("lineItems" in row ? { lineItems: itemsOf(row["lineItems"]).map((item) => Struct.omit(item, ["id"])) } : {})
})

it.live("an export that is imported into an empty store exports the same rows, without generated fields", () =>
  Effect.gen(function* () {
    const { bring, client, fileOf, storeId, url } = yield* importScene()
    const path = yield* temporaryFolder
    const exportKind = Effect.fn(function* (from: string, kind: string) {
      const file = join(path, `${kind}-${from}.jsonl`)
      const facts = yield* jsonOutput(Exported, url, "export", kind, "--store", from, "--file", file)
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
    // Removes about half of the external ids, as for resources created in this service.
    yield* rowsOf(client, "delete from external_ids where hashtext(external_id) % 2 = 0")

    const emptyStoreId = (yield* createStore(url, "scale")).storeId
    const files = new Map<string, string>()
    for (const kind of KINDS) {
      const first = yield* exportKind(storeId, kind)
      files.set(kind, first)
      assert.isNotEmpty(linesIn(first), kind)
      assert.strictEqual(statSync(first).mode & 0o777, 0o600)
      const sameStore = yield* jsonOutput(Imported, url, "import", kind, "--store", storeId, "--file", first)
      assert.deepStrictEqual(countsOf(sameStore), [0, 0, linesIn(first).length, 0], kind)
      const otherStore = yield* jsonOutput(Imported, url, "import", kind, "--store", emptyStoreId, "--file", first)
      assert.deepStrictEqual(countsOf(otherStore), [linesIn(first).length, 0, 0, 0], kind)
    }
    for (const [kind, first] of files) {
      const second = yield* exportKind(emptyStoreId, kind)
      assert.deepStrictEqual(rowsIn(second).map(withoutGenerated), rowsIn(first).map(withoutGenerated), kind)
    }
    const printed = yield* cliProcess(url, "export", "products", "--store", storeId)
    assert.deepStrictEqual([printed.code, printed.stderr], [0, ""])
    assert.strictEqual(printed.stdout, readFileSync(files.get("products") ?? "", "utf8"))
  })
)

it.live("a CSV that is imported into its store changes nothing, and brings the same rows to an empty store", () =>
  Effect.gen(function* () {
    const { bring, fileOf, storeId, url } = yield* importScene()
    const path = yield* temporaryFolder
    const exportKind = Effect.fn(function* (from: string, kind: string, format: string) {
      const file = join(path, `${kind}-${from}.${format}`)
      yield* jsonOutput(Exported, url, "export", kind, "--store", from, "--file", file, "--format", format)
      return file
    })
    const products = [
      { externalId: "=1+1", name: '+Cup "large"', description: "", tags: ["a,b"], metafields: { a: { b: "=c" } } },
      { externalId: "2", name: "Plate\r\nblue", sku: "-7", price: 0.1, isActive: false },
      {
        externalId: "3",
        name: "'Desk",
        options: [{ name: "Size", values: ["S", "L"] }],
        variants: [
          { options: { Size: "S" }, sku: "=S", price: 12.5 },
          { options: { Size: "L" }, stock: 3 }
        ]
      }
    ]
    yield* bring("products", fileOf("products.jsonl", products))
    const collections = [
      { externalId: "hand", title: "@Hand", productIds: ["3", "=1+1"] },
      { externalId: "rules", title: "Rules", rules: [{ field: "price", relation: "greater_than", value: 5 }] }
    ]
    yield* bring("collections", fileOf("collections.jsonl", collections))
    yield* bring("customers", `${NORTHWIND}/customers.jsonl`)
    yield* bring("orders", `${NORTHWIND}/orders.jsonl`)

    const emptyStoreId = (yield* createStore(url, "scale")).storeId
    const files = new Map<string, string>()
    for (const kind of KINDS) {
      const csv = yield* exportKind(storeId, kind, "csv")
      const first = yield* exportKind(storeId, kind, "jsonl")
      files.set(kind, first)
      const { length } = linesIn(first)
      const read = (store: string) =>
        jsonOutput(Imported, url, "import", kind, "--store", store, "--file", csv, "--format", "csv")
      assert.deepStrictEqual(countsOf(yield* read(storeId)), [0, 0, length, 0], kind)
      assert.deepStrictEqual(countsOf(yield* read(emptyStoreId)), [length, 0, 0, 0], kind)
    }
    for (const [kind, first] of files) {
      const second = yield* exportKind(emptyStoreId, kind, "jsonl")
      assert.deepStrictEqual(rowsIn(second).map(withoutGenerated), rowsIn(first).map(withoutGenerated), kind)
    }
  })
)

it.live("an export to an unwritable file or of an unknown store prints an error and exits with 1", () =>
  Effect.gen(function* () {
    const { storeId, url } = yield* importScene()
    const unwritable = yield* cli(url, "export", "orders", "--store", storeId, "--file", "/nowhere/orders.jsonl")
    assert.strictEqual(unwritable.code, 1)
    assert.match(unwritable.stderr, /The export could not be written: .*ENOENT/)
    const unknownStore = yield* cli(url, "export", "orders", "--store", "019c1363-49c0-7a11-9c3d-0b8e5f6a7d42")
    assert.strictEqual(unknownStore.code, 1)
    assert.match(unknownStore.stderr, /Store 019c1363/)
  })
)
