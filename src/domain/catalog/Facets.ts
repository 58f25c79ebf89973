import { foldCase, isText } from "../Text.ts"
import type { Product } from "./Product.ts"
import type { RuleField } from "./Rule.ts"

/*
 * Rule fields of a product in comparable form: text folded, times as text, lists as lists. They are stored beside the
 * document, so that a rule reads a few hundred bytes instead of the whole product, and the database compares only text
 * that `fold` normalized.
 */

type Facet = string | boolean | number | ReadonlyArray<string> | ReadonlyArray<number> | null

export type Facets = Readonly<Record<RuleField, Facet>>

const folded = (value: string | null) => (value === null ? null : foldCase(value))

export const facetsOf = (product: Product): Facets => {
  const texts = (key: "title" | "sku" | "barcode") =>
    product.variants
      .map((v) => v[key])
      .filter(isText)
      .map(foldCase)
  const numbers = (key: "price" | "stock") => product.variants.map((v) => v[key]).filter((value) => value !== undefined)
  return {
    title: foldCase(product.name),
    description: folded(product.description),
    slug: product.slug,
    vendorName: folded(product.vendorName),
    productType: folded(product.productType),
    productKind: foldCase(product.productKind),
    category: folded(product.category),
    categoryId: folded(product.categoryId),
    categoryName: folded(product.categoryName),
    sku: folded(product.sku),
    barcode: folded(product.barcode),
    currencyCode: foldCase(product.currencyCode),
    countryOfOrigin: folded(product.countryOfOrigin),
    tags: product.tags.map(foldCase),
    price: product.price,
    discountedPrice: product.discountedPrice,
    costPrice: product.costPrice,
    stock: product.stock,
    weight: product.weight,
    "variant.price": numbers("price"),
    "variant.stock": numbers("stock"),
    "variant.title": texts("title"),
    "variant.sku": texts("sku"),
    "variant.barcode": texts("barcode"),
    isActive: product.isActive,
    onSale: product.onSale,
    taxable: product.taxable,
    trackInventory: product.trackInventory,
    createdAt: product.createdAt,
    updatedAt: product.updatedAt
  }
}

/** Serializes the facets for storage, without the description, which has its own column because of its length. */
export const facetsJson = ({ description: _, ...facets }: Facets): string => {
  const known: Record<string, Facet> = {}
  for (const [field, facet] of Object.entries(facets)) if (facet !== null) known[field] = facet
  return JSON.stringify(known)
}
