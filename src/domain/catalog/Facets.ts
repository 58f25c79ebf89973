import { Struct } from "effect"
import { foldCase, isText } from "../Text.ts"
import type { Product } from "./Product.ts"
import { productFields } from "./ProductFields.ts"
import { isRuledAs } from "./ProductFieldSets.ts"
import type { RuleField } from "./Rule.ts"

/*
 * Rule fields of a product in comparable form: text folded, times as text, lists as lists. They are stored beside the
 * document, so that a rule reads a few hundred bytes instead of the whole product, and the database compares only text
 * that `fold` normalized.
 */

type Facet = string | boolean | number | ReadonlyArray<string> | ReadonlyArray<number> | null

export type Facets = Readonly<Record<RuleField, Facet>>

type Text = string | null | ReadonlyArray<string>

interface Fold extends Struct.Lambda {
  (value: Text): Text
  readonly "~lambda.out": Text
}

const fold = Struct.map(
  Struct.lambda<Fold>((value) => (value === null ? null : isText(value) ? foldCase(value) : value.map(foldCase)))
)

const TEXTS = productFields.filter(isRuledAs("text"))
const OTHERS = [...productFields.filter(isRuledAs("number")), ...productFields.filter(isRuledAs("boolean"))]

export const facetsOf = (product: Product): Facets => {
  const texts = (key: "title" | "sku" | "barcode") =>
    product.variants
      .map((v) => v[key])
      .filter(isText)
      .map(foldCase)
  const numbers = (key: "price" | "stock") => product.variants.map((v) => v[key]).filter((value) => value !== undefined)
  const { name: title, ...folded } = fold(Struct.pick(product, TEXTS))
  return {
    title,
    ...folded,
    ...Struct.pick(product, OTHERS),
    "variant.price": numbers("price"),
    "variant.stock": numbers("stock"),
    "variant.title": texts("title"),
    "variant.sku": texts("sku"),
    "variant.barcode": texts("barcode"),
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
