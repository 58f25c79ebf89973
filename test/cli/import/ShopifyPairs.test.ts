import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { csvScene, linesOf, pick } from "../../support/data/Imports.ts"

const PRICES = ["price", "discountedPrice", "onSale"]
const [FREE, LISTED] = [
  { price: 0, discountedPrice: null, onSale: false },
  { price: 18, discountedPrice: null, onSale: false }
]
const REDUCED = { price: 18, discountedPrice: 16, onSale: true }

it.live("a filled half of a pair of prices counts, and an empty price never makes an active product free", () =>
  Effect.gen(function* () {
    const { importCsv, products, refusals } = yield* csvScene
    const prices = Effect.map(products, (all) => pick(all, ...PRICES))
    const paid = linesOf(
      "Handle,Title,Variant Price,Variant Compare At Price,Status",
      "a,A,,18,",
      "b,B,16,18,",
      "c,C,,,",
      "d,D,,,draft",
      "e,E,0,,"
    )
    assert.deepStrictEqual(yield* importCsv(paid), [4, 0, 0, 1])
    assert.deepStrictEqual(refusals(), [
      {
        line: 4,
        externalId: "c",
        reason:
          "Variant Price: is empty, and an active product needs a price; give the price (0 if the product is free), or make the product a draft"
      }
    ])
    assert.deepStrictEqual(yield* prices, [LISTED, REDUCED, FREE, FREE])
    assert.deepStrictEqual(yield* importCsv(paid), [0, 0, 4, 1])
    // Empty cells keep the price. The draft without a price cannot be activated, the free product stays.
    const empty = linesOf("Handle,Variant Price,Status", "a,,", "b,,", "d,,active", "e,,")
    assert.deepStrictEqual(yield* importCsv(empty), [0, 0, 3, 1])
    assert.deepStrictEqual(yield* prices, [LISTED, REDUCED, FREE, FREE])
  })
)

it.live("a regular and a sale price are price and discountedPrice, by their names or by a mapping", () =>
  Effect.gen(function* () {
    const { importCsv, products } = yield* csvScene
    const prices = Effect.map(products, (all) => pick(all, ...PRICES))
    const rows = ["a,A,,18", "b,B,16,18", "c,C,0.00,18", "d,D,18,"]
    const woo = linesOf("ID,Type,Name,Sale price,Regular price", ...rows.map((row) => row.replace(",", ",simple,")))
    const mapping = JSON.stringify({
      ID: "handle",
      Name: "title",
      "Sale price": "salePrice",
      "Regular price": "regularPrice"
    })
    for (const [csv, ...args] of [
      [linesOf("Handle,Title,Sale price,Regular price", ...rows)],
      [linesOf("Handle,Title,Sale price,Price", ...rows)],
      [woo, "--mapping", mapping]
    ] as const) {
      yield* importCsv(csv, ...args)
      assert.deepStrictEqual(yield* prices, [LISTED, REDUCED, LISTED, LISTED])
      const [created, , unchanged] = yield* importCsv(csv, ...args)
      assert.deepStrictEqual([created, unchanged], [0, 4])
    }
    yield* importCsv(linesOf("Handle,Regular price", "a,20", "b,20", "c,20", "d,"))
    yield* importCsv(linesOf("Handle,Sale price", "a,", "b,17", "c,19"))
    assert.deepStrictEqual(yield* prices, [
      { ...LISTED, price: 20 },
      { price: 20, discountedPrice: 17, onSale: true },
      { price: 20, discountedPrice: 19, onSale: true },
      LISTED
    ])
    // A file with both of Shopify's prices keeps another column with the name of a sale price.
    yield* importCsv(linesOf("Handle,Variant Price,Variant Compare At Price,Sale price", "d,18,,9"))
    const last = (yield* products)[3]
    assert.deepStrictEqual(pick(last, ...PRICES), LISTED)
    assert.deepInclude(Object(last).customFields, { key: "Sale price (column)", value: "9" })
  })
)

it.live("a product is on sale while any of its variants is, also one that the file leaves out", () =>
  Effect.gen(function* () {
    const { importCsv, products } = yield* csvScene
    const header = "Handle,Title,Option1 Name,Option1 Value,Variant Price,Variant Compare At Price"
    const state = Effect.map(products, ([product]) => [
      Object(product).onSale,
      pick(Object(product).variants, "price", "discountedPrice")
    ])
    const [listed, reduced] = [
      { price: 18, discountedPrice: undefined },
      { price: 18, discountedPrice: 16 }
    ]
    yield* importCsv(linesOf(header, "tee,Tee,Size,S,18,", "tee,,,M,16,18"))
    assert.deepStrictEqual(yield* state, [true, [listed, reduced]])
    yield* importCsv(linesOf(header, "tee,Tee,Size,S,18,"))
    assert.deepStrictEqual(yield* state, [true, [listed, reduced]])
    yield* importCsv(linesOf("Handle,Option1 Name,Option1 Value,Variant Price", "tee,Size,M,"))
    assert.deepStrictEqual(yield* state, [true, [listed, reduced]])
    yield* importCsv(linesOf(header, "tee,Tee,Size,M,18,"))
    assert.deepStrictEqual(yield* state, [false, [listed, listed]])
  })
)

it.live("published and status alone are read beside the stored other one, and an option needs name and values", () =>
  Effect.gen(function* () {
    const { importCsv, products, refusals } = yield* csvScene
    const active = Effect.map(products, (all) => pick(all, "isActive"))
    yield* importCsv(linesOf("Handle,Title,Published,Status", "a,A,true,draft", "b,B,false,active"))
    yield* importCsv(linesOf("Handle,Published", "a,true"))
    yield* importCsv(linesOf("Handle,Status", "b,active"))
    assert.deepStrictEqual(yield* active, [{ isActive: false }, { isActive: false }])
    yield* importCsv(linesOf("Handle,Published,Status", "a,true,active", "b,,"))
    assert.deepStrictEqual(yield* active, [{ isActive: true }, { isActive: true }])
    const header = "Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant Price"
    assert.deepStrictEqual(yield* importCsv(linesOf(header, "c,C,Size,S,Color,,1")), [0, 0, 0, 1])
    assert.deepStrictEqual(pick(refusals(), "reason"), [
      { reason: "Option2 Value: is empty; give each variant a value of the option" }
    ])
  })
)
