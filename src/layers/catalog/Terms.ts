import { hash } from "node:crypto"
import type { Facets } from "../../domain/catalog/Facets.ts"
import type { Product } from "../../domain/catalog/Product.ts"
import type { RuleField } from "../../domain/catalog/Rule.ts"
import { wordsOf } from "../../domain/catalog/Words.ts"
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

/** Those of them whose words are searched, too: each leads to the terms of the values that it stands in. */
const SEARCHED: ReadonlySet<RuleField> = new Set(["tags", "vendorName", "category"])

/** Fields that are searched and that rules have no index for. */
const FOUND_BY = ["name", "sku", "barcode"] as const satisfies ReadonlyArray<keyof Product>

/** Words of a name that are searched, and of another value. */
const NAME_WORDS = 32
const VALUE_WORDS = 8

export const isIndexed = (field: RuleField): boolean => INDEXED.some((indexed) => indexed === field)

/** Whether a product made of another one is found by the same: what a patch does not name is the same value. */
export const isFoundAs = (before: Product, after: Product): boolean =>
  [...INDEXED, ...FOUND_BY].every((field) => before[field] === after[field])

/** What a term tells of: a field that rules ask for, or a word of the name. */
type Kind = RuleField | "word"

/**
 * "This field of a product of this store has this (folded) value", as a UUID: half of its SHA-256, so that no two facts
 * that anybody could find share one: who has the term has the value, and nothing is left to compare.
 */
export const term = (storeId: string, field: Kind, value: string): string =>
  hash("sha256", `${storeId}/${field}/${value}`).slice(0, 32)

/** A word of the store's vocabulary, and a term that it leads to. */
export interface Entry {
  readonly word: string
  readonly term: string
}

/** What a product is found by, beside its codes. */
export interface Index {
  readonly terms: ReadonlyArray<string>
  readonly entries: ReadonlyArray<Entry>
}

const textsOf = (facets: Facets, field: RuleField) => [facets[field]].flat().filter(isText)

/** A value that a product is found by: its term, and what leads to that. */
interface Found {
  readonly term: string
  readonly entries: ReadonlyArray<Entry>
}

type FoundBy = (kind: Kind, value: string) => Found

/** The words that lead to a value: of a name each stands for itself. */
const leadingTo = (kind: Kind, value: string): ReadonlyArray<string> => {
  if (kind === "word") return [value]
  return SEARCHED.has(kind) ? wordsOf(value, VALUE_WORDS) : []
}

const foundIn =
  (storeId: string): FoundBy =>
  (kind, value) => {
    const made = term(storeId, kind, value)
    return { term: made, entries: leadingTo(kind, value).map((word) => ({ word, term: made })) }
  }

const indexBy = (facets: Facets, foundBy: FoundBy): Index => {
  const terms = new Set<string>()
  const entries: Array<Entry> = []
  const add = (kind: Kind, value: string) => {
    const found = foundBy(kind, value)
    terms.add(found.term)
    entries.push(...found.entries)
  }
  for (const field of INDEXED) for (const value of textsOf(facets, field)) add(field, value)
  for (const word of textsOf(facets, "title").flatMap((name) => wordsOf(name, NAME_WORDS))) add("word", word)
  return { terms: [...terms], entries }
}

/** All terms of a product, and the words that lead to them. */
export const indexOf = (storeId: string, facets: Facets): Index => indexBy(facets, foundIn(storeId))

/** Tells what products of a store are found by. */
export type IndexOf = (facets: Facets) => Index

/** The same for many products of a store: what many have is made once, and is the same object in each. */
export const makeIndex = (storeId: string): IndexOf => {
  const made = new Map<string, Found>()
  const foundBy = foundIn(storeId)
  const known: FoundBy = (kind, value) => {
    const key = `${kind}/${value}`
    const found = made.get(key) ?? foundBy(kind, value)
    made.set(key, found)
    return found
  }
  return (facets) => indexBy(facets, known)
}
