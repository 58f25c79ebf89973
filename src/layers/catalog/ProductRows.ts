import { type Facets, facetsJson } from "../../domain/catalog/Facets.ts"
import type { StoredProduct } from "../../domain/catalog/ProductState.ts"
import { codeOf } from "../../domain/catalog/SearchWords.ts"
import { isText } from "../../domain/Text.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import type { Columns } from "../sql/RowList.ts"

/** A product with the values of all its columns. */
export interface ProductRow extends StoredProduct {
  readonly facets: Facets
  /** Null if an update keeps them. */
  readonly terms: ReadonlyArray<string> | null
}

/** Returns a SKU or barcode in the form in which it is searched; null if nothing is left of it. */
export const nullableCode = (text: string | null) => (text === null ? null : codeOf(text) || null)

/** Columns of `products`. */
export const PRODUCT_COLUMNS: Columns<ProductRow> = {
  id: ["uuid", ({ product }) => product.id],
  slug: ["text", ({ product }) => product.slug],
  document: ["lines", ({ json }) => json],
  bytes: ["integer", ({ json }) => Buffer.byteLength(json)],
  version: ["integer", ({ product }) => product.version],
  facets: ["lines", ({ facets }) => facetsJson(facets)],
  description: ["text", ({ facets: { description } }) => (isText(description) ? description : null)]
}

/** Columns of `product_keys`. */
export const KEY_COLUMNS: Columns<ProductRow> = {
  id: ["uuid", ({ product }) => product.id],
  price: ["numeric", ({ product }) => JSON.stringify(product.price)],
  stock: ["numeric", ({ product }) => JSON.stringify(product.stock)],
  sku: ["text", ({ product }) => nullableCode(product.sku)],
  barcode: ["text", ({ product }) => nullableCode(product.barcode)],
  terms: ["lines", ({ terms }) => (terms === null ? null : plainArray(terms))]
}
