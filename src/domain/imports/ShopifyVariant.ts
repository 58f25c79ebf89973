import { BigDecimal, Predicate, Struct } from "effect"
import type { Product } from "../catalog/Product.ts"
import type { Variant } from "../catalog/ProductParts.ts"
import type { JsonObject } from "../json/Json.ts"
import { plus } from "../json/Numbers.ts"
import { MEMBER_COLUMNS, type ShopifyCells } from "./ShopifyTable.ts"
import { hasOptions, type VariantPatch } from "./Variants.ts"

/*
 * Values of a row that belong to a variant, or to a product without variants. Shopify's prices depend on each other, so
 * that a file with one of them is read beside the stored other one.
 */

/** Values by name. Null clears a value; absent ones keep theirs. */
export type Values = ReadonlyMap<string, unknown>

/** Builds values without those that the file does not have. */
export const valuesOf = (values: Readonly<Record<string, unknown>>): Values =>
  new Map(Object.entries(values).filter(([, value]) => value !== undefined))

/** Returns the stored value of a custom field, or undefined. */
export const storedCustomField = (stored: Product["customFields"] | undefined, name: string): unknown =>
  Array.isArray(stored) ? stored.find(({ key }: JsonObject) => key === name)?.["value"] : undefined

/** Stored prices of a product or variant. */
interface StoredPrices {
  readonly price: number | undefined
  readonly discountedPrice: number | null | undefined
  /** Compare-at price that was not above the price. */
  readonly compareAtPrice: unknown
  /** If false, `discountedPrice` is prepared but not charged. */
  readonly onSale: boolean
}

/** Returns the stored prices of a variant. `onSale` is that of its product. */
export const storedPricesOf = (variant: Variant | undefined, onSale: boolean): StoredPrices => ({
  price: variant?.price,
  discountedPrice: variant?.discountedPrice,
  compareAtPrice: variant?.["compareAtPrice"],
  onSale
})

/** Returns the stored prices of a product without variants. */
export const storedPricesOfProduct = (product: Product | undefined): StoredPrices => ({
  price: product?.price,
  discountedPrice: product?.discountedPrice,
  compareAtPrice: storedCustomField(product?.customFields, "compareAtPrice"),
  onSale: product?.onSale ?? false
})

/** Prices to store. */
interface Prices {
  readonly price: number | undefined
  readonly discountedPrice: number | undefined
  readonly compareAtPrice: number | undefined
  readonly onSale: boolean
}

/** Columns with prices. */
export const PRICE_FIELDS = ["price", "compareAtPrice", "regularPrice", "salePrice"] as const

/** Tests whether any price of a row is filled. */
export const hasPrice = (cells: ShopifyCells): boolean => PRICE_FIELDS.some((field) => Predicate.isNumber(cells[field]))

const storedSale = ({ discountedPrice, onSale }: StoredPrices) =>
  onSale && Predicate.isNumber(discountedPrice) ? discountedPrice : undefined

/** Prices without a sale. A stored sale price that is not charged is kept, unless the price is no longer above it. */
const withoutSale = (price: number | undefined, stored: StoredPrices, compareAtPrice: number | undefined): Prices => {
  const prepared = storedSale(stored) === undefined ? stored.discountedPrice : undefined
  const isUnchanged = Predicate.isNumber(prepared) && price !== undefined && prepared < price
  return { price, discountedPrice: isUnchanged ? prepared : undefined, compareAtPrice, onSale: false }
}

type PriceCell = number | null | undefined

/**
 * Prices of the price that customers pay and the one above it. An empty price keeps the stored one, or is the other one
 * if there is none.
 */
const pricesOfPaid = (price: PriceCell, above: PriceCell, stored: StoredPrices): Prices => {
  const sale = storedSale(stored)
  const kept = above === undefined ? (sale === undefined ? stored.compareAtPrice : stored.price) : above
  const regular = Predicate.isNumber(kept) ? kept : undefined
  const known = sale ?? stored.price
  // A stored 0 beside an empty cell is a price that was never given.
  const paid = price ?? (price === null && known === 0 ? undefined : known) ?? regular ?? known
  return paid !== undefined && regular !== undefined && paid < regular
    ? { price: regular, discountedPrice: paid, compareAtPrice: undefined, onSale: true }
    : withoutSale(paid, stored, regular)
}

/** Prices of a regular price and a sale price. An empty sale price, or one of 0, ends the sale. */
const pricesOfSale = (regular: PriceCell, sale: PriceCell, stored: StoredPrices): Prices => {
  const reduced = sale === undefined ? storedSale(stored) : sale === null || sale === 0 ? undefined : sale
  const price = regular ?? (stored.price === 0 ? undefined : stored.price) ?? reduced ?? stored.price
  if (price !== undefined && reduced !== undefined && reduced < price) {
    return { price, discountedPrice: reduced, compareAtPrice: undefined, onSale: true }
  }
  return sale === undefined
    ? withoutSale(price, stored, undefined)
    : { price, discountedPrice: undefined, compareAtPrice: undefined, onSale: false }
}

/** Cells of some columns. A function that takes those that it reads shows the compiler that they are read. */
export type CellsOf<Column extends keyof ShopifyCells> = Pick<ShopifyCells, Column>

