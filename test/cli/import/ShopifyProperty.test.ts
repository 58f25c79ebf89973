import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FastCheck from "fast-check"
import { csvScene, linesOf } from "../../support/data/Imports.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

/*
 * Random files with random subsets of columns, compared with a model. An absent column changes nothing, an empty cell
 * clears, and variants that a file leaves out are kept unless they are replaced. An empty price is kept, and refuses a
 * new product that would have none.
 */

const { array, constantFrom, dictionary, record, shuffledSubarray, subarray } = FastCheck

const NOTE = "Note"
const OIL = "Oil (product.metafields.care.oil)"
const [SKU, BARCODE, PRICE] = ["Variant SKU", "Variant Barcode", "Variant Price"] as const
const [COST, STOCK, POLICY] = ["Cost per item", "Variant Inventory Qty", "Variant Inventory Policy"] as const
const PRODUCT_COLUMNS = ["Vendor", "Tags", "Body (HTML)", "SEO Title", NOTE, OIL]
const VARIANT_COLUMNS = [SKU, BARCODE, PRICE, COST, STOCK, POLICY]
const NUMERIC = new Set<string>([PRICE, COST, STOCK])

/** Cells by column. Those that are missing are empty. */
type Cells = Readonly<Record<string, string>>

const anyFile = record({
  columns: subarray([...PRODUCT_COLUMNS, ...VARIANT_COLUMNS]),
  hasOptions: constantFrom(true, true, true, false),
  replaceVariants: constantFrom(false, false, false, true),
  /** Cells of the product, then of its variants, whose sizes are in the order of their rows. */
  products: dictionary(
    constantFrom("plain", "sized"),
    record({
      product: dictionary(constantFrom(...PRODUCT_COLUMNS), constantFrom("red", "blue", "")),
      sizes: shuffledSubarray(["S", "M", "L"], { minLength: 1 }),
      variants: array(dictionary(constantFrom(...VARIANT_COLUMNS), constantFrom("1", "2.50", "0.10", "")), {
        minLength: 3,
        maxLength: 3
      })
    }),
    { minKeys: 1 }
  )
})
type AnyFile = typeof anyFile extends FastCheck.Arbitrary<infer File> ? File : never
type AnyProduct = AnyFile["products"][string]

interface Model {
  readonly product: Record<string, string>
  /** Values that the product has itself, or for its variants. */
  readonly values: Record<string, string>
  variants: ReadonlyArray<readonly [size: string, cells: Record<string, string>]>
}

const isSized = (handle: string, { hasOptions }: AnyFile) => hasOptions && handle === "sized"

/** The cells of each variant row. A SKU belongs to one size, because a variant is also found by its SKU. */
const variantsOf = (handle: string, file: AnyFile, { sizes, variants }: AnyProduct) =>
  (isSized(handle, file) ? sizes : ["Default Title"]).map((size, index): readonly [string, Cells] => {
    const { [SKU]: sku = "", ...cells } = variants[index] ?? {}
    return [size, { ...cells, [SKU]: sku && `${size}-${sku}` }]
  })

const csvOf = (file: AnyFile, isFirst: boolean) => {
  const { columns, hasOptions, products } = file
  const header = [
    "Handle",
    ...(isFirst ? ["Title"] : []),
    ...(hasOptions ? ["Option1 Name", "Option1 Value"] : []),
    ...columns
  ]
  const rows = Object.entries(products).flatMap(([handle, product]) =>
    variantsOf(handle, file, product).map(([size, cells], index) => {
      const row: Cells = {
        ...(index === 0
          ? { ...product.product, Title: handle, "Option1 Name": isSized(handle, file) ? "Size" : "Title" }
          : {}),
        ...cells,
        Handle: handle,
        "Option1 Value": size
      }
      return header.map((column) => row[column] ?? "").join(",")
    })
  )
  return linesOf(header.join(","), ...rows)
}

const assign = (to: Record<string, string>, from: Cells, columns: ReadonlyArray<string>) => {
  for (const column of columns) to[column] = from[column] || (column === PRICE ? (to[PRICE] ?? "") : "")
}

const sumOf = (stocks: ReadonlyArray<string>) =>
  String(stocks.reduce((sum, stock) => sum + Math.round(Number(stock) * 100), 0) / 100)

