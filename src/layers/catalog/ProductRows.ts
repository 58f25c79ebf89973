import { type Facets, facetsJson } from "../../domain/catalog/Facets.ts"
import type { Product } from "../../domain/catalog/Product.ts"
import { codeOf } from "../../domain/catalog/SearchWords.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { isText } from "../../domain/Text.ts"
import { joinLines, plainArray, textArray } from "../sql/ArrayLiterals.ts"

/** A product and its document. */
export interface StoredProduct {
  readonly product: Product
  readonly json: JsonText
}

/** A product with the values of all its columns. */
export interface ProductRow extends StoredProduct {
  readonly facets: Facets
  /** Null if an update keeps them. */
  readonly terms: ReadonlyArray<string> | null
}

export const nullableCode = (text: string | null) => (text === null ? null : codeOf(text) || null)

/** Returns SKU and barcode in the form in which they are searched. */
export const codesOf = ({ barcode, sku }: Product) => [nullableCode(sku), nullableCode(barcode)] as const

/** Encodes columns of `products` as lists. */
export const productLists = (rows: ReadonlyArray<ProductRow>) => ({
  ids: plainArray(rows.map(({ product }) => product.id)),
  // Quoted, as `null` is a slug too.
  slugs: textArray(rows.map(({ product }) => product.slug)),
  documents: joinLines(rows.map(({ json }) => json)),
  bytes: plainArray(rows.map(({ json }) => Buffer.byteLength(json))),
  versions: plainArray(rows.map(({ product }) => product.version)),
  facets: joinLines(rows.map(({ facets }) => facetsJson(facets))),
  descriptions: textArray(rows.map(({ facets: { description } }) => (isText(description) ? description : null)))
})

/** Encodes columns of `product_keys` as lists. */
export const keyLists = (rows: ReadonlyArray<ProductRow>) => {
  const codes = rows.map(({ product }) => codesOf(product))
  return {
    ids: plainArray(rows.map(({ product }) => product.id)),
    prices: plainArray(rows.map(({ product }) => JSON.stringify(product.price))),
    stocks: plainArray(rows.map(({ product }) => JSON.stringify(product.stock))),
    skus: textArray(codes.map(([sku]) => sku)),
    barcodes: textArray(codes.map(([, barcode]) => barcode)),
    terms: joinLines(rows.map(({ terms }) => (terms === null ? "" : plainArray(terms))))
  }
}
