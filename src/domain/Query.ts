import { Schema } from "effect"
import { optional, trimmed, WITHOUT_NUL } from "./catalog/Fields.ts"
import type { DocumentPage } from "./json/Document.ts"
import { formatInteger } from "./Text.ts"

/* Lists that clients filter and sort (docs/spec/queries.md). */

/** Milliseconds that a query may take. */
export const QUERY_MILLIS = 1000

/** Maximum number of matches that are counted. */
export const MAX_TOTAL = 10_000

/** Text to search for. */
export const SearchText = trimmed(255).check(WITHOUT_NUL)

/** Position of the last row of a page in its query. Its content is not part of the API. */
export const QueryCursor = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,4096}$/, { message: "must be the `nextCursor` of a page" })
).pipe(Schema.brand("QueryCursor"))
export type QueryCursor = typeof QueryCursor.Type

/** Creates the field of a sort order: one of the names, with `-` for descending. */
export const sortField = <const Name extends string>(
  names: ReadonlyArray<Name>,
  initial: NoInfer<Name | `-${Name}`>
) => {
  const orders = names.flatMap((name): ReadonlyArray<Name | `-${Name}`> => [name, `-${name}`])
  return optional(
    Schema.Literals(orders).annotate({
      message: `must be one of ${orders.join(", ")}`,
      description: `Order of the rows; \`-\` sorts in descending order. Rows with the same value are ordered by id, and those without a value come last. Default: \`${initial}\``
    })
  )
}

/** Part of a query that concerns the page. */
export interface QueryPageRequest {
  readonly cursor?: QueryCursor | undefined
  readonly limit: number
}

/** Page of a query. `total` is the number of all matches; null if they are more than {@link MAX_TOTAL}. */
export interface QueryPage extends DocumentPage<QueryCursor> {
  readonly total: number | null
}

/** Number of matches in the response to a query. */
export const Total = Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))).annotate({
  description: `Number of all matches; null if they are more than ${formatInteger(MAX_TOTAL)}`,
  examples: [412]
})

/** The query is valid, but takes longer than {@link QUERY_MILLIS}. */
export class QueryTooSlow extends Schema.TaggedError<QueryTooSlow>()("QueryTooSlow", {}) {
  override get message() {
    return `This query takes longer than ${QUERY_MILLIS / 1000} second. Sort by createdAt, search orders by three characters or more, give them a period with placedSince, use fewer rules, or replace contains by equals or in on tags, vendorName, productType or a category, which are indexed`
  }
}
