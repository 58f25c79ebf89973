import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { NOT_A_DOUBLE } from "../../../src/domain/json/Numbers.ts"
import { csvScene, linesOf, pick } from "../../support/data/Imports.ts"
import { cli } from "../../support/process/Cli.ts"

/** Refusal of a price on a line. */
const refusedPrice = (line: number, text: string, isNumber = false) => ({
  line,
  externalId: `p${line - 2}`,
  reason: `Variant Price: must be a number ${isNumber ? "from 0 to 999999999999999" : "such as 1234.5, without separators or currency"}, not "${text}"`
})

/** Reason for a row with another number of cells than the header. */
const cellsReason = (cells: number) =>
  `has ${cells} cells and the header 5; put quotes around cells that contain the delimiter`

it.live("numbers keep their value; other text is refused with line, column and advice", () =>
  Effect.gen(function* () {
    const { importCsv, products, refusals } = yield* csvScene
    const prices = [
      "1e3",
      " 12.5 ",
      ".5",
      "5.",
      "007",
      "19.990000000000002",
      "$30.00",
      '"1,234.50"',
      "0x1F",
      "0b11",
      "1_000",
      "٣",
      "-5",
      "Infinity",
      "0.1234567890123456789",
      "1e400"
    ]
    const csv = linesOf("Handle,Title,Variant Price", ...prices.map((price, n) => `p${n},P,${price}`))
    assert.deepStrictEqual(yield* importCsv(csv), [6, 0, 0, 10])
    const stored = yield* products
    assert.deepStrictEqual(
      pick(stored, "price"),
      [1000, 12.5, 0.5, 5, 7, 19.990000000000002].map((price) => ({ price }))
    )
    assert.deepStrictEqual(refusals(), [
      refusedPrice(8, "$30.00"),
      refusedPrice(9, "1,234.50"),
      refusedPrice(10, "0x1F"),
      refusedPrice(11, "0b11"),
      refusedPrice(12, "1_000"),
      refusedPrice(13, "٣"),
      refusedPrice(14, "-5", true),
      refusedPrice(15, "Infinity"),
      ...["0.1234567890123456789", "1e400"].map((text, n) => ({
        line: 16 + n,
        externalId: `p${14 + n}`,
        reason: `Variant Price: ${NOT_A_DOUBLE}, not "${text}"`
      }))
    ])
    yield* importCsv(
      linesOf("Handle,Title,Option1 Name,Option1 Value,Variant Inventory Qty", "sum,Sum,Size,S,0.1", "sum,,,M,0.2")
    )
    assert.deepStrictEqual(pick((yield* products).at(-1), "stock"), { stock: 0.3 })
    const unheld = linesOf(
      "Handle,Title,Option1 Name,Option1 Value,Variant Inventory Qty",
      "sum,Sum,Size,S,1000",
      "sum,,,M,1e-14"
    )
    assert.deepStrictEqual(yield* importCsv(unheld), [0, 0, 0, 1])
    assert.deepStrictEqual(refusals(), [
      { line: 2, externalId: "sum", reason: "stock: must be a number from 0 to 999999999999999" }
    ])
  })
)

it.live("words are trimmed and read in any case; unknown ones are refused", () =>
  Effect.gen(function* () {
    const { importCsv, products, refusals } = yield* csvScene
    const csv = linesOf(
      "Handle,Title,Published,Status,Gift Card,Variant Requires Shipping",
      "a,A,FALSE ,ACTIVE ,FALSE,TRUE",
      "b,B, True,Draft,TRUE ,",
      "c,C,FAUX,active,,",
      "d,D,true,aktiv,,",
      "e,E,,, no ,false"
    )
    assert.deepStrictEqual(yield* importCsv(csv), [3, 0, 0, 2])
    assert.deepStrictEqual(pick(yield* products, "isActive", "productKind"), [
      { isActive: false, productKind: "physical" },
      { isActive: false, productKind: "gift_card" },
      { isActive: true, productKind: "digital" }
    ])
    assert.deepStrictEqual(refusals(), [
      { line: 4, externalId: "c", reason: 'Published: must be true or false, not "FAUX"' },
      { line: 5, externalId: "d", reason: 'Status: must be active, draft, archived or unlisted, not "aktiv"' }
    ])
  })
)

it.live(
  "rows of a product may stand apart; those of no product or several are refused, and a second run changes nothing",
  () =>
    Effect.gen(function* () {
      const { importCsv, products, refusals } = yield* csvScene
      const apart = linesOf(
        "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price",
        "shirt,Shirt,Size,S,S-S,10",
        "mug,Mug,Title,Default Title,M-1,5",
        "shirt,Shirt,Size,M,S-M,11",
        "cap,Cap,Size,S,C-S,3",
        "mug,Mug,,,M-1,5",
        "shirt,Shirt,Size,L,S-L,12",
        ",,Size,XL,S-XL,13",
        "cap,Cap,Size,M,C-M,cheap"
      )
      assert.deepStrictEqual(yield* importCsv(apart), [1, 0, 0, 2])
      assert.deepStrictEqual(pick((yield* products)[0], "name", "options"), {
        name: "Shirt",
        options: [{ name: "Size", values: ["S", "M", "L", "XL"] }]
      })
      assert.deepStrictEqual(pick(refusals(), "line", "externalId", "reason"), [
        {
          line: 6,
          externalId: "mug",
          reason: "Option1 Value: is empty; give each variant a value of each option"
        },
        {
          line: 9,
          externalId: "cap",
          reason: 'Variant Price: must be a number such as 1234.5, without separators or currency, not "cheap"'
        }
      ])
      assert.deepStrictEqual(yield* importCsv(apart), [0, 0, 1, 2])
      assert.deepStrictEqual(yield* importCsv(linesOf("Handle,Title,Variant Price", ",,3")), [0, 0, 0, 1])
      assert.deepStrictEqual(pick(refusals(), "reason"), [
        { reason: "Handle: is empty, and so is the title; give the product one of them" }
      ])
      const titles = linesOf("Title,Variant Price", "C,1", "C++,2", "C#,3", "★★★,4", "Mug,6")
      assert.deepStrictEqual(yield* importCsv(titles), [2, 0, 0, 3])
      assert.deepStrictEqual(pick(refusals(), "line", "reason"), [
        { line: 3, reason: "Title: has the same handle, c, as the product on line 2; add a column Handle" },
        { line: 4, reason: "Title: has the same handle, c, as the product on line 2; add a column Handle" },
        { line: 5, reason: "Title: no handle can be made from it; add a column Handle" }
      ])
      assert.deepStrictEqual(pick(yield* products, "name", "price"), [
        { name: "Shirt", price: 10 },
        { name: "C", price: 1 },
        { name: "Mug", price: 6 }
      ])
    })
)

