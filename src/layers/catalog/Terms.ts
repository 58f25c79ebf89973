import { hash } from "node:crypto"
import type { Facets } from "../../domain/catalog/Facets.ts"
import type { Product } from "../../domain/catalog/Product.ts"
import type { RuleField } from "../../domain/catalog/Rule.ts"
import { isText } from "../../domain/Text.ts"

/** Fields that merchants group by: an index answers `equals` and `in` on them. */
const INDEXED = [
  "tags",
  "vendorName",
  "productType",
  "category",
  "categoryId",
  "categoryName"
] as const satisfies ReadonlyArray<RuleField & keyof Product>

export const isIndexed = (field: RuleField): boolean => INDEXED.some((indexed) => indexed === field)

/** Whether a product made of another one has its terms: what a patch does not name is the same value. */
export const hasTermsOf = (before: Product, after: Product): boolean =>
  INDEXED.every((field) => before[field] === after[field])

/**
 * "This field of a product of this store has this (folded) value", as a UUID: half of its SHA-256, so that no two facts
 * that anybody could find share one: who has the term has the value, and nothing is left to compare.
 */
export const term = (storeId: string, field: RuleField, value: string): string =>
  hash("sha256", `${storeId}/${field}/${value}`).slice(0, 32)

const termsBy = (facets: Facets, term: (field: RuleField, value: string) => string): ReadonlyArray<string> => [
  ...new Set(
    INDEXED.flatMap((field) =>
      [facets[field]]
        .flat()
        .filter(isText)
        .map((value) => term(field, value))
    )
  )
]

/** All terms of a product, for the index. */
export const termsOf = (storeId: string, facets: Facets): ReadonlyArray<string> =>
  termsBy(facets, (field, value) => term(storeId, field, value))

/** Makes the terms of products of a store. */
export type TermsOf = (facets: Facets) => ReadonlyArray<string>

/** The same for many products of a store: of what many have the term is made once. */
export const makeTerms = (storeId: string): TermsOf => {
  const made = new Map<string, string>()
  const known = (field: RuleField, value: string) => {
    const key = `${field}/${value}`
    const found = made.get(key) ?? term(storeId, field, value)
    made.set(key, found)
    return found
  }
  return (facets) => termsBy(facets, known)
}
