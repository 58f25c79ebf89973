import { hash } from "node:crypto"
import type { Facets } from "../../domain/catalog/Facets.ts"
import type { Product } from "../../domain/catalog/Product.ts"
import { PRODUCT_FIELDS } from "../../domain/catalog/ProductFields.ts"
import { searchedFields } from "../../domain/catalog/ProductFieldSets.ts"
import type { RuleField } from "../../domain/catalog/Rule.ts"
import { wordsOf } from "../../domain/catalog/SearchWords.ts"
import { isText } from "../../domain/Text.ts"

/** Fields that merchants group by: an index answers `equals` and `in` on them. */
const INDEXED: ReadonlyArray<RuleField & keyof Product> = searchedFields

/** Indexed fields whose words are searched too: a word leads to the terms of the values that contain it. */
const SEARCHED: ReadonlySet<RuleField> = new Set(
  searchedFields.filter((field) => PRODUCT_FIELDS[field].search === "words")
)

/** Maximum number of searched words of a name, and of another value. */
const NAME_WORDS = 32
const VALUE_WORDS = 8

export const isIndexed = (field: RuleField): boolean => INDEXED.some((indexed) => indexed === field)

/**
 * True if both states of a product have the same terms. Compares by reference: a patch keeps the values of the fields that
 * it does not name.
 */
export const hasSameTerms = (before: Product, after: Product): boolean =>
  before.name === after.name && INDEXED.every((field) => before[field] === after[field])

/** Kind of a term: a rule field, or a word of the name. */
type TermKind = RuleField | "word"

/**
 * Makes the UUID for "a product of this store has this (case-folded) value in this field": half of a SHA-256. Nobody can
 * find two values with the same term, so a product with the term has the value and no comparison is needed.
 */
export const termOf = (storeId: string, field: TermKind, value: string): string =>
  hash("sha256", `${storeId}/${field}/${value}`).slice(0, 32)

/** A word of the store's vocabulary and a term that it leads to. */
export interface WordEntry {
  readonly word: string
  readonly term: string
}

/** A searchable value of a product: its term and the vocabulary entries that lead to it. */
export interface SearchValue {
  readonly term: string
  readonly entries: ReadonlyArray<WordEntry>
  /** True once a committed write has stored the entries. */
  isStored: boolean
}

/** Terms of a product. Codes (SKU, barcode) have columns instead. */
export interface SearchIndex {
  readonly terms: ReadonlyArray<string>
  /** Values whose entries may not be in the vocabulary yet. */
  readonly unstored: ReadonlyArray<SearchValue>
}

const textsOf = (facets: Facets, field: RuleField): ReadonlyArray<string> => {
  const facet = facets[field]
  if (isText(facet)) return [facet]
  return Array.isArray(facet) ? facet.filter(isText) : []
}

type MakeValue = (storeId: string, kind: TermKind, value: string) => SearchValue

/** Returns the words that lead to a value. A word of a name leads to itself. */
const wordsLeadingTo = (kind: TermKind, value: string): ReadonlyArray<string> => {
  if (kind === "word") return [value]
  return SEARCHED.has(kind) ? wordsOf(value, VALUE_WORDS) : []
}

const makeValue: MakeValue = (storeId, kind, value) => {
  const term = termOf(storeId, kind, value)
  const entries = wordsLeadingTo(kind, value).map((word) => ({ word, term }))
  return { term, entries, isStored: entries.length === 0 }
}

/** Returns the terms of a product of a store. */
export type Indexer = (storeId: string, facets: Facets) => SearchIndex

const indexWith =
  (makeValue: MakeValue): Indexer =>
  (storeId, facets) => {
    const values = new Map<string, SearchValue>()
    const add = (kind: TermKind, text: string) => {
      const value = makeValue(storeId, kind, text)
      values.set(value.term, value)
    }
    for (const field of INDEXED) for (const text of textsOf(facets, field)) add(field, text)
    for (const name of textsOf(facets, "title")) for (const word of wordsOf(name, NAME_WORDS)) add("word", word)
    return { terms: [...values.keys()], unstored: [...values.values()].filter(({ isStored }) => !isStored) }
  }

/** Returns all terms of a product. All of its vocabulary entries count as not stored. */
export const indexFacets: Indexer = indexWith(makeValue)

/** Marks values whose words a committed write has stored. */
export const markStored = (values: Iterable<SearchValue>): void => {
  for (const value of values) value.isStored = true
}

/** Minimum number of most recently used values in the cache. It holds at most twice as many. */
const CACHED = 8000

/**
 * Makes an indexer with a cache, since values recur across products. The cache also remembers which vocabulary entries
 * are stored. Entries are never deleted, so only a failover that loses commits makes it wrong: call `clear` then.
 */
export const makeIndexCache = () => {
  let recent = new Map<string, SearchValue>()
  let older = recent
  const cachedValue: MakeValue = (storeId, kind, value) => {
    const key = `${storeId}/${kind}/${value}`
    const cached = recent.get(key)
    if (cached !== undefined) return cached
    if (recent.size >= CACHED) {
      older = recent
      recent = new Map()
    }
    const term = older.get(key) ?? makeValue(storeId, kind, value)
    recent.set(key, term)
    return term
  }
  return {
    indexFacets: indexWith(cachedValue),
    clear: () => {
      recent = new Map()
      older = recent
    }
  }
}
