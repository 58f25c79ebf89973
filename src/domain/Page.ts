import { Schema, SchemaTransformation } from "effect"

/** Rows of a page when `limit` is absent, and at most (contract, section 8). */
export const DEFAULT_LIMIT = 50
export const MAX_LIMIT = 200

/**
 * Bytes of JSON beyond which a page takes no further row: it ends early, with a cursor for the rest. The row that passes
 * them still belongs to it, so that every page holds one (decisions, section 4).
 */
export const PAGE_BYTES = 1024 * 1024

/** Milliseconds after which a page of collections ends in the same way: rules are applied as it is read. */
export const PAGE_MILLIS = 1_000

/** Rows asked for. Above the maximum means the maximum; below 1 or no integer is refused (decisions, section 4). */
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
  /** The id of the last row the client has seen; it need not exist any more. */
  readonly cursor?: Id | undefined
  readonly limit: number
}
