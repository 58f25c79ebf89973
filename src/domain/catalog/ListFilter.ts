import { Schema } from "effect"
import type { PageRequest } from "../Page.ts"

/** Maximum number of ids in a list request. */
export const MAX_IDS = 100

/** Last two digits of ids, which divide a list into 256 ranges. */
export const IdRange = Schema.String.annotate({ message: "must be two hexadecimal digits, as in a7" }).check(
  Schema.isPattern(/^[0-9a-f]{2}$/, { message: "must be two hexadecimal digits, as in a7" })
)

/** Filter and page of a list of products or collections. All given criteria must match. */
export interface CatalogRequest<Id> extends PageRequest<Id> {
  /** Only rows with these ids, at most {@link MAX_IDS}. */
  readonly ids?: ReadonlyArray<Id> | undefined
  /** Only rows whose ids end with these two digits. */
  readonly range?: string | undefined
  /** Only rows that were created or changed at this time or later: RFC 3339 in UTC with milliseconds. */
  readonly updatedSince?: string | undefined
}

/** True if a list returns only some rows. */
export const isFiltered = ({ ids, range, updatedSince }: CatalogRequest<unknown>): boolean =>
  ids !== undefined || range !== undefined || updatedSince !== undefined
