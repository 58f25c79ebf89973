import { assert, describe, it } from "@effect/vitest"
import { MAX_VARIANTS } from "../../src/domain/catalog/ProductParts.ts"
import { cleanHtml } from "../../src/web/features/products/editor/descriptionHtml.ts"
import type { OptionDraft, VariantDraft } from "../../src/web/features/products/editor/productDraft.ts"
import {
  cellColumns,
  fillDown,
  followOptions,
  groupsOf,
  missingVariants,
  newVariant,
  parseCells,
  pasteCells,
  priceRange,
  refusalText
} from "../../src/web/features/products/editor/variantTable.ts"

const option = (name: string, ...values: ReadonlyArray<string>): OptionDraft => ({ key: name, name, values })

/** Variant of the service. */
const saved = (key: string, choices: VariantDraft["choices"], members: Partial<VariantDraft> = {}): VariantDraft => ({
  ...newVariant(choices),
  title: Object.values(choices).join(" / "),
  key,
  ...members
})

const size = option("Size", "S", "M")
const variants = [saved("1", { Size: "S" }, { price: "10" }), saved("2", { Size: "M" }, { title: "Medium" })]

const shape = (rows: ReadonlyArray<VariantDraft>) =>
  rows.map(({ key, price, title }) => [key.startsWith("new ") ? "new" : key, title, price])

describe("Options and variants", () => {
  it("a new value adds its combinations, and the first value of a new option goes to the existing variants", () => {
    const added = followOptions(variants, [size], [option("Size", "S", "M", "L")])
    assert.deepStrictEqual(shape(added), [
      ["1", "S", "10"],
      ["2", "Medium", ""],
      ["new", "L", ""]
    ])
    const red = followOptions(variants, [size, option("Color")], [size, option("Color", "Red")])
    assert.deepStrictEqual(
      red.map(({ choices }) => choices),
      [
        { Size: "S", Color: "Red" },
        { Size: "M", Color: "Red" }
      ]
    )
    const both = followOptions(red, [size, option("Color", "Red")], [size, option("Color", "Red", "Blue")])
    assert.deepStrictEqual(shape(both), [
      ["1", "S / Red", "10"],
      ["2", "Medium", ""],
      ["new", "S / Blue", ""],
      ["new", "M / Blue", ""]
    ])
  })

  it("a combination that was removed returns only with the button for missing ones", () => {
    const color = option("Color", "Red", "Blue")
    const all = missingVariants([size, color], [])
    const some = all.filter(({ title }) => title !== "M / Blue")
    const next = [size, option("Color", "Red", "Blue", "Green")]
    assert.deepStrictEqual(
      followOptions(some, [size, color], next).map(({ title }) => title),
      ["S / Red", "S / Blue", "M / Red", "S / Green", "M / Green"]
    )
    assert.deepStrictEqual(
      missingVariants([size, color], some).map(({ title }) => title),
      ["M / Blue"]
    )
  })

  it("variants without options of their own stay as they are", () => {
    const [wide] = followOptions([saved("1", {}, { title: "Wide" })], [option("Size")], [size])
    assert.deepStrictEqual([wide?.title, wide?.choices], ["Wide", {}])
  })

  it("removing an option keeps variants with values of their own and leaves out empty ones that are alike", () => {
    const color = option("Color", "Red", "Blue")
    const rows = [saved("1", { Size: "S", Color: "Red" }), ...missingVariants([size, color], []).slice(1)]
    assert.deepStrictEqual(shape(followOptions(rows, [size, color], [size])), [
      ["1", "S", ""],
      ["new", "M", ""]
    ])
    assert.deepStrictEqual(shape(followOptions(rows, [size, color], [])), [["1", "S / Red", ""]])
    const named = rows.map((row) => (row.title === "S / Blue" ? { ...row, title: "Sky" } : row))
    assert.deepStrictEqual(shape(followOptions(named, [size, color], [size])), [
      ["1", "S", ""],
      ["new", "Sky", ""],
      ["new", "M", ""]
    ])
  })

  it("combinations stop at the limit of a product", () => {
    const many = Array.from({ length: 60 }, (_, index) => `${index}`)
    assert.lengthOf(followOptions([], [], [option("A", ...many), option("B", ...many)]), MAX_VARIANTS)
  })

  it("two options make groups by the first, with a price range that includes inherited prices", () => {
    const color = option("Color", "Red", "Blue")
    const rows = [saved("1", { Color: "Blue" }), saved("2", { Size: "M" }), saved("3", { Size: "S" }, { price: "10" })]
    assert.deepStrictEqual(
      groupsOf([size, color], rows).map(({ name, variants: members }) => [name, members.map(({ key }) => key)]),
      [
        ["S", ["3"]],
        ["M", ["2"]],
        ["", ["1"]]
      ]
    )
    assert.deepStrictEqual(groupsOf([size], rows), [])
    assert.deepStrictEqual(priceRange(rows, "25"), [10, 25])
    assert.isUndefined(priceRange(rows.slice(0, 1), ""))
  })
})

