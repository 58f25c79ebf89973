import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { cli } from "../../support/process/Cli.ts"
import { countsOf, importScene, linesIn } from "../../support/data/Imports.ts"
import { rowsOf, temporaryFolder } from "../../support/process/Process.ts"

/** A store into which CSV texts are imported. */
const csvScene = Effect.gen(function* () {
  const scene = yield* importScene()
  const folder = yield* temporaryFolder
  let files = 0
  const save = (csv: string | Buffer) => {
    const file = join(folder, `${(files += 1)}.csv`)
    writeFileSync(file, csv)
    return file
  }
  return {
    ...scene,
    save,
    /** Imports a text and returns the counts of created, updated, unchanged and refused products. */
    importCsv: (csv: string | Buffer, ...args: ReadonlyArray<string>) =>
      Effect.map(scene.bring("products", save(csv), "--format", "shopify", ...args), countsOf),
    refusals: () => linesIn(join(folder, `${files}.csv.refused.jsonl`)),
    products: Effect.map(rowsOf(scene.client, "select document from products order by id"), (rows) =>
      rows.map(({ document }) => document)
    ),
    setWeightUnit: (unit: string) => rowsOf(scene.client, `update stores set weight_unit = '${unit}' returning 1`)
  }
})

const linesOf = (...lines: ReadonlyArray<string>) => `${lines.join("\n")}\n`

/** Values of the given members, of each variant. */
const pick = (value: unknown, ...members: ReadonlyArray<string>): unknown =>
  Array.isArray(value)
    ? value.map((item) => pick(item, ...members))
    : Object.fromEntries(members.map((member) => [member, Reflect.get(Object(value), member)]))

const TEE = linesOf(
  "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Barcode,Variant Inventory Qty,Cost per item,Variant Image,Variant Price,Fit",
  "tee,Tee,Size,S,T-S,111,7,3.5,https://i.example.com/s.jpg,10,slim",
  "tee,,,M,T-M,222,8,3.5,https://i.example.com/m.jpg,12,wide"
)

it.live("columns that a file does not have change nothing, neither in the product nor in its variants", () =>
  Effect.gen(function* () {
    const { importCsv, products } = yield* csvScene
    assert.deepStrictEqual(yield* importCsv(TEE), [1, 0, 0, 0])
    const [before] = yield* products
    assert.deepStrictEqual(yield* importCsv(linesOf("Handle,Title,Tags", 'tee,Tee,"sale, new"')), [0, 1, 0, 0])
    const [tagged] = yield* products
    const ignored = { tags: 0, version: 0, updatedAt: 0 }
    assert.deepStrictEqual({ ...Object(tagged), ...ignored }, { ...Object(before), ...ignored })
    assert.deepStrictEqual(pick(tagged, "tags"), { tags: ["sale", "new"] })
    const prices = linesOf("Handle,Title,Option1 Name,Option1 Value,Variant Price", "tee,Tee,Size,S,15", "tee,,,M,16")
    assert.deepStrictEqual(yield* importCsv(prices), [0, 1, 0, 0])
    const [priced] = yield* products
    const withPrices = (product: unknown, ...prices: ReadonlyArray<number>) =>
      Object(product).variants.map((variant: object, index: number) => ({ ...variant, price: prices[index] }))
    assert.deepStrictEqual(Object(priced).variants, withPrices(before, 15, 16))
    assert.deepStrictEqual(pick(priced, "price", "stock"), { price: 15, stock: 15 })
    assert.deepStrictEqual(yield* importCsv(prices), [0, 0, 1, 0])
  })
)

it.live("variants that a file leaves out are kept, unless --replace-variants is given", () =>
  Effect.gen(function* () {
    const { importCsv, products } = yield* csvScene
    yield* importCsv(TEE)
    const one = linesOf(
      "Handle,Title,Option1 Name,Option1 Value,Variant Price,Variant Inventory Qty",
      "tee,Tee,Size,M,20,1"
    )
    assert.deepStrictEqual(yield* importCsv(one), [0, 1, 0, 0])
    const [kept] = yield* products
    assert.deepStrictEqual(pick(kept, "options", "stock", "price"), {
      options: [{ name: "Size", values: ["S", "M"] }],
      stock: 8,
      price: 10
    })
    assert.deepStrictEqual(pick(Object(kept).variants, "title", "sku", "price"), [
      { title: "S", sku: "T-S", price: 10 },
      { title: "M", sku: "T-M", price: 20 }
    ])
    assert.deepStrictEqual(yield* importCsv(one, "--replace-variants"), [0, 1, 0, 0])
    const [replaced] = yield* products
    assert.deepStrictEqual(pick(replaced, "options", "stock", "price"), {
      options: [{ name: "Size", values: ["M"] }],
      stock: 1,
      price: 20
    })
    assert.deepStrictEqual(pick(Object(replaced).variants, "title", "sku"), [{ title: "M", sku: "T-M" }])
    assert.deepStrictEqual(yield* importCsv(one, "--replace-variants"), [0, 0, 1, 0])
  })
)

