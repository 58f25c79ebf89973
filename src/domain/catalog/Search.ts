import { Context, type Effect, Schema } from "effect"
import type { DocumentPage } from "../Document.ts"
import type { StoreId } from "../Store.ts"
import { isUuid } from "../Uuid.ts"
import { trimmed } from "./Fields.ts"
import { ProductSummary } from "./ProductSummary.ts"

/*
 * Search of products by text (decisions, section 19).
 */

/** Products of a page when nothing is said, and at most. */
export const DEFAULT_SEARCH_LIMIT = 20
export const MAX_SEARCH_LIMIT = 50

/** Words of a query that count. */
export const MAX_QUERY_WORDS = 8

/**
 * How a product was found, the best first: by its SKU or barcode, by beginnings of its words, by the beginning of its SKU
 * or barcode, by beginnings of words with a typing error.
 */
export const MatchKind = Schema.Literals(["code", "words", "code_beginning", "similar"])
export type MatchKind = typeof MatchKind.Type

/** The last product that was seen, and how it was found. */
export const SearchCursor = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter(
      (text) => /^(?:code|code_beginning|words|similar)\./.test(text) && isUuid(text.slice(text.indexOf(".") + 1))
    )
  ),
  Schema.brand("SearchCursor"),
  Schema.annotate({ message: "must be the `nextCursor` of a page" })
)
export type SearchCursor = typeof SearchCursor.Type

export const Query = trimmed(255)

/** A product that was found. */
export const SearchResult = Schema.Struct({
  ...ProductSummary.fields,
  found: MatchKind.annotate({
    description:
      "Kind of match: SKU or barcode (`code`), beginnings of words (`words`), beginning of the SKU or barcode (`code_beginning`), or words with one typing error (`similar`)",
    examples: ["words"]
  })
}).annotate({ identifier: "FoundProduct" })

/** What is searched for, and which page of what is found. */
export interface SearchRequest {
  readonly query: string
  readonly cursor?: SearchCursor | undefined
  readonly limit: number
}

/** Finds products by text. What is committed is found. */
export class Search extends Context.Service<
  Search,
  {
    /** The best first, as `Found` has them; of those that are found alike the oldest first. */
    readonly products: (store: StoreId, request: SearchRequest) => Effect.Effect<DocumentPage<SearchCursor>>
  }
>()("domain/Search") {}