describe("Edits of many cells", () => {
  const columns = cellColumns([size], true, "EUR")
  const from = (id: string) => columns.slice(columns.findIndex((column) => column.id === id))
  const rows = [...variants, { ...newVariant(), key: "new 3" }]
  const keys = ["1", "2", "new 3"]

  it("copied cells of a spreadsheet have tabs, line breaks and quoted texts", () => {
    assert.deepStrictEqual(parseCells('1\t"a ""b""\nc"\r\n2\t"plain" text\r\n'), [
      ["1", 'a "b"\nc'],
      ["2", '"plain" text']
    ])
    assert.deepStrictEqual(parseCells("a\t\n\tb"), [
      ["a", ""],
      ["", "b"]
    ])
  })

  it("a paste fills from a cell on, names refused cells and counts those without a place", () => {
    const pasted = pasteCells(rows, keys.slice(1), from("price"), [
      ["1,5", "3", "A-2"],
      ["12.50", "2.5", "A-3"],
      ["9", "1"]
    ])
    assert.deepStrictEqual(
      pasted.variants.map(({ price, sku, stock }) => [price, stock, sku]),
      [
        ["10", "", ""],
        ["", "", "A-2"],
        ["12.50", "", "A-3"]
      ]
    )
    assert.deepStrictEqual([pasted.filled, pasted.outside], [3, 2])
    assert.deepStrictEqual(
      pasted.refused.map((refusal) => refusalText(rows, refusal)),
      [
        "Variant 2, Price: Write 1.5",
        "Variant 2, Stock: Use its stock button. Saved variants record each change of stock",
        "Variant 3, Stock: Write a whole number, such as 1234 or 1,234"
      ]
    )
  })

  it("a saved price cannot be pasted away, and option values rename an automatic title", () => {
    const cleared = pasteCells(rows, ["1"], from("price"), [[""]])
    assert.deepStrictEqual([cleared.filled, cleared.refused.length], [0, 1])
    const [first, second] = pasteCells(rows, keys, columns, [["L"], ["XL"]]).variants
    assert.deepStrictEqual([first?.title, second?.title], ["L", "Medium"])
  })

  it("fill-down copies a cell to the rows below it and to no other", () => {
    const [price] = from("price")
    assert.isDefined(price)
    if (price === undefined) return
    assert.deepStrictEqual(
      fillDown(rows, ["1", "new 3"], price).variants.map(({ price: text }) => text),
      ["10", "", "10"]
    )
  })
})

describe("HTML of descriptions", () => {
  it("list items of one paragraph have no paragraph element, and an empty text has no HTML", () => {
    assert.strictEqual(
      cleanHtml("<ul><li><p>A <strong>b</strong></p></li></ul>"),
      "<ul><li>A <strong>b</strong></li></ul>"
    )
    const nested = "<ul><li><p>A</p><ul><li><p>b</p></li></ul></li></ul>"
    assert.strictEqual(cleanHtml(nested), "<ul><li><p>A</p><ul><li>b</li></ul></li></ul>")
    assert.strictEqual(cleanHtml("<p></p>"), "")
  })
})
