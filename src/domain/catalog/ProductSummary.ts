import { Schema } from "effect"
import { Product } from "./Product.ts"

const { currencyCode, id, imageUrl, isActive, name, price, sku, slug, stock } = Product.fields

/** Short form of a product for lists, with the fields that identify it and its picture. */
export const ProductSummary = Schema.Struct({
  id,
  name,
  slug,
  sku,
  price,
  currencyCode,
  stock,
  isActive,
  imageUrl
}).annotate({ identifier: "ProductSummary" })
export type ProductSummary = typeof ProductSummary.Type
