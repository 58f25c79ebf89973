import { Result, Schema } from "effect"
import { CollectionQuery } from "../../../domain/catalog/Queries.ts"

/* Filters in the URL. */

/** Creates a parser of the filters and the sort order of a list. Invalid ones are dropped. */
export const searchParser = <A extends object>(schema: Schema.ConstraintDecoder<A>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (search: Record<string, unknown>): Partial<A> => Result.getOrElse(decode(search), () => ({}))
}

/** Value of a date input. */
export const DateText = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\d$/))

/** Search with changed members. Empty ones are left out. */
export const withSearch = (search: object, change: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== "")
  )

/** Search and sort order of the list, in the URL. */
export const parseCollectionSearch = searchParser(CollectionQuery)
