import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { csvScene, Imported, linesOf, pick } from "../../support/data/Imports.ts"
import { cli, jsonOutput } from "../../support/process/Cli.ts"

const crLf = (...lines: ReadonlyArray<string>) => lines.map((line) => `${line}\r\n`).join("")

/** Encodes text as UTF-16 with a byte order mark. */
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le")

/** Cell of a reason, as a refused row has it. */
const number = (found: string) =>
  `"Variant Price: must be a number with a decimal comma, such as 1234,5, not ""${found}"""`

const prices = (all: unknown) => pick(all, "name", "price")

it.live(
  "the delimiter, decimal sign, UTF-16 and line ends of a spreadsheet are detected, and the first two printed",
  () =>
    Effect.gen(function* () {
      const { products, save, storeId, url } = yield* csvScene
      const header = ["Handle", "Title", "Variant Price", "Variant Grams"]
      const rows = (delimiter: string, price: string, grams: string) =>
        [header, ["a", '"A; 1, 2"', price, grams]].map((cells) => cells.join(delimiter))
      const files = [
        ["semicolon", "comma", crLf(...rows(";", "1.299,50", "1.450")), 1299.5],
        ["tab", "comma", utf16(crLf(...rows("\t", "1\u202F291,00", "1 450"))), 1291],
        ["comma", "point", `${rows(",", "7", "1450").join("\r\n")}\nb,B,8,\n`, 7]
      ] as const
      for (const [delimiter, decimal, csv, price] of files) {
        const args = ["import", "products", "--store", storeId, "--format", "shopify", "--file", save(csv)]
        const read = yield* jsonOutput(Imported, url, ...args)
        assert.deepInclude(read, { delimiter, decimal, refused: 0 }, JSON.stringify(csv))
        const [product] = yield* products
        assert.deepStrictEqual(pick(product, "name", "price", "weight"), { name: "A; 1, 2", price, weight: 1.45 })
      }
    })
)

it.live("a number with two readings is refused with both, and read with --decimal", () =>
  Effect.gen(function* () {
    const { importCsv, products, refusals } = yield* csvScene
    const unclear = linesOf("Handle;Title;Variant Price", "a;A;1.234", "b;B;1,234", "c;C;5")
    assert.deepStrictEqual(yield* importCsv(unclear), [1, 0, 0, 2])
    const reason = "which can be 1234 or 1.234; write it without separators, or set the decimal sign of the file"
    assert.deepStrictEqual(refusals(), [
      { line: 2, externalId: "a", reason: `Variant Price: is "1.234", ${reason}` },
      { line: 3, externalId: "b", reason: `Variant Price: is "1,234", ${reason}` }
    ])
    assert.deepStrictEqual(yield* importCsv(unclear, "--decimal", "comma"), [2, 0, 1, 0])
    assert.deepStrictEqual(prices(yield* products), [
      { name: "C", price: 5 },
      { name: "A", price: 1234 },
      { name: "B", price: 1.234 }
    ])
    assert.deepStrictEqual(yield* importCsv(unclear, "--decimal", "point"), [0, 1, 1, 1])

    const mixed = linesOf("Handle;Title;Variant Price", "a;A;12,50", "d;D;7.5", "d;;8,5", "e;E;9,75")
    assert.deepStrictEqual(yield* importCsv(mixed, "--decimal", "comma"), [1, 1, 0, 1])
    assert.deepStrictEqual(refusals(), [
      {
        line: 3,
        externalId: "d",
        reason: 'Variant Price: must be a number with a decimal comma, such as 1234,5, not "7.5"'
      }
    ])
    const quoted = linesOf("Handle,Title,Variant Price", 'f,F,"1,234"')
    assert.deepStrictEqual(yield* importCsv(quoted), [0, 0, 0, 1])
    assert.match(JSON.stringify(refusals()), /can be 1234 or 1\.234/)
  })
)