it.live("variants keep their ids by options, and by SKU if an option is renamed", () =>
  Effect.gen(function* () {
    const { importCsv, products } = yield* csvScene
    yield* importCsv(TEE)
    const [before] = yield* products
    yield* importCsv(TEE.replace("Size", "Grösse").replace(",M,T-M", ",Mittel,T-M"))
    const [after] = yield* products
    assert.deepStrictEqual(pick(Object(after).variants, "id"), pick(Object(before).variants, "id"))
    assert.deepStrictEqual(pick(after, "options"), { options: [{ name: "Grösse", values: ["S", "Mittel"] }] })
    assert.deepStrictEqual(pick(Object(after).variants, "title", "options"), [
      { title: "S", options: { Grösse: "S" } },
      { title: "Mittel", options: { Grösse: "Mittel" } }
    ])
  })
)

it.live("an empty cell clears its field, and Title cannot be cleared", () =>
  Effect.gen(function* () {
    const { importCsv, products, refusals } = yield* csvScene
    yield* importCsv(
      linesOf(
        "Handle,Title,Vendor,Tags,Variant SKU,Variant Price,Cost per item,Note,Oil (product.metafields.care.oil)",
        "mug,Mug,Kiln,red,M-1,9,3,fragile,yearly",
        "cup,Cup,Kiln,red,C-1,9,3,fragile,yearly"
      )
    )
    const empty = linesOf(
      "Handle,Title,Vendor,Tags,Cost per item,Note,Oil (product.metafields.care.oil)",
      "mug,Mug,,,,,",
      "cup,,,,,,"
    )
    assert.deepStrictEqual(yield* importCsv(empty), [0, 1, 0, 1])
    const [mug, cup] = yield* products
    const fields = ["name", "vendorName", "tags", "sku", "price", "costPrice", "customFields", "metafields"]
    assert.deepStrictEqual(pick(mug, ...fields), {
      name: "Mug",
      vendorName: null,
      tags: [],
      sku: "M-1",
      price: 9,
      costPrice: null,
      customFields: [],
      metafields: {}
    })
    assert.deepStrictEqual(pick(cup, "vendorName", "tags"), { vendorName: "Kiln", tags: ["red"] })
    assert.deepStrictEqual(refusals(), [
      { line: 3, externalId: "cup", reason: "Title: is empty; give the product's name in its first row" }
    ])
  })
)

it.live("a price column alone never makes a sale price at or above the price", () =>
  Effect.gen(function* () {
    const { importCsv, products } = yield* csvScene
    yield* importCsv(
      linesOf("Handle,Title,Variant Price,Variant Compare At Price", "a,A,15,20", "b,B,15,20", "c,C,15,")
    )
    const prices = Effect.map(products, (all) => pick(all, "price", "discountedPrice", "onSale"))
    yield* importCsv(linesOf("Handle,Variant Price", "a,12", "b,30", "c,16"))
    assert.deepStrictEqual(yield* prices, [
      { price: 20, discountedPrice: 12, onSale: true },
      { price: 30, discountedPrice: null, onSale: false },
      { price: 16, discountedPrice: null, onSale: false }
    ])
    yield* importCsv(linesOf("Handle,Variant Compare At Price", "a,", "b,40", "c,16"))
    assert.deepStrictEqual(yield* prices, [
      { price: 12, discountedPrice: null, onSale: false },
      { price: 40, discountedPrice: 30, onSale: true },
      { price: 16, discountedPrice: null, onSale: false }
    ])
  })
)

it.live("weights are in the store's unit, and codes lose the apostrophe of Shopify's exports", () =>
  Effect.gen(function* () {
    const { importCsv, products, setWeightUnit } = yield* csvScene
    const csv = linesOf(
      "Handle,Title,Variant SKU,Variant Barcode,Variant Grams,Variant Weight Unit",
      "a,A,'10,'4006381333931,395,g",
      "b,B,B-1,,453.59237,kg"
    )
    const weights = Effect.map(products, (all) => pick(all, "weight"))
    yield* importCsv(csv)
    assert.deepStrictEqual(yield* weights, [{ weight: 0.395 }, { weight: 0.45359237 }])
    assert.deepStrictEqual(pick((yield* products)[0], "sku", "barcode"), { sku: "10", barcode: "4006381333931" })
    yield* setWeightUnit("lb")
    assert.deepStrictEqual(yield* importCsv(csv), [0, 2, 0, 0])
    assert.deepStrictEqual(yield* weights, [{ weight: 0.8708 }, { weight: 1 }])
  })
)

