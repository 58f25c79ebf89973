import { assert, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import * as FastCheck from "fast-check"
import { createReadStream } from "node:fs"
import { ReadFailed } from "../../../src/domain/imports/ImportFiles.ts"
import { openCsv } from "../../../src/layers/imports/FileText.ts"
import { readShopifyCsv } from "../../../src/layers/imports/ShopifyCsv.ts"
import { productDecoder } from "../../../src/domain/imports/Rows.ts"
import type { UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import type { Variant, VariantInput } from "../../../src/domain/catalog/ProductParts.ts"

const withoutIds = (variants: ReadonlyArray<Variant>) => variants.map(({ id: _, ...variant }): VariantInput => variant)

/** Decodes the products of a file as they are created in a store without products. */
const productsIn = Effect.fnUntraced(function* (bytes: AsyncIterable<Buffer>) {
  const file = yield* openCsv(
    Stream.fromAsyncIterable(bytes, (error) => new ReadFailed({ reason: String(error) })),
    {}
  )
  const { columns, rows } = yield* readShopifyCsv(file, { currencyCode: "EUR" })
  const decode = productDecoder({
    kind: "products",
    columns,
    weightUnit: "kg",
    replaceVariants: false,
    isSilent: false
  })
  return (yield* Stream.runCollect(rows)).map((row) =>
    Result.flatMap(decode(row), ({ externalId, input }) =>
      Result.mapBoth(input(undefined, new Date(0)), {
        onSuccess: ({ variants, ...fields }) => ({
          line: row.line,
          item: { externalId, input: { ...fields, ...(variants && { variants: withoutIds(variants) }) } }
        }),
        onFailure: (issues) => ({ line: row.line, externalId, reason: issues.join("; ") })
      })
    )
  )
}, Effect.scoped)

async function* chunksOf(text: string, size = 7) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const inputsOf = (rows: ReadonlyArray<Result.Result<{ item: { input: UpdateProduct } }, unknown>>) =>
  rows.map((row) => Result.getOrThrow(row).item.input)

const quote = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** A CSV file. Each row names the columns that it fills. */
const csvOf = (columns: ReadonlyArray<string>, rows: ReadonlyArray<Readonly<Record<string, string>>>, end = "\n") =>
  [columns.map(quote), ...rows.map((row) => columns.map((column) => quote(row[column] ?? "")))]
    .map((cells) => cells.join(","))
    .join(end)

it.live("both sample exports are imported without errors", () =>
  Effect.gen(function* () {
    for (const [name, count, variants, images] of [
      ["apparel", 20, 3, 20],
      ["jewelery", 20, 6, 41]
    ] as const) {
      const rows = yield* productsIn(createReadStream(`test/data/shopify/${name}.csv`))
      const products = inputsOf(rows)
      assert.lengthOf(products, count)
      assert.lengthOf(
        products.flatMap(({ variants = [] }) => variants),
        variants,
        name
      )
      assert.lengthOf(
        products.flatMap(({ media = [] }) => media),
        images,
        name
      )
    }
  })
)

const urlOf = (name: string) => `https://burst.shopifycdn.com/photos/${name}_925x.jpg`
const image = (name: string, position: number) => ({ url: urlOf(name), type: "image", position })

it.live("options, variants, prices and images of a product are imported", () =>
  Effect.gen(function* () {
    const rows = yield* productsIn(createReadStream("test/data/shopify/jewelery.csv"))
    const bracelet = rows.map((row) => Result.getOrThrow(row)).find(({ item }) => item.externalId === "leather-anchor")
    assert.strictEqual(bracelet?.line, 4)
    const extras = {
      inventoryPolicy: "deny",
      fulfillmentService: "manual",
      requiresShipping: true,
      taxable: true,
      grams: 0,
      weightUnit: "kg"
    }
    const variant = (title: string, more: object, name: string) => ({
      title,
      options: { Color: title },
      price: 85,
      ...more,
      ...extras,
      imageUrl: urlOf(name)
    })
    assert.deepInclude(bracelet?.item.input, {
      name: "Anchor Bracelet Mens",
      slug: "leather-anchor",
      description: "Black leather bracelet with gold or silver anchor for men.",
      vendorName: "Company 123",
      productType: "Bracelet",
      tags: ["Anchor", "Gold", "Leather", "Silver"],
      isActive: true,
      price: 85,
      discountedPrice: 69.99,
      onSale: true,
      stock: 1,
      imageUrl: urlOf("anchor-bracelet-mens"),
      media: [
        image("anchor-bracelet-mens", 1),
        image("anchor-bracelet-for-men", 2),
        image("leather-anchor-bracelet-for-men", 3)
      ],
      options: [{ name: "Color", values: ["Gold", "Silver"] }],
      variants: [
        variant("Gold", { discountedPrice: 69.99, stock: 1 }, "anchor-bracelet-mens"),
        variant("Silver", { discountedPrice: 55, stock: 0 }, "anchor-bracelet-for-men")
      ],
      customFields: []
    })
  })
)

const NEW_COLUMNS = [
  "Title",
  "URL handle",
  "Description",
  "Product category",
  "Published on online store",
  "Status",
  "SKU",
  "Option1 name",
  "Option1 value",
  "Option1 Linked To",
  "Price",
  "Compare-at price",
  "Cost per item",
  "Charge tax",
  "Inventory quantity",
  "Weight value (grams)",
  "Weight unit for display",
  "Product image URL",
  "Image position",
  "Image alt text",
  "Gift card",
  "Fabric (product.metafields.custom.fabric)",
  "Google Shopping / Gender",
  "Price / Canada"
]

const NEW_ROWS = [
  {
    Title: "Rug",
    "URL handle": "rug",
    Description: '<p>Woven "by hand"</p>\r\n<p>in Ghent</p>',
    "Product category": "Home & Garden > Decor > Rugs",
    "Published on online store": "TRUE",
    Status: "Draft",
    SKU: "R-1",
    "Option1 name": "Colour",
    "Option1 value": "Red, dark",
    "Option1 Linked To": "product.metafields.shopify.color-pattern",
    Price: "10.50",
    "Compare-at price": "9",
    "Cost per item": "4",
    "Charge tax": "FALSE",
    "Inventory quantity": "-3",
    "Weight value (grams)": "1500",
    "Weight unit for display": "kg",
    "Product image URL": "https://images.example.com/b.jpg",
    "Image position": "2",
    "Gift card": "FALSE",
    "Fabric (product.metafields.custom.fabric)": "wool",
    "Google Shopping / Gender": "unisex",
    "Price / Canada": "14"
  },
  { "URL handle": "rug", "Option1 value": "Blue", Price: "12", "Inventory quantity": "5", "Price / Canada": "15" },
  { "URL handle": "rug", "Product image URL": "https://images.example.com/a.jpg", "Image position": "1" },
  { Title: "Voucher", "URL handle": "Bon_d'achat", Price: "25", "Gift card": "true", Status: "active" },
  { Title: "Dear", "URL handle": "dear", Price: "much" }
]

it.live("newer columns are supported, unknown ones are stored, and a price that is not a number is rejected", () =>
  Effect.gen(function* () {
    const rows = yield* productsIn(chunksOf(csvOf(NEW_COLUMNS, NEW_ROWS)))
    const [rug, voucher] = inputsOf(rows.slice(0, 2))
    assert.deepInclude(rug, {
      name: "Rug",
      description: '<p>Woven "by hand"</p>\r\n<p>in Ghent</p>',
      category: "Rugs",
      categoryName: "Home & Garden > Decor > Rugs",
      isActive: false,
      price: 10.5,
      discountedPrice: null,
      onSale: false,
      costPrice: 4,
      stock: 5,
      taxable: false,
      weight: 1.5,
      imageUrl: "https://images.example.com/a.jpg",
      options: [
        { name: "Colour", values: ["Red, dark", "Blue"], linkedTo: "product.metafields.shopify.color-pattern" }
      ],
      metafields: { custom: { fabric: "wool" } },
      customFields: [{ key: "status", value: "draft" }]
    })
    assert.deepInclude(rug?.variants?.[0], { sku: "R-1", stock: 0, inventoryQuantity: -3, "Price / Canada": "14" })
    assert.deepInclude(rug?.variants?.[1], { title: "Blue", price: 12, "Price / Canada": "15" })
    assert.deepInclude(voucher, { name: "Voucher", productKind: "gift_card", price: 25, isActive: true })
    assert.notProperty(voucher, "variants")
    assert.notProperty(voucher, "slug")
    const last = rows.at(-1)
    assert.isTrue(last !== undefined && Result.isFailure(last))
    assert.deepStrictEqual(last && Result.isFailure(last) ? last.failure : undefined, {
      line: 7,
      externalId: "dear",
      reason: 'Price: must be a number such as 1234.5, without separators or currency, not "much"'
    })
  })
)

it.live("column order, line ends, empty lines, a BOM and chunk sizes do not change the result", () =>
  Effect.gen(function* () {
    const expected = (yield* productsIn(chunksOf(csvOf(NEW_COLUMNS, NEW_ROWS), 1000))).slice(0, 2)
    const formats = FastCheck.tuple(
      FastCheck.shuffledSubarray(NEW_COLUMNS, { minLength: NEW_COLUMNS.length }),
      FastCheck.constantFrom("\n", "\r\n"),
      FastCheck.boolean(),
      FastCheck.boolean(),
      FastCheck.integer({ min: 1, max: 64 })
    )
    const inputs = (rows: typeof expected) => rows.map((row) => Result.getOrThrow(row).item)
    for (const [columns, end, hasBom, isSpaced, size] of FastCheck.sample(formats, 40)) {
      const csv = csvOf(columns, NEW_ROWS, isSpaced ? `${end}${end}` : end)
      const rows = yield* productsIn(chunksOf(`${hasBom ? "\uFEFF" : ""}${csv}${end}`, size))
      assert.deepStrictEqual(inputs(rows.slice(0, 2)).map(withoutFieldOrder), inputs(expected).map(withoutFieldOrder))
    }
  })
)

/** An item without the order of its custom fields, which follows the order of the columns. */
const withoutFieldOrder = (item: { readonly input: UpdateProduct }) => ({
  ...item,
  input: { ...item.input, customFields: JSON.stringify(item.input.customFields).split("},").toSorted().length }
})

it.live("a product can have 2,048 variants, and a file that is not a product export is rejected", () =>
  Effect.gen(function* () {
    const rows = Array.from({ length: 2048 }, (_, n) => ({
      Handle: "all",
      ...(n === 0 ? { Title: "All", "Option1 Name": "N" } : {}),
      "Option1 Value": `${n}`,
      "Variant Price": "1"
    }))
    const columns = ["Handle", "Title", "Option1 Name", "Option1 Value", "Variant Price"]
    const [product] = inputsOf(yield* productsIn(chunksOf(csvOf(columns, rows), 4096)))
    assert.lengthOf(product?.variants ?? [], 2048)
    const { message } = yield* Effect.flip(productsIn(chunksOf("Order,Total\n1,2\n")))
    assert.include(message, "no column Handle")
  })
)
