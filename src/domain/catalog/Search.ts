import { Context, type Effect, Schema } from "effect"
import type { DocumentPage } from "../json/Document.ts"
import type { StoreId } from "../Store.ts"
import { isUuid } from "../Uuid.ts"
import { trimmed } from "./Fields.ts"
import { ProductSummary } from "./ProductSummary.ts"

/*
 * Search of products by text (docs/spec/search.md).
 */

/** Default and maximum number of products on a page. */
export const DEFAULT_SEARCH_LIMIT = 20
export const MAX_SEARCH_LIMIT = 50

/** Maximum number of words of a query. Further words are ignored. */
export const MAX_QUERY_WORDS = 8

/**
 * Kinds of match, best first: SKU or barcode, beginnings of words, beginning of the SKU or barcode, beginnings of words
 * with a typing error.
 */
export const MatchKind = Schema.Literals(["code", "words", "code_beginning", "similar"])
export type MatchKind = typeof MatchKind.Type

/** Kind of match and id of the last product on a page. */
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

/** Product that matches a query. */
export const SearchResult = Schema.Struct({
  ...ProductSummary.fields,
  found: MatchKind.annotate({
    description:
      "Kind of match: SKU or barcode (`code`), beginnings of words (`words`), beginning of the SKU or barcode (`code_beginning`), or words with one typing error (`similar`)",
    examples: ["words"]
  })
}).annotate({ identifier: "FoundProduct" })

/** Query and page of a search. */
export interface SearchRequest {
  readonly query: string
  readonly cursor?: SearchCursor | undefined
  readonly limit: number
}

/** Finds products by text. Committed writes are visible at once. */
export class Search extends Context.Service<
  Search,
  {
    /** Returns matches in the order of {@link MatchKind}; matches of one kind are ordered from old to new. */
    readonly products: (store: StoreId, request: SearchRequest) => Effect.Effect<DocumentPage<SearchCursor>>
  }
>()("domain/Search") {}
