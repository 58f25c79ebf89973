import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { countsOf, importScene, linesIn, pick } from "../../support/data/Imports.ts"
import { rowsOf } from "../../support/process/Process.ts"

/** A store into which rows of JSON Lines are imported. */
const rowScene = Effect.gen(function* () {
  const { bring, client, fileOf } = yield* importScene()
  const file = fileOf("rows.jsonl", [])
  return {
    file,
    importRows: (rows: ReadonlyArray<object>, ...args: ReadonlyArray<string>) => {
      fileOf("rows.jsonl", rows)
      return Effect.map(bring("products", file, ...args), countsOf)
    },
    bringFile: (...args: ReadonlyArray<string>) => Effect.map(bring("products", file, ...args), countsOf),
    products: Effect.map(rowsOf(client, "select document from products order by id"), (rows) =>
      rows.map(({ document }) => document)
    ),
    refusals: () => linesIn(`${file}.refused.jsonl`)
  }
})

const SHIRT = {
  externalId: "shirt",
  name: "Shirt",
  price: 10,
  tags: ["cotton"],
  options: [{ name: "Size", values: ["S", "M"] }],
  variants: [
    { title: "Small", options: { Size: "S" }, sku: "S-S", price: 10, stock: 3 },
    { title: "Medium", options: { Size: "M" }, sku: "S-M", price: 12, stock: 4, note: "last ones" }
  ]
}

it.live("a row of a stored product is a PATCH, and a new product needs a name", () =>
  Effect.gen(function* () {
    const { importRows, products, refusals } = yield* rowScene
    yield* importRows([SHIRT])
    const rows = [
      { externalId: "shirt", price: 7 },
      { externalId: "mug", price: 3 }
    ]
    assert.deepStrictEqual(yield* importRows(rows), [0, 1, 0, 1])
    assert.deepStrictEqual(pick(yield* products, "name", "price", "tags"), [
      { name: "Shirt", price: 7, tags: ["cotton"] }
    ])
    assert.deepStrictEqual(refusals(), [
      { line: 2, externalId: "mug", reason: "name: is missing; a product that does not exist yet needs one" }
    ])
    assert.deepStrictEqual(yield* importRows(rows), [0, 0, 1, 1])
  })
)

it.live("a row is refused if names of options or values of one repeat, also those of stored variants", () =>
  Effect.gen(function* () {
    const { importRows, products, refusals } = yield* rowScene
    yield* importRows([SHIRT])
    const rows = [
      { externalId: "mug", name: "Mug", options: [{ name: "Color", values: ["Red", "red"] }] },
      {
        externalId: "shirt",
        options: [{ name: "size", values: ["L"] }],
        variants: [{ title: "Large", options: { size: "L" }, sku: "S-L" }]
      }
    ]
    assert.deepStrictEqual(yield* importRows(rows), [0, 0, 0, 2])
    assert.deepStrictEqual(
      refusals().map((refusal) => /"reason":"([^:]*)/.exec(JSON.stringify(refusal))?.[1]),
      ["options.0.values.1", "options.1.name"]
    )
    assert.deepStrictEqual(pick(yield* products, "options"), [{ options: SHIRT.options }])
  })
)

it.live("variants of a row are merged by id, options and SKU; null clears a member", () =>
  Effect.gen(function* () {
    const { importRows, products } = yield* rowScene
    yield* importRows([SHIRT])
    const [before] = yield* products
    const [small] = Object(before).variants
    const rows = [
      {
        externalId: "shirt",
        variants: [
          { id: small.id, options: { Size: "XS" } },
          { sku: "S-M", price: 13, stock: null },
          { options: { Size: "L" }, price: 14 }
        ]
      }
    ]
    assert.deepStrictEqual(yield* importRows(rows), [0, 1, 0, 0])
    const [after] = yield* products
    const medium = Object(before).variants[1]
    assert.deepStrictEqual(pick(Object(after).variants.slice(0, 2), "id"), [{ id: small.id }, { id: medium.id }])
    assert.deepStrictEqual(pick(Object(after).variants, "title", "options", "sku", "price", "stock", "note"), [
      { title: "Small", options: { Size: "XS" }, sku: "S-S", price: 10, stock: 3, note: undefined },
      { title: "Medium", options: { Size: "M" }, sku: "S-M", price: 13, stock: undefined, note: "last ones" },
      { title: undefined, options: { Size: "L" }, sku: undefined, price: 14, stock: undefined, note: undefined }
    ])
    assert.deepStrictEqual(yield* importRows(rows), [0, 0, 1, 0])
    assert.deepStrictEqual(yield* importRows(rows, "--replace-variants"), [0, 0, 1, 0])
    const large = [{ externalId: "shirt", variants: [{ options: { Size: "L" } }] }]
    assert.deepStrictEqual(yield* importRows(large, "--replace-variants"), [0, 1, 0, 0])
    const [last] = yield* products
    assert.deepStrictEqual(pick(Object(last).variants, "options", "price"), [{ options: { Size: "L" }, price: 14 }])
  })
)

/** Variant of a product whose variants share a SKU. */
const sameSku = (size: string) => ({ options: { Size: size }, sku: "SAME" })

it.live("a SKU that several variants share names none of them", () =>
  Effect.gen(function* () {
    const { importRows, products } = yield* rowScene
    yield* importRows([{ externalId: "a", name: "A", variants: [sameSku("S"), sameSku("M")] }])
    yield* importRows([{ externalId: "a", variants: [sameSku("L")] }])
    const [product] = yield* products
    assert.deepStrictEqual(pick(Object(product).variants, "options"), [
      { options: { Size: "S" } },
      { options: { Size: "M" } },
      { options: { Size: "L" } }
    ])
  })
)

it.live("a variant with an invalid member refuses its row with the member's path", () =>
  Effect.gen(function* () {
    const { importRows, refusals } = yield* rowScene
    const rows = [
      { externalId: "a", name: "A", variants: [{ sku: null, price: "12" }] },
      { externalId: "b", name: "B", variants: "none" }
    ]
    assert.deepStrictEqual(yield* importRows(rows), [0, 0, 0, 2])
    assert.deepStrictEqual(pick(refusals(), "line", "reason"), [
      { line: 1, reason: "variants.0.price: must be a number from 0 to 999999999999999" },
      { line: 2, reason: "variants: must be a list" }
    ])
  })
)

it.live("JSON Lines of another encoding are read with --encoding", () =>
  Effect.gen(function* () {
    const { bringFile, file, products } = yield* rowScene
    writeFileSync(file, Buffer.from('\uFEFF{"externalId":"a","name":"Café"}\n', "utf16le"))
    assert.deepStrictEqual(yield* bringFile("--encoding", "utf-16le"), [1, 0, 0, 0])
    writeFileSync(file, Buffer.from('{"externalId":"a","name":"Café"}\n', "latin1"))
    // Every label of UTF-8 refuses only the invalid row.
    for (const label of [[], ["--encoding", "UTF-8"]]) {
      assert.deepStrictEqual(yield* bringFile(...label), [0, 0, 0, 1])
    }
    assert.deepStrictEqual(pick(yield* products, "name"), [{ name: "Café" }])
  })
)
