import { stringify, type JsonNumber } from "../Json.ts"
import { fold, isText } from "../Text.ts"
import type { Product } from "./Product.ts"
import type { RuleField } from "./Rule.ts"

/*
 * What rules can ask of a product, in the form they ask it: text folded, times as text, lists as lists. It is stored
 * beside the document, so that a rule looks at a few hundred bytes and not at the whole product, and so that the
 * database compares only what `fold` made of both sides.
 */

type Facet = string | boolean | JsonNumber | ReadonlyArray<string> | ReadonlyArray<JsonNumber> | null

export type Facets = Readonly<Record<RuleField, Facet>>

const folded = (value: string | null) => (value === null ? null : fold(value))

export const facetsOf = (product: Product): Facets => {
  const texts = (key: "title" | "sku" | "barcode") =>
    product.variants
      .map((v) => v[key])
      .filter(isText)
      .map(fold)
  const numbers = (key: "price" | "stock") => product.variants.map((v) => v[key]).filter((value) => value !== undefined)
  return {
    title: fold(product.name),
    description: folded(product.description),
    slug: product.slug,
    vendorName: folded(product.vendorName),
    productType: folded(product.productType),
    productKind: fold(product.productKind),
    category: folded(product.category),
    categoryId: folded(product.categoryId),
    categoryName: folded(product.categoryName),
    sku: folded(product.sku),
    barcode: folded(product.barcode),
    currencyCode: fold(product.currencyCode),
    countryOfOrigin: folded(product.countryOfOrigin),
    tags: product.tags.map(fold),
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

/** The facets as they are stored: without the description, which has a column of its own for its length. */
export const facetsJson = ({ description: _, ...facets }: Facets): string => {
  const known: Record<string, Facet> = {}
  for (const [field, facet] of Object.entries(facets)) if (facet !== null) known[field] = facet
  return stringify(known)
}
