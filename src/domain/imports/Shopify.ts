import { Record, Result, Schema, Struct } from "effect"
import { editableFields, PRODUCT_FIELDS } from "../catalog/ProductFields.ts"
import type { Product } from "../catalog/Product.ts"
import { compileDecoder, issuesOf } from "../json/Decoder.ts"
import type { ImportSettings } from "./ImportFile.ts"
import { checkVariants, type ImportedProduct } from "./Product.ts"
import type { RowProblem, ShopifyColumns, ShopifyRow } from "./ShopifyColumns.ts"
import {
  cellsOfProduct,
  fieldsOfColumns,
  firstOf,
  type ImportedPicture,
  isMetafield,
  mergeCustomFields,
  mergeMedia,
  mergeMetafields,
  orDefault,
  pictureOf
} from "./ShopifyFields.ts"
import type { ReadColumn, ShopifyCells } from "./ShopifyTable.ts"
import { emptyPriceProblem, isActiveIn, isOnSale, kindOf, onlyOf } from "./ShopifyOffer.ts"
import {
  codesOf,
  extrasOf,
  hasPrice,
  idOf,
  memberOf,
  PRICE_FIELDS,
  pricesOf,
  stockOf,
  storedPricesOf,
  storedPricesOfProduct,
  totalStockOf,
  type Values,
  valuesOf,
  variantPatchOf,
  weightOf,
  type WeightUnit
} from "./ShopifyVariant.ts"
import { mergeOptions, mergeVariants } from "./Variants.ts"

/* Converts the rows of one product in a Shopify export. docs/import.md describes each column. */

export type ShopifyOptions = Pick<ImportSettings, "weightUnit" | "replaceVariants">

const NUMBERS = [1, 2, 3] as const
type OptionNumber = (typeof NUMBERS)[number]

/** Option value, in lower case, of the only variant of a product without options. */
const DEFAULT_VALUE = "default title"

const isSlug = Schema.is(editableFields.slug)

const isVariant = ({ cells }: ShopifyRow) =>
  hasPrice(cells) || Boolean(cells.sku) || NUMBERS.some((n) => Boolean(cells[`option${n}Value`]))

/** Option of a file. Its name is undefined if no row has it. */
interface FileOption {
  readonly n: OptionNumber
  readonly name: string | undefined
  readonly linkedTo: string | null | undefined
  readonly values: ReadonlyArray<string>
}

const optionsOf = (rows: ReadonlyArray<ShopifyRow>, variants: ReadonlyArray<ShopifyRow>): ReadonlyArray<FileOption> =>
  NUMBERS.flatMap((n) => {
    const values = [...new Set(variants.flatMap(({ cells }) => cells[`option${n}Value`] ?? []))]
    const name = firstOf(rows, `option${n}Name`) ?? undefined
    return values.length === 0 ? [] : [{ n, name, linkedTo: firstOf(rows, `option${n}LinkedTo`), values }]
  })

/** Finds the problems of rows that are valid one by one. */
const problemsOf = (
  columns: ShopifyColumns,
  rows: ReadonlyArray<ShopifyRow>,
  variants: ReadonlyArray<ShopifyRow>,
  options: ReadonlyArray<FileOption>
): ReadonlyArray<RowProblem> => {
  const problems: Array<RowProblem> = []
  const report = (row: ShopifyRow | undefined, column: string, reason: string) =>
    problems.push({ line: row?.line ?? 0, reason: `${column}: ${reason}` })
  if (columns.has("title") && !firstOf(rows, "title")) {
    report(rows[0], columns.nameOf("title"), "is empty; give the product's name in its first row")
  }
  if (variants.length > 1 && options.length === 0) {
    report(
      variants[1],
      "Option1 Value",
      "is missing, and the product has several variants; give each its option values"
    )
  }
  for (const n of NUMBERS) {
    const named = rows.find(({ cells }) => cells[`option${n}Name`])
    const isUsed = variants.some(({ cells }) => cells[`option${n}Value`])
    if (named === undefined || isUsed || variants.length === 0 || !columns.has(`option${n}Value`)) continue
    report(named, columns.nameOf(`option${n}Value`), "is empty; give each variant a value of the option")
  }
  for (const { n, name } of options) {
    if (name !== undefined && options.some((other) => other.n < n && other.name === name)) {
      report(variants[0], columns.nameOf(`option${n}Name`), `is ${name} twice; give each option its own name`)
    }
    for (const row of variants) {
      if (row.cells[`option${n}Value`]) continue
      report(row, columns.nameOf(`option${n}Value`), "is empty; give each variant a value of each option")
    }
  }
  return problems
}

