import { Struct } from "effect"
import { foldCase, isText } from "../Text.ts"
import { Product } from "./Product.ts"
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

const KNOWN: ReadonlySet<string> = new Set(Struct.keys(Product.fields))

/** Longest text of an unknown member that is stored a second time. */
const MAX_UNKNOWN_TEXT = 1_000

const isScalar = (value: unknown): value is string | number | boolean =>
  isText(value) ? value.length <= MAX_UNKNOWN_TEXT : typeof value === "number" || typeof value === "boolean"

const folded = (value: string | number | boolean) => (isText(value) ? foldCase(value) : value)

/**
 * Facets of members that a newer release wrote, because its rules read them: a value, or a list of texts. Those that its
 * rules cannot use do no harm.
 */
const unknownFacets = (product: Product): Readonly<Record<string, Facet>> => {
  const facets: Record<string, Facet> = {}
  if (Object.keys(product).length === KNOWN.size) return facets
  for (const [name, value] of Object.entries<unknown>(product)) {
    if (KNOWN.has(name)) continue
    if (isScalar(value)) facets[name] = folded(value)
    else if (Array.isArray(value) && value.every(isText)) facets[name] = value.map(foldCase)
  }
  return facets
}

export const facetsOf = (product: Product): Facets => {
  const texts = (key: "title" | "sku" | "barcode") =>
    product.variants
      .map((v) => v[key])
      .filter(isText)
      .map(foldCase)
  const numbers = (key: "price" | "stock") => product.variants.map((v) => v[key]).filter((value) => value !== undefined)
  const { name: title, ...folded } = fold(Struct.pick(product, TEXTS))
  return {
    ...unknownFacets(product),
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