/** Converts the pair of prices of a row to `price` and `discountedPrice`. Returns undefined if the file has no prices. */
export const pricesOf = (
  {
    compareAtPrice,
    price,
    regularPrice,
    salePrice
  }: CellsOf<"price" | "compareAtPrice" | "regularPrice" | "salePrice">,
  stored: StoredPrices
): Prices | undefined => {
  if ([compareAtPrice, price, regularPrice, salePrice].every((cell) => cell === undefined)) return undefined
  if (salePrice !== undefined || (regularPrice !== undefined && price === undefined)) {
    return pricesOfSale(regularPrice ?? compareAtPrice ?? price, salePrice, stored)
  }
  return pricesOfPaid(price, regularPrice === undefined ? compareAtPrice : regularPrice, stored)
}

/** Replaces a negative stock, which Shopify allows, by 0. Returns undefined if the file has no stock. */
export const stockOf = ({ quantity }: CellsOf<"quantity">): number | null | undefined =>
  Predicate.isNumber(quantity) && quantity < 0 ? 0 : quantity

const memberColumns = Struct.keys(MEMBER_COLUMNS)

/** Values of a row that have no field in this API. */
export const extrasOf = (cells: ShopifyCells, prices: Prices | undefined): Values =>
  valuesOf({
    compareAtPrice: prices && (prices.compareAtPrice ?? null),
    inventoryQuantity: stockOf(cells) === cells.quantity && cells.quantity !== undefined ? null : cells.quantity,
    ...Object.fromEntries(memberColumns.map((column) => [MEMBER_COLUMNS[column].member, cells[column]]))
  })

/** Member names that columns without a field cannot have. */
const RESERVED = new Set([
  "id",
  "title",
  "options",
  "sku",
  "barcode",
  "price",
  "discountedPrice",
  "costPrice",
  "stock",
  "url",
  "type",
  "alt",
  "position",
  "compareAtPrice",
  "inventoryQuantity",
  ...memberColumns.map((column) => MEMBER_COLUMNS[column].member)
])

/** Returns the member that keeps a column without a field. */
export const memberOf = (column: string): string => (RESERVED.has(column) ? `${column} (column)` : column)

/** Reads the id of a variant. */
export const idOf = ({ variantId }: CellsOf<"variantId">) => (variantId ? { id: variantId } : {})

/** Reads the codes and the cost of a variant, or of a product without variants. */
export const codesOf = ({ barcode, cost, sku }: CellsOf<"barcode" | "cost" | "sku">) => ({
  sku,
  barcode,
  costPrice: cost
})

/** Row of a variant: its option values, and the columns without a field that belong to rows. */
export interface VariantRow {
  readonly cells: ShopifyCells
  readonly options: Readonly<Record<string, string>>
  readonly others: Values
}

/** Builds the patch of a variant. A stored title is kept unless its options change, as exports have no variant titles. */
export const variantPatchOf = (
  { cells, options, others }: VariantRow,
  before: Variant | undefined,
  prices: Prices | undefined
): VariantPatch => {
  const codes = codesOf(cells)
  const { barcode, costPrice, sku } = codes
  const stock = stockOf(cells)
  const members = new Map([...extrasOf(cells, prices), ...others])
  const known = valuesOf({
    ...codes,
    price: prices && (prices.price ?? null),
    discountedPrice: prices && (prices.discountedPrice ?? null),
    stock
  })
  return {
    set: {
      ...Object.fromEntries([...members].filter(([, value]) => value !== null)),
      ...((before === undefined || !hasOptions(before, options)) && {
        title: Object.values(options).join(" / ").slice(0, 255).toWellFormed()
      }),
      options,
      ...(typeof sku === "string" && { sku }),
      ...(typeof barcode === "string" && { barcode }),
      ...(prices?.price !== undefined && { price: prices.price }),
      ...(prices?.discountedPrice !== undefined && { discountedPrice: prices.discountedPrice }),
      ...(Predicate.isNumber(costPrice) && { costPrice }),
      ...(Predicate.isNumber(stock) && { stock })
    },
    clear: [...members, ...known].flatMap(([name, value]) => (value === null ? [name] : []))
  }
}

/** Grams per unit of weight. */
const GRAMS = { g: "1", kg: "1000", oz: "28.349523125", lb: "453.59237" } as const
export type WeightUnit = keyof typeof GRAMS

/** Decimals of a weight in a unit that is no power of ten of a gram. */
const DECIMALS = 4

/** Converts grams to a unit of weight. Shopify writes 0 for a product without weight. */
export const weightOf = (grams: number | null | undefined, unit: WeightUnit): number | null | undefined => {
  if (grams === undefined || grams === null) return grams
  if (grams === 0) return null
  const weight = BigDecimal.divideUnsafe(BigDecimal.fromNumberUnsafe(grams), BigDecimal.fromStringUnsafe(GRAMS[unit]))
  return BigDecimal.toNumberUnsafe(
    unit === "g" || unit === "kg" ? weight : BigDecimal.round(weight, { scale: DECIMALS })
  )
}

/** Adds the stocks of all variants. Returns undefined if none has a stock, and NaN if no double has the sum. */
export const totalStockOf = (variants: Product["variants"]): number | undefined => {
  const stocks = variants.flatMap(({ stock }) => stock ?? [])
  return stocks.length === 0 ? undefined : stocks.reduce(plus)
}
