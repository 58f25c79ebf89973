import { Schema } from "effect"
import { Product } from "./Product.ts"

const { currencyCode, id, isActive, name, price, sku, slug, stock } = Product.fields

/** Short form of a product for lists, with the fields that identify it. */
export const ProductSummary = Schema.Struct({ id, name, slug, sku, price, currencyCode, stock, isActive }).annotate({
  identifier: "ProductSummary"
})
export type ProductSummary = typeof ProductSummary.Type