const decodeFields = compileDecoder(
  Schema.Struct(editableFields)
    .mapFields(Struct.omit(["variants"]))
    .mapFields(Struct.map(Schema.optionalKey)),
  { errors: "all" }
)

/** Fields of a product that one row decides: that of its first variant, or its only one. */
const fieldsOfRow = (cells: ShopifyCells, prices: ReturnType<typeof pricesOf>, weightUnit: WeightUnit) => ({
  price: prices?.price,
  discountedPrice: prices && (prices.discountedPrice ?? null),
  costPrice: codesOf(cells).costPrice,
  taxable: orDefault(cells.taxable, PRODUCT_FIELDS.taxable.default),
  weight: weightOf(cells.grams, weightUnit)
})

/** Fields that all variants decide. An empty tracker means that the stock is not tracked. */
const fieldsOfVariants = ({ has }: ShopifyColumns, variants: Product["variants"]) => ({
  stock: has("quantity") ? totalStockOf(variants) : undefined,
  trackInventory: has("tracker") ? variants.some((variant) => Boolean(variant["inventoryTracker"])) : undefined
})

/** Fields of a product without variants. */
const fieldsOfProduct = ({ has }: ShopifyColumns, cells: ShopifyCells) => ({
  stock: orDefault(stockOf(cells), PRODUCT_FIELDS.stock.default),
  trackInventory: has("tracker") ? Boolean(cells.tracker) : undefined,
  ...codesOf(cells)
})

/** Reads the pictures of a product, each once. */
const picturesOf = (rows: ReadonlyArray<ShopifyRow>, othersOf: (row: ShopifyRow) => Values) => {
  const pictures = new Map<string, ImportedPicture>()
  for (const row of rows) {
    const picture = pictureOf(row.cells)
    if (picture === undefined || pictures.has(picture.url)) continue
    const others = isVariant(row) ? [] : [...othersOf(row)].filter(([, value]) => value !== null)
    pictures.set(picture.url, { ...picture, others: Object.fromEntries(others) })
  }
  return [...pictures.values()]
}

/** Columns that functions read by name. */
type NamedColumn =
  | `option${OptionNumber}${"Name" | "Value" | "LinkedTo"}`
  | keyof ReturnType<typeof cellsOfProduct>
  | keyof (Parameters<typeof pricesOf>[0] &
      Parameters<typeof stockOf>[0] &
      Parameters<typeof codesOf>[0] &
      Parameters<typeof pictureOf>[0] &
      Parameters<typeof idOf>[0])

type NoneOf<Unread extends never> = Unread

/** Columns whose values would be lost: none. Does not compile if the table has a column that no function reads. */
export type UnreadColumn = NoneOf<Exclude<ReadColumn, NamedColumn>>

/** Splits the columns without a field: those with values in further rows belong to rows, the others to the product. */
const splitOthers = ({ others }: ShopifyColumns, rows: ReadonlyArray<ShopifyRow>) => {
  const ofRows = new Set(
    others.filter((column) => rows.slice(1).some((row) => typeof row.others.get(column) === "string"))
  )
  const ofProduct = (isIncluded: (column: string) => boolean): Values =>
    new Map(
      others
        .filter(isIncluded)
        .map((column) => [column, ofRows.has(column) ? null : (rows[0]?.others.get(column) ?? null)])
    )
  return {
    custom: ofProduct((column) => !isMetafield(column)),
    metafields: ofProduct(isMetafield),
    /** Values of a row. A column of the product clears the value that an earlier file gave the row. */
    ofRow: (row: ShopifyRow): Values =>
      new Map(others.map((column) => [memberOf(column), ofRows.has(column) ? (row.others.get(column) ?? null) : null]))
  }
}

const defined = (fields: Readonly<Record<string, unknown>>) => Record.filter(fields, (value) => value !== undefined)

