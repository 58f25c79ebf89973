import { Schema } from "effect"
import { Product } from "./Product.ts"

const { currencyCode, id, isActive, name, price, sku, slug, stock } = Product.fields

/** A product as lists for people and agents show it: what tells it from others, where the whole would be too much. */
export const ProductSummary = Schema.Struct({ id, name, slug, sku, price, currencyCode, stock, isActive }).annotate({
  identifier: "ProductSummary"
})
export type ProductSummary = typeof ProductSummary.Type
