import { Schema, SchemaTransformation } from "effect"

/** Default and maximum number of rows in a page (contract, section 8). */
export const DEFAULT_LIMIT = 50
export const MAX_LIMIT = 200

/**
 * Size in bytes of JSON at which a page ends early, with a cursor for the rest. The row that exceeds the limit is
 * included, so that every page has at least one row (docs/spec/pagination.md).
 */
export const PAGE_BYTES = 1024 * 1024

/** Time in milliseconds after which a page of collections ends early, because rules are evaluated during the read. */
export const PAGE_MILLIS = 1_000

/**
 * Requested number of rows. Values above the maximum are reduced to it; values below 1 and non-integers are rejected
 * (docs/spec/pagination.md).
 */
export const PageLimit = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^[0-9]+$/)),
  Schema.check(Schema.makeFilter((text) => Number(text) >= 1)),
  Schema.annotate({ message: "must be an integer of at least 1" })
).pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({ decode: (text) => Math.min(Number(text), MAX_LIMIT), encode: String })
  )
)

export interface PageRequest<Id> {
  /** Id of the last row that the client received. The row may have been deleted since. */
  readonly cursor?: Id | undefined
  readonly limit: number
}