/** Converts the rows of a product, which must be valid. Fails with the problems that they have together. */
export const shopifyProduct = (
  columns: ShopifyColumns,
  rows: ReadonlyArray<ShopifyRow>,
  { replaceVariants, weightUnit }: ShopifyOptions
): Result.Result<ImportedProduct, ReadonlyArray<RowProblem>> => {
  const { has } = columns
  const variantRows = rows.filter(isVariant)
  const main = (variantRows[0] ?? rows[0])?.cells ?? {}
  const isDefault = variantRows.length === 1 && main.option1Value?.toLowerCase() === DEFAULT_VALUE
  const options = isDefault ? [] : optionsOf(rows, variantRows)
  const hasVariants = options.length > 0
  const problems = problemsOf(columns, rows, variantRows, options)
  if (problems.length > 0) return Result.fail(problems)

  const others = splitOthers(columns, rows)
  const pictures = picturesOf(rows, others.ofRow)
  const { category, giftCard, handle, published, status } = cellsOfProduct(rows)
  const ofColumns = fieldsOfColumns(rows)
  const ofStatus = valuesOf({
    published: published === undefined ? undefined : published === false ? false : null,
    status: status === "active" ? null : status
  })
  const isReplacing = replaceVariants && NUMBERS.some((n) => has(`option${n}Value`))

  return Result.succeed((before, at) => {
    const named = options.map((option) => ({
      ...option,
      name: option.name ?? before?.options[option.n - 1]?.name ?? `Option ${option.n}`
    }))
    const fileOptions = named.map(({ linkedTo, name, values }) => ({
      name,
      values,
      ...(linkedTo === undefined ? {} : { linkedTo: linkedTo ?? undefined })
    }))
    const onSale = before?.onSale ?? false
    const variants = variantRows.map((row) => ({
      row,
      set: {
        ...idOf(row.cells),
        ...(row.cells.sku && { sku: row.cells.sku }),
        options: Object.fromEntries(named.map(({ n, name }) => [name, row.cells[`option${n}Value`] ?? ""]))
      }
    }))
    const onSaleRows = new Set<ShopifyRow>()
    const merging = mergeVariants(
      before?.variants ?? [],
      hasVariants ? variants : [],
      ({ row, set: { options } }, stored) => {
        const prices = pricesOf(row.cells, storedPricesOf(stored, onSale))
        if (prices?.onSale === true) onSaleRows.add(row)
        return variantPatchOf({ cells: row.cells, others: others.ofRow(row), options }, stored, prices)
      },
      { replaceVariants: isReplacing, at }
    )
    if (Result.isFailure(merging)) return Result.fail(merging.failure)
    const { imported, remaining } = merging.success
    // If one variant is on sale, prepared sale prices of the others would count too.
    const reduced = new Set([
      ...variantRows.flatMap((row, index) => (onSaleRows.has(row) ? (imported[index]?.id ?? []) : [])),
      ...remaining.flatMap(({ discountedPrice, id }) => (onSale && discountedPrice !== undefined ? id : []))
    ])
    const hasPrices = PRICE_FIELDS.some(has)
    const merged =
      hasPrices && reduced.size > 0 ? merging.success.variants.map(onlyOf(reduced)) : merging.success.variants

    // The first variant may be one that the file does not have.
    const leading = hasVariants
      ? (variantRows[imported.findIndex(({ id }) => id === merged[0]?.id)]?.cells ?? {})
      : main
    const stored = hasVariants
      ? storedPricesOf(
          before?.variants.find(({ id }) => id === merged[0]?.id),
          onSale
        )
      : storedPricesOfProduct(before)
    const prices = pricesOf(leading, stored)
    const ofRow = fieldsOfRow(leading, prices, weightUnit)
    const extras = hasVariants ? [] : extrasOf(main, prices)
    const isShipped = hasVariants
      ? merged.some((variant) => variant["requiresShipping"] !== false)
      : main.requiresShipping !== false
    const custom = new Map([...others.custom, ...extras, ...ofStatus])
    const media = has("image") ? mergeMedia(before?.media ?? [], pictures) : undefined
    const decoded = decodeFields(
      defined({
        ...ofColumns,
        slug: isSlug(handle) ? handle : undefined,
        categoryName: category,
        category: category?.split(">").at(-1)?.trim() ?? category,
        isActive: isActiveIn(published, status, before),
        ...ofRow,
        onSale: hasVariants && hasPrices ? reduced.size > 0 : isOnSale(prices),
        ...(hasVariants ? fieldsOfVariants(columns, merged) : fieldsOfProduct(columns, main)),
        productKind: kindOf(giftCard, has("requiresShipping") ? isShipped : undefined, before),
        media,
        imageUrl: media && (media[0]?.["url"] ?? null),
        options: hasVariants
          ? mergeOptions(before?.options ?? [], fileOptions, remaining)
          : isReplacing
            ? []
            : undefined,
        customFields: custom.size === 0 ? undefined : mergeCustomFields(before?.customFields ?? [], custom),
        metafields:
          others.metafields.size === 0 ? undefined : mergeMetafields(before?.metafields ?? {}, others.metafields)
      })
    )
    if (Result.isFailure(decoded)) return Result.fail(issuesOf(decoded.failure))
    const problem = emptyPriceProblem(columns, hasVariants ? variantRows : rows.slice(0, 1), decoded.success, before)
    if (problem !== undefined) return Result.fail([problem])
    return checkVariants(hasVariants || isReplacing ? { ...decoded.success, variants: merged } : decoded.success)
  })
}
