import { hash } from "node:crypto"
import type { Facets } from "../../domain/catalog/Facets.ts"
import type { Product } from "../../domain/catalog/Product.ts"
import type { RuleField } from "../../domain/catalog/Rule.ts"
import { wordsOf } from "../../domain/catalog/SearchWords.ts"
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
export const hasSameTerms = (before: Product, after: Product): boolean =>
  [...INDEXED, ...FOUND_BY].every((field) => before[field] === after[field])

/** What a term tells of: a field that rules ask for, or a word of the name. */
type Kind = RuleField | "word"

/**
 * "This field of a product of this store has this (folded) value", as a UUID: half of its SHA-256, so that no two facts
 * that anybody could find share one: who has the term has the value, and nothing is left to compare.
 */
export const termOf = (storeId: string, field: Kind, value: string): string =>
  hash("sha256", `${storeId}/${field}/${value}`).slice(0, 32)

/** A word of the store's vocabulary, and a term that it leads to. */
export interface Entry {
  readonly word: string
  readonly term: string
}

/** A value that a product is found by: its term, and what leads to that. */
export interface SearchValue {
  readonly term: string
  readonly entries: ReadonlyArray<Entry>
  /** Whether a committed write is known to have entered them. */
  isStored: boolean
}

/** What a product is found by, beside its codes. */
export interface SearchIndex {
  readonly terms: ReadonlyArray<string>
  /** What is to be entered in the vocabulary, unless it is there already. */
  readonly unstored: ReadonlyArray<SearchValue>
}

const textsOf = (facets: Facets, field: RuleField): ReadonlyArray<string> => {
  const facet = facets[field]
  if (isText(facet)) return [facet]
  return Array.isArray(facet) ? facet.filter(isText) : []
}

type FoundBy = (storeId: string, kind: Kind, value: string) => SearchValue

/** The words that lead to a value: of a name each stands for itself. */
const leadingTo = (kind: Kind, value: string): ReadonlyArray<string> => {
  if (kind === "word") return [value]
  return SEARCHED.has(kind) ? wordsOf(value, VALUE_WORDS) : []
}

const foundBy: FoundBy = (storeId, kind, value) => {
  const made = termOf(storeId, kind, value)
  const entries = leadingTo(kind, value).map((word) => ({ word, term: made }))
  return { term: made, entries, isStored: entries.length === 0 }
}

/** Tells what a product of a store is found by. */
export type Indexer = (storeId: string, facets: Facets) => SearchIndex

const indexBy =
  (foundBy: FoundBy): Indexer =>
  (storeId, facets) => {
    const found = new Map<string, SearchValue>()
    const find = (kind: Kind, value: string) => {
      const one = foundBy(storeId, kind, value)
      found.set(one.term, one)
    }
    for (const field of INDEXED) for (const value of textsOf(facets, field)) find(field, value)
    for (const name of textsOf(facets, "title")) for (const word of wordsOf(name, NAME_WORDS)) find("word", word)
    return { terms: [...found.keys()], unstored: [...found.values()].filter(({ isStored }) => !isStored) }
  }

/** All terms of a product, and the words that lead to them, of which none is known to be entered. */
export const indexFacets: Indexer = indexBy(foundBy)

/** Values that are remembered at least, of those that were used last. There are at most twice as many. */
const REMEMBERED = 8000

/**
 * The same for many products, whose values come again and again: what is made of one is remembered, and whether its words
 * are entered. They stay when products go, so it holds until the database itself loses what was committed: `forget`.
 */
export const makeIndexCache = () => {
  let late = new Map<string, SearchValue>()
  let early = late
  const remembered: FoundBy = (storeId, kind, value) => {
    const key = `${storeId}/${kind}/${value}`
    const known = late.get(key)
    if (known !== undefined) return known
    if (late.size >= REMEMBERED) {
      early = late
      late = new Map()
    }
    const found = early.get(key) ?? foundBy(storeId, kind, value)
    late.set(key, found)
    return found
  }
  return {
    indexOf: indexBy(remembered),
    forget: () => {
      late = new Map()
      early = late
    }
  }
}