it.live("numbers keep their digits; other text is refused with line, column and advice", () =>
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
      "Infinity"
    ]
    const csv = linesOf("Handle,Title,Variant Price", ...prices.map((price, n) => `p${n},P,${price}`))
    assert.deepStrictEqual(yield* importCsv(csv), [6, 0, 0, 8])
    const stored = yield* products
    assert.deepStrictEqual(
      pick(stored, "price"),
      [1000, 12.5, 0.5, 5, 7, 19.990000000000002].map((price) => ({ price }))
    )
    const refused = (line: number, text: string, isNumber = false) => ({
      line,
      externalId: `p${line - 2}`,
      reason: `Variant Price: must be a number from 0 to 999999999999999, not "${text}"${isNumber ? "" : "; write it like 1234.5, without separators or currency"}`
    })
    assert.deepStrictEqual(refusals(), [
      refused(8, "$30.00"),
      refused(9, "1,234.50"),
      refused(10, "0x1F"),
      refused(11, "0b11"),
      refused(12, "1_000"),
      refused(13, "٣"),
      refused(14, "-5", true),
      refused(15, "Infinity")
    ])
    yield* importCsv(
      linesOf("Handle,Title,Option1 Name,Option1 Value,Variant Inventory Qty", "sum,Sum,Size,S,0.1", "sum,,,M,0.2")
    )
    assert.deepStrictEqual(pick((yield* products).at(-1), "stock"), { stock: 0.3 })
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

it.live("a product is shipped if any of its variants is, also after an earlier file said otherwise", () =>
  Effect.gen(function* () {
    const { importCsv, products } = yield* csvScene
    const kinds = Effect.map(products, (all) => pick(all, "productKind"))
    const plain = (value: string) => linesOf("Handle,Title,Variant Price,Requires shipping", `a,A,1,${value}`)
    yield* importCsv(plain("FALSE"))
    assert.deepStrictEqual(yield* kinds, [{ productKind: "digital" }])
    yield* importCsv(plain("TRUE"))
    assert.deepStrictEqual(yield* kinds, [{ productKind: "physical" }])
    yield* importCsv(
      linesOf(
        "Handle,Title,Option1 Name,Option1 Value,Variant Requires Shipping",
        "b,B,Form,PDF,false",
        "b,,,Paper,true"
      )
    )
    assert.deepStrictEqual(yield* kinds, [{ productKind: "physical" }, { productKind: "physical" }])
  })
)

it.live("rows that belong to no product or to several are refused, and a second run changes nothing", () =>
  Effect.gen(function* () {
    const { importCsv, products, refusals } = yield* csvScene
    const apart = linesOf(
      "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price",
      "shirt,Shirt,Size,S,S-S,10",
      "mug,Mug,Title,Default Title,M-1,5",
      "shirt,Shirt,Size,M,S-M,11"
    )
    assert.deepStrictEqual(yield* importCsv(apart), [2, 0, 0, 1])
    assert.deepStrictEqual(refusals(), [
      {
        line: 4,
        externalId: "shirt",
        reason: "Handle: has rows on line 2 too; put the rows of a product next to each other"
      }
    ])
    assert.deepStrictEqual(yield* importCsv(apart), [0, 0, 2, 1])
    const titles = linesOf("Title,Variant Price", "C,1", "C++,2", "C#,3", "★★★,4", "Mug,6")
    assert.deepStrictEqual(yield* importCsv(titles), [1, 1, 0, 3])
    assert.deepStrictEqual(pick(refusals(), "line", "reason"), [
      { line: 3, reason: "Title: has the same handle, c, as the product on line 2; add a column Handle" },
      { line: 4, reason: "Title: has the same handle, c, as the product on line 2; add a column Handle" },
      { line: 5, reason: "Title: no handle can be made from it; add a column Handle" }
    ])
    assert.deepStrictEqual(pick(yield* products, "name", "price"), [
      { name: "Shirt", price: 10 },
      { name: "Mug", price: 6 },
      { name: "C", price: 1 }
    ])
  })
)

it.live("rows with more or fewer cells than columns are refused, and empty rows and columns are skipped", () =>
  Effect.gen(function* () {
    const { importCsv, products, refusals } = yield* csvScene
    const csv = linesOf("Handle,Title,Variant Price,,", ",,,,", "a,A,5,,", "b,B,12,50,,", "c,C,7", " , ,,,", "d,D,1,,")
    assert.deepStrictEqual(yield* importCsv(csv), [2, 0, 0, 2])
    assert.deepStrictEqual(pick(yield* products, "name", "price"), [
      { name: "A", price: 5 },
      { name: "D", price: 1 }
    ])
    const reason = (cells: number) => `has ${cells} cells and the header 5; put quotes around cells with a comma`
    assert.deepStrictEqual(refusals(), [
      { line: 4, externalId: "b", reason: reason(6) },
      { line: 5, externalId: "c", reason: reason(3) }
    ])
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
      "partner-api: The file could not be read: line 2 is not valid UTF-8; save the file as UTF-8, or give its encoding, for example --encoding windows-1252. Imported rows are kept; correct the file and run the same import again\n"
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
      ["Handle;Title\na;A\n", "separate the columns by commas"],
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
      assert.match(stderr, /^partner-api: The file could not be read: [^\n]+Imported rows are kept[^\n]+\n$/)
      assert.include(stderr, reason)
    }
  })
)