/** Applies a file and returns the number of refused products. */
const applyFile = (models: Map<string, Model>, file: AnyFile) => {
  const ofVariants = VARIANT_COLUMNS.filter((column) => file.columns.includes(column))
  let refused = 0
  for (const [handle, given] of Object.entries(file.products)) {
    if (!models.has(handle) && file.columns.includes(PRICE) && !variantsOf(handle, file, given)[0]?.[1][PRICE]) {
      refused += 1
      continue
    }
    const model = models.get(handle) ?? { product: {}, values: {}, variants: [] }
    models.set(handle, model)
    assign(
      model.product,
      given.product,
      PRODUCT_COLUMNS.filter((column) => file.columns.includes(column))
    )
    const rows = variantsOf(handle, file, given)
    if (!isSized(handle, file)) {
      assign(model.values, rows[0]?.[1] ?? {}, ofVariants)
      if (file.hasOptions && file.replaceVariants) model.variants = []
      continue
    }
    const stored = new Map(model.variants)
    const named = rows.map(([size, cells]) => {
      const variant = { ...stored.get(size) }
      assign(variant, cells, ofVariants)
      return [size, variant] as const
    })
    const byNames = new Map(named)
    const isComplete = file.replaceVariants || model.variants.every(([size]) => byNames.has(size))
    model.variants = isComplete
      ? named
      : [
          ...model.variants.map(([size, cells]) => [size, byNames.get(size) ?? cells] as const),
          ...named.filter(([size]) => !stored.has(size))
        ]
    const [[first = "", cells = {}] = []] = model.variants
    if (byNames.has(first))
      assign(
        model.values,
        cells,
        ofVariants.filter((column) => column === PRICE || column === COST)
      )
    const stocks = model.variants.flatMap(([, { [STOCK]: stock }]) => stock || [])
    if (ofVariants.includes(STOCK) && stocks.length > 0) model.values[STOCK] = sumOf(stocks)
  }
  return refused
}

const MEMBERS = {
  [SKU]: "sku",
  [BARCODE]: "barcode",
  [PRICE]: "price",
  [COST]: "costPrice",
  [STOCK]: "stock",
  [POLICY]: "inventoryPolicy"
}

const numberOf = (cell: string | undefined) => (cell ? Number(cell) : undefined)

/** Expected state of a product in the store. */
const expectedOf = ([handle, { values, product, variants }]: readonly [string, Model]) => ({
  name: handle,
  vendorName: product["Vendor"] || null,
  tags: product["Tags"] ? [product["Tags"]] : [],
  description: product["Body (HTML)"] || null,
  seoTitle: product["SEO Title"] || null,
  metafields: product[OIL] ? { care: { oil: product[OIL] } } : {},
  customFields: {
    ...(product[NOTE] ? { [NOTE]: product[NOTE] } : {}),
    ...(values[POLICY] ? { inventoryPolicy: values[POLICY] } : {})
  },
  sku: values[SKU] || null,
  barcode: values[BARCODE] || null,
  price: numberOf(values[PRICE]) ?? 0,
  costPrice: numberOf(values[COST]) ?? null,
  stock: numberOf(values[STOCK]) ?? 0,
  options: variants.length === 0 ? [] : [{ name: "Size", values: variants.map(([size]) => size) }],
  variants: variants.map(([size, cells]) => ({
    title: size,
    options: { Size: size },
    ...Object.fromEntries(
      Object.entries(MEMBERS).flatMap(([column, member]) =>
        cells[column] ? [[member, NUMERIC.has(column) ? Number(cells[column]) : cells[column]]] : []
      )
    )
  }))
})

/** The members of a stored product that the model knows. */
const storedOf = (product: unknown) => {
  const stored = Object(product)
  const known = Object.keys(expectedOf(["", { product: {}, values: {}, variants: [] }]))
  return {
    ...Object.fromEntries(known.map((key) => [key, stored[key]])),
    customFields: Object.fromEntries(stored.customFields.map(({ key, value }: Cells) => [key, value])),
    variants: stored.variants.map(({ id: _, ...variant }: Cells) => variant)
  }
}

it.live("files with any columns keep, clear and set fields and variants as the model does", () =>
  Effect.gen(function* () {
    for (const files of FastCheck.sample(array(anyFile, { minLength: 4, maxLength: 4 }), propertyRuns(3, 6))) {
      const { importCsv, products } = yield* csvScene
      const models = new Map<string, Model>()
      for (const file of files) {
        const isNew = Object.keys(file.products).some((handle) => !models.has(handle))
        const csv = csvOf(file, isNew)
        const args = file.replaceVariants ? ["--replace-variants"] : []
        const [, , , refused] = yield* importCsv(csv, ...args)
        const expected = applyFile(models, file)
        const stored = (yield* products).map(storedOf)
        assert.deepStrictEqual(
          { csv, refused, stored },
          { csv, refused: expected, stored: [...models].map(expectedOf) }
        )
        const [created, updated] = yield* importCsv(csv, ...args)
        assert.deepStrictEqual({ csv, created, updated }, { csv, created: 0, updated: 0 })
      }
    }
  })
)
