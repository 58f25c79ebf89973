import { Schema } from "effect"

/* Filters in the URL. */

/** Value of a date input. */
export const DateText = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\d$/))

/** Search with changed members. Empty ones are left out. */
export const withSearch = (search: object, change: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== "")
  )
