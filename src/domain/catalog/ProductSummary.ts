import type { Schema } from "effect"
import { Product } from "./Product.ts"

/** A product as lists for people and agents show it: what tells it from others, where the whole would be too much. */
export const ProductSummary = Product.pick(
  "id",
  "name",
  "slug",
  "sku",
  "price",
  "currencyCode",
  "stock",
  "isActive"
).annotations({ identifier: "ProductSummary" })
export type ProductSummary = Schema.Schema.Type<typeof ProductSummary>