it.live(
  "rows with more cells than columns are refused, those with fewer end with empty cells, and empty rows and columns are skipped",
  () =>
    Effect.gen(function* () {
      const { importCsv, products, refusals } = yield* csvScene
      const csv = linesOf(
        "Handle,Title,Variant Price,,",
        ",,,,",
        "a,A,5,,",
        "b,B,12,50,,",
        "c,C,7",
        " , ,,,",
        "d,D,1,,"
      )
      assert.deepStrictEqual(yield* importCsv(csv), [3, 0, 0, 1])
      assert.deepStrictEqual(pick(yield* products, "name", "price"), [
        { name: "A", price: 5 },
        { name: "C", price: 7 },
        { name: "D", price: 1 }
      ])
      assert.deepStrictEqual(refusals(), [{ line: 4, externalId: "b", reason: cellsReason(6) }])
    })
)

it.live("options and variants that cannot be told apart are refused", () =>
  Effect.gen(function* () {
    const { importCsv, refusals } = yield* csvScene
    const options = linesOf(
      "Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant Price",
      "a,A,Size,S,Size,Red,1",
      "b,B,Size,S,Color,Red,1",
      "b,,,S,,Blue,1",
      "c,C,Size,S,,,1",
      "c,,,,,,2"
    )
    assert.deepStrictEqual(yield* importCsv(options), [1, 0, 0, 2])
    assert.deepStrictEqual(refusals(), [
      { line: 2, externalId: "a", reason: "Option2 Name: is Size twice; give each option its own name" },
      { line: 6, externalId: "c", reason: "Option1 Value: is empty; give each variant a value of each option" }
    ])
    assert.deepStrictEqual(
      yield* importCsv(linesOf("Handle,Option1 Name,Option1 Value,Variant Price", "b,Size,S,9")),
      [0, 0, 0, 1]
    )
    assert.deepStrictEqual(refusals(), [
      { line: 2, externalId: "b", reason: "variants.0: S names 2 variants; give the values of their other options" }
    ])
    assert.deepStrictEqual(yield* importCsv(linesOf("Handle,Option2 Value,Variant Price", "b,Blue,9")), [0, 1, 0, 0])
  })
)

it.live("a file of another encoding is refused, and read with --encoding", () =>
  Effect.gen(function* () {
    const { importCsv, products, save, storeId, url } = yield* csvScene
    const csv = Buffer.from(linesOf("Handle,Title,Vendor", "cafe,Café crème,Müller"), "latin1")
    const bring = (file: string) =>
      cli(url, "import", "products", "--store", storeId, "--format", "shopify", "--file", file)
    const { code, stderr, stdout } = yield* bring(save(csv))
    assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
    assert.strictEqual(
      stderr,
      "partner-api: The file could not be read: line 2 is not valid UTF-8; save the file as UTF-8, or give its encoding, for example windows-1252. Nothing was imported; correct the file and run the import again\n"
    )
    assert.deepStrictEqual(yield* importCsv(csv, "--encoding", "windows-1252"), [1, 0, 0, 0])
    assert.deepStrictEqual(pick(yield* products, "name", "vendorName"), [{ name: "Café crème", vendorName: "Müller" }])
    assert.include(
      (yield* cli(url, "import", "products", "--store", storeId, "--encoding", "ebcdic")).stderr,
      "--encoding: must be an encoding"
    )
  })
)

it.live("a file without usable columns is refused with the reason", () =>
  Effect.gen(function* () {
    const { save, storeId, url } = yield* csvScene
    const failures = [
      ["", "it is empty; the first line must name the columns"],
      ["Order,Total\n1,2\n", "it has no column Handle, URL handle or Title, which Shopify's product exports have"],
      ["Handle|Title\na|A\n", "separate the columns by commas, semicolons or tabs"],
      ["Handle,Title,title\na,A,B\n", "it has two columns named title; remove or rename one"],
      ['Handle,Title\na,"A\n', "Quote Not Closed"]
    ] as const
    for (const [csv, reason] of failures) {
      const { code, stderr } = yield* cli(
        url,
        "import",
        "products",
        "--store",
        storeId,
        "--format",
        "shopify",
        "--file",
        save(csv)
      )
      assert.strictEqual(code, 1, csv)
      assert.match(stderr, /^partner-api: The file could not be read: [^\n]+Nothing was imported[^\n]+\n$/)
      assert.include(stderr, reason)
    }
  })
)
