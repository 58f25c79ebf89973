import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { csvScene, linesOf, pick } from "../../support/data/Imports.ts"

const TEE = linesOf(
  "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Barcode,Variant Inventory Qty,Cost per item,Variant Image,Variant Price,Fit",
  "tee,Tee,Size,S,T-S,111,7,3.5,https://i.example.com/s.jpg,10,slim",
  "tee,,,M,T-M,222,8,3.5,https://i.example.com/m.jpg,12,wide"
)

/** The variants of a product with other prices. */
const withPrices = (product: unknown, ...prices: ReadonlyArray<number>) =>
  Object(product).variants.map((variant: object, index: number) => ({ ...variant, price: prices[index] }))

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
    const [first] = yield* products
    assert.deepStrictEqual(pick(first, "options", "stock", "price"), {
      options: [{ name: "Size", values: ["S", "M"] }],
      stock: 8,
      price: 10
    })
    assert.deepStrictEqual(pick(Object(first).variants, "title", "sku", "price"), [
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

const shippedFile = (value: string) => linesOf("Handle,Title,Variant Price,Requires shipping", `a,A,1,${value}`)

it.live("a product is shipped if any of its variants is, also after an earlier file said otherwise", () =>
  Effect.gen(function* () {
    const { importCsv, products } = yield* csvScene
    const kinds = Effect.map(products, (all) => pick(all, "productKind"))
    yield* importCsv(shippedFile("FALSE"))
    assert.deepStrictEqual(yield* kinds, [{ productKind: "digital" }])
    yield* importCsv(shippedFile("TRUE"))
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