it.live(
  "--delimiter and a mapping decide how columns with unknown names are read, and prices have the store's currency",
  () =>
    Effect.gen(function* () {
      const { importCsv, products, refusals } = yield* csvScene
      const csv = linesOf(
        "Bezeichnung;VK, brutto;Lager, Ost, West",
        "Kanne;34,90 CHF;1",
        "Krug;CHF 1.299,-;2",
        "Topf;5,00 €;3"
      )
      const mapping = ["--mapping", '{"Bezeichnung":"title","VK, brutto":"price"}'] as const
      assert.deepStrictEqual(yield* importCsv(csv, ...mapping), [2, 0, 0, 1])
      assert.deepStrictEqual(prices(yield* products), [
        { name: "Kanne", price: 34.9 },
        { name: "Krug", price: 1299 }
      ])
      assert.deepStrictEqual(pick(refusals(), "line", "reason"), [
        { line: 4, reason: 'VK, brutto: must be a number with a decimal comma, such as 1234,5, not "5,00 €"' }
      ])
      const tie = linesOf("Name;x,Title;y", "a;b,Topf;c")
      assert.deepStrictEqual(
        yield* importCsv(tie, "--mapping", '{"Name":"title"}', "--delimiter", "semicolon"),
        [1, 0, 0, 0]
      )
      assert.deepStrictEqual(pick(yield* products, "name"), [{ name: "Kanne" }, { name: "Krug" }, { name: "a" }])
    })
)

it.live("a CSV of an export is read after a spreadsheet has saved it, and a row with too many cells is refused", () =>
  Effect.gen(function* () {
    const { bring, products, refusals, save } = yield* csvScene
    const csv = crLf("externalId;name;price;vendorName", "1;Cup;1.299,5;Kiln", "2;Plate;3,25", "3;Bowl;4,5;a;b")
    const counts = yield* bring("products", save(csv), "--format", "csv")
    assert.deepInclude(counts, { created: 2, refused: 1 })
    assert.deepStrictEqual(pick(yield* products, "name", "price", "vendorName"), [
      { name: "Cup", price: 1299.5, vendorName: "Kiln" },
      { name: "Plate", price: 3.25, vendorName: null }
    ])
    assert.deepStrictEqual(pick(refusals(), "line", "externalId"), [{ line: 4, externalId: "3" }])
  })
)

it.live("refused rows are written with their cells and the reason, and imported after they are mended", () =>
  Effect.gen(function* () {
    const { importCsv, products, save, storeId, url } = yield* csvScene
    const file = save(
      crLf(
        "Handle;Title;Option1 Name;Option1 Value;Variant Price",
        "mug;Mug;;;5,5",
        'tee;"T; ""fine""";Size;S;1.000,5',
        "cap;Cap;;;x",
        "tee;;;M;12.5",
        "pot;Pot;;;6,5"
      )
    )
    const args = ["import", "products", "--store", storeId, "--format", "shopify", "--decimal", "comma", "--file"]
    const counts = yield* jsonOutput(Imported, url, ...args, file)
    assert.deepInclude(counts, { created: 2, refused: 2 })
    const refused = `${file}.refused.csv`
    const text = readFileSync(refused, "utf8")
    assert.strictEqual(
      text,
      `\uFEFF${crLf(
        "Handle;Title;Option1 Name;Option1 Value;Variant Price;Refused because",
        `tee;"T; ""fine""";Size;S;1.000,5;${number("12.5")}`,
        `cap;Cap;;;x;${number("x")}`,
        `tee;;;M;12.5;${number("12.5")}`
      )}`
    )
    const mended = text.replace(";12.5;", ";12,5;").replace(";x;", ";3;")
    assert.deepStrictEqual(yield* importCsv(mended), [2, 0, 0, 0])
    assert.deepStrictEqual(pick(yield* products, "name", "price", "customFields"), [
      { name: "Mug", price: 5.5, customFields: [] },
      { name: "Pot", price: 6.5, customFields: [] },
      { name: 'T; "fine"', price: 1000.5, customFields: [] },
      { name: "Cap", price: 3, customFields: [] }
    ])
    assert.include((yield* cli(url, ...args, file, "--delimiter", "pipe")).stderr, "--delimiter")
  })
)
