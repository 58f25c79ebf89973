import type { Product } from "../catalog/Product.ts"
import type { Variant } from "../catalog/ProductParts.ts"
import type { ShopifyColumns, ShopifyRow } from "./ShopifyColumns.ts"
import type { ShopifyCells } from "./ShopifyTable.ts"
import { hasPrice, PRICE_FIELDS, type pricesOf, storedCustomField } from "./ShopifyVariant.ts"

/* Fields that decide whether and how a product is offered. A file can have a part of them. */

/**
 * Returns undefined if the file has neither column. An empty cell publishes the product, as at Shopify. A column alone is
 * read beside the stored value of the other, unless the product was activated since.
 */
export const isActiveIn = (
  published: ShopifyCells["published"],
  status: ShopifyCells["status"],
  before: Product | undefined
): boolean | undefined => {
  if (published === undefined && status === undefined) return undefined
  const stored = (name: string) =>
    before?.isActive === false ? storedCustomField(before.customFields, name) : undefined
  const isPublished = published === undefined ? stored("published") !== false : (published ?? true)
  const state = status === undefined ? (stored("status") ?? "active") : (status ?? "active")
  return isPublished && state === "active"
}

/**
 * Returns the reason to refuse a product that would go on sale at price 0 because a price is empty. An explicit 0 is a
 * free product.
 */
export const emptyPriceProblem = (
  columns: ShopifyColumns,
  rows: ReadonlyArray<ShopifyRow>,
  { isActive, price }: Pick<Partial<Product>, "isActive" | "price">,
  before: Product | undefined
): string | undefined => {
  const field = PRICE_FIELDS.find((one) => columns.has(one))
  const empty = rows.find(({ cells }) => !hasPrice(cells))
  const isFree = (price ?? before?.price ?? 0) === 0
  const wasOffered = before?.isActive === true && before.price === 0
  const isOffered = isActive ?? before?.isActive ?? true
  if (field === undefined || empty === undefined || !isFree || !isOffered || wasOffered) return undefined
  const at = empty === rows[0] ? "" : `line ${empty.line}, `
  return `${at}${columns.nameOf(field)}: is empty, and an active product needs a price; give the price (0 if the product is free), or make the product a draft`
}

/** Returns undefined if a sale price is prepared, which the file does not start or end. */
export const isOnSale = (prices: ReturnType<typeof pricesOf>) =>
  prices && (prices.onSale || (prices.discountedPrice === undefined ? false : undefined))

/** Makes a function that removes the sale price of variants that are not on sale. */
export const onlyOf =
  (onSale: ReadonlySet<string>) =>
  (variant: Variant): Variant => {
    const { discountedPrice: _, ...others } = variant
    return onSale.has(variant.id) ? variant : others
  }

/** Returns undefined if the file does not decide whether the product is shipped. */
export const kindOf = (
  giftCard: ShopifyCells["giftCard"],
  isShipped: boolean | undefined,
  before: Product | undefined
) => {
  if (giftCard === true) return "gift_card"
  if (isShipped !== undefined) return isShipped ? "physical" : "digital"
  return giftCard !== undefined && before?.productKind === "gift_card" ? "physical" : undefined
}
