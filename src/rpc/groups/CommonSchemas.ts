import { type Option, Schema } from "effect"
import { ApprovalNeeded, BudgetSpent } from "../../domain/access/Agents.ts"
import { Proposed, TooManyProposals } from "../../domain/access/Proposals.ts"
import { withDescription, optional, trimmed } from "../../domain/catalog/Fields.ts"
import { IdRange, MAX_IDS } from "../../domain/catalog/ListFilter.ts"
import { EventLoop } from "../../domain/Events.ts"
import { StoredResponsesFull, IdempotencyKey, KeyReused } from "../../domain/Idempotency.ts"
import { boundedArray } from "../../domain/json/Bounded.ts"
import type { JsonObject } from "../../domain/json/Json.ts"
import { DEFAULT_LIMIT, MAX_LIMIT, type PageRequest } from "../../domain/Page.ts"
import { QueryCursor, Total } from "../../domain/Query.ts"
import { dryRunFields as dryRunResultFields } from "../../domain/DryRun.ts"
import { StoreId } from "../../domain/Store.ts"
import { Instant } from "../../domain/Time.ts"
import type { VersionCondition } from "../../domain/Version.ts"

/* Payload fields, response schemas and errors that procedures share. */

/** Creates the schema of an integer in an inclusive range. */
export const integerBetween = (least: number, most: number, description: string) => {
  const message = `must be an integer from ${least} to ${most}`
  return Schema.Int.annotate({ message }).check(
    Schema.isBetween({ minimum: least, maximum: most }, { description, message })
  )
}

/** Payload of every procedure in a store. */
export const storeFields = { storeId: withDescription(StoreId, "Id of a store that the caller belongs to") }

const decodeStore = Schema.decodeUnknownOption(StoreId)

/** Reads the store id of a payload that is not decoded yet. */
export const findStoreId = (payload: JsonObject): Option.Option<StoreId> => decodeStore(payload["storeId"])

/** Payload of a write to the caller's account. */
export const accountKeyedFields = {
  idempotencyKey: IdempotencyKey.annotate({
    description:
      "A new UUID for each operation. Send the same key again only to retry: the write runs once, and a retry returns the first response",
    message: "must be 1 to 255 visible ASCII characters"
  })
}

/** Payload of a write in a store. */
export const keyedFields = { ...storeFields, ...accountKeyedFields }

/** Reason of a write. */
export const reasonFields = {
  reason: optional(
    withDescription(
      trimmed(500),
      "Why you make the change. Members read it with a proposal and in the activity of the store"
    )
  )
}

/** Payload of a write that supports a dry run. */
export const dryRunFields = {
  ...keyedFields,
  ...reasonFields,
  dryRun: optional(
    Schema.Boolean.annotate({
      description:
        "true: returns the result, events and collection changes of the write, or its error, and stores nothing. The real write may use the same key",
      message: "must be true or false"
    })
  )
}

/** Payload of a write to an existing resource. */
export const versionedFields = {
  ...dryRunFields,
  expectedVersion: optional(
    Schema.Int.annotate({ message: "must be an integer of at least 1" }).check(
      Schema.isGreaterThan(0, {
        description:
          "The `version` that was read. The write fails with VersionMismatch if the resource has another version",
        message: "must be an integer of at least 1"
      })
    )
  )
}

/** Converts `expectedVersion` to the condition of a write. */
export const toVersionCondition = ({ expectedVersion }: { readonly expectedVersion?: number }): VersionCondition =>
  expectedVersion === undefined ? "any" : [expectedVersion]

/** Payload of a list in the caller's account. */
export const accountPageFields = <Cursor extends Schema.Top>(cursor: Cursor) => ({
  cursor: optional(withDescription(cursor, "The `nextCursor` of the previous page")),
  limit: optional(
    integerBetween(1, MAX_LIMIT, "Maximum number of items. A page can hold fewer and still have a `nextCursor`")
  )
})

/** Payload of a list in a store. */
export const pageFields = <Cursor extends Schema.Top>(cursor: Cursor) => ({
  ...storeFields,
  ...accountPageFields(cursor)
})

/** Payload of a list of products or collections. */
export const catalogPageFields = <A extends string>(id: Schema.Codec<A, string>) => ({
  ...pageFields(id),
  ids: optional(
    boundedArray(id, MAX_IDS, "ids").annotate({ description: `Only rows with these ids, at most ${MAX_IDS}` })
  ),
  range: optional(withDescription(IdRange, "Only rows whose ids end with these two hexadecimal digits")),
  updatedSince: optional(
    withDescription(
      Instant,
      "Only rows created or changed at this time or later, in RFC 3339. A page can be empty and still have a `nextCursor`"
    )
  )
})

/** Converts `cursor` and `limit` to a page request. */
export const toPageRequest = <Id>({
  cursor,
  limit = DEFAULT_LIMIT
}: {
  readonly cursor?: Id
  readonly limit?: number
}): PageRequest<Id> => ({ cursor, limit })

/** Creates the schema of a page. */
export const Page = <Item extends Schema.Top, Id extends Schema.Top>(item: Item, id: Id) =>
  Schema.Struct({
    items: Schema.Array(item),
    nextCursor: Schema.NullOr(id).annotate({ description: "Cursor of the next page, or null on the last one" })
  })

/** Creates the schema of a page of a query. */
export const QueryPage = <Item extends Schema.Top>(item: Item) =>
  Schema.Struct({ ...Page(item, QueryCursor).fields, total: Total })

/** Creates the schema of a page that a filter can leave short or empty although a next page exists. */
export const SparsePage = <Item extends Schema.Top, Id extends Schema.Top>(item: Item, id: Id) =>
  Schema.Struct({
    items: Schema.Array(item),
    nextCursor: Schema.NullOr(id).annotate({
      description:
        "Cursor of the next page, or null on the last one. With a filter, a page can be empty and still have a next one"
    })
  })

/** Creates the schema of the response to a deletion. */
export const Deleted = <Id extends Schema.Top>(id: Id) => Schema.Struct({ id, deleted: Schema.Literal(true) })

/**
 * Creates the schema of the response to a catalog write: the resource, the result of a dry run, or the proposal of an agent
 * with `proposalsOnly`.
 */
export const WriteResult = <Resource extends Schema.Top>(resource: Resource) =>
  Schema.Union([Schema.Struct({ ...dryRunResultFields, resource }), Proposed, resource])

/** Responses of writes that changed nothing yet. */
export type UnperformedWrite = { readonly dryRun: true } | typeof Proposed.Type

/** Tests if a write was performed: neither a dry run nor a proposal. */
export const isPerformed = <A extends object>(answer: A): answer is Exclude<A, UnperformedWrite> =>
  !("dryRun" in answer || "proposal" in answer)

/** Errors of every write to an account. */
export const AccountWriteError = Schema.Union([KeyReused, StoredResponsesFull])

/** Errors of every write in a store. */
export const WriteError = Schema.Union([
  KeyReused,
  StoredResponsesFull,
  EventLoop,
  BudgetSpent,
  ApprovalNeeded,
  TooManyProposals
])
export type WriteError = typeof WriteError.Type
