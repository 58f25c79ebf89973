import { type Option, Schema } from "effect"
import { ApprovalNeeded, BudgetSpent } from "../../domain/access/Agents.ts"
import { Proposed, TooManyProposals } from "../../domain/access/Proposals.ts"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { EventLoop } from "../../domain/Events.ts"
import { AnswersFull, IdempotencyKey, KeyReused } from "../../domain/Idempotency.ts"
import type { JsonObject } from "../../domain/Json.ts"
import { DEFAULT_LIMIT, MAX_LIMIT, type PageRequest } from "../../domain/Page.ts"
import { dryRunFields as dryRunResultFields } from "../../domain/DryRun.ts"
import { StoreId } from "../../domain/Store.ts"
import type { VersionCondition } from "../../domain/Version.ts"

/* What procedures share: the members of what they are asked with, the forms of answers, why writes are refused. */

/** An integer between bounds. */
export const integerBetween = (least: number, most: number, description: string) => {
  const message = `must be an integer from ${least} to ${most}`
  return Schema.Int.annotate({ message }).check(
    Schema.isBetween({ minimum: least, maximum: most }, { description, message })
  )
}

/** Every procedure of a store names it. */
export const storeFields = { storeId: withDescription(StoreId, "The store, of which the caller is a member") }

const decodeStore = Schema.decodeUnknownOption(StoreId)

/** The store that a payload names. */
export const findStoreId = (payload: JsonObject): Option.Option<StoreId> => decodeStore(payload["storeId"])

/** What a write is asked with to what is the caller's own and in no store. */
export const accountKeyedFields = {
  idempotencyKey: IdempotencyKey.annotate({
    description:
      "A new one, as a UUID, for each operation that is meant, and the same when it is repeated because no answer came: it runs once, and a repeat gets the answer of the first",
    message: "must be 1 to 255 visible ASCII characters"
  })
}

/** What every other write is asked with. */
export const keyedFields = { ...storeFields, ...accountKeyedFields }

/** What a write that can be rehearsed is asked with. */
export const dryRunFields = {
  ...keyedFields,
  dryRun: optional(
    Schema.Boolean.annotate({
      description:
        "true: the write is decided and answered as it would be, or refused, with what it would lead to. Nothing is kept, and the write itself may come with the same key",
      message: "must be true or false"
    })
  )
}

/** What a write to something that there is is asked with. */
export const versionedFields = {
  ...dryRunFields,
  expectedVersion: optional(
    Schema.Int.annotate({ message: "must be an integer of at least 1" }).check(
      Schema.isGreaterThan(0, {
        description: "The version that the write may replace: it is refused when the resource has another by now",
        message: "must be an integer of at least 1"
      })
    )
  )
}

/** The versions that a payload lets its write replace. */
export const toVersionCondition = ({ expectedVersion }: { readonly expectedVersion?: number }): VersionCondition =>
  expectedVersion === undefined ? "any" : [expectedVersion]

/** What a list is asked with of what is the caller's own and in no store. */
export const accountPageFields = <Cursor extends Schema.Top>(cursor: Cursor) => ({
  cursor: optional(withDescription(cursor, "The `nextCursor` of the page before")),
  limit: optional(
    integerBetween(1, MAX_LIMIT, "Items of a page at most; it may hold fewer and still have a `nextCursor`")
  )
})

/** What every other list is asked with. */
export const pageFields = <Cursor extends Schema.Top>(cursor: Cursor) => ({
  ...storeFields,
  ...accountPageFields(cursor)
})

/** The page that a payload asks for. */
export const toPageRequest = <Id>({
  cursor,
  limit = DEFAULT_LIMIT
}: {
  readonly cursor?: Id
  readonly limit?: number
}): PageRequest<Id> => ({ cursor, limit })

/** A page of a list, in ascending order of id. */
export const Page = <Item extends Schema.Top, Id extends Schema.Top>(item: Item, id: Id) =>
  Schema.Struct({
    items: Schema.Array(item),
    nextCursor: Schema.NullOr(id).annotate({ description: "Null exactly when there is no further item" })
  })

/** A page of a list, the newest first, of which not all may be looked at for those that are in one state. */
export const SparsePage = <Item extends Schema.Top, Id extends Schema.Top>(item: Item, id: Id) =>
  Schema.Struct({
    items: Schema.Array(item),
    nextCursor: Schema.NullOr(id).annotate({
      description: "Null when there is no further item; of one state a page may hold few, or none, and have a next one"
    })
  })

/** What is gone. */
export const Deleted = <Id extends Schema.Top>(id: Id) => Schema.Struct({ id, deleted: Schema.Literal(true) })

/**
 * What a write of the catalog answers with: the resource, or what it would be and lead to where the write is only rehearsed, or the
 * proposal where it is that of an agent and waits.
 */
export const WriteResult = <Resource extends Schema.Top>(resource: Resource) =>
  Schema.Union([Schema.Struct({ ...dryRunResultFields, resource }), Proposed, resource])

/** The answers to a write which was not done. */
export type UnperformedWrite = { readonly dryRun: true } | typeof Proposed.Type

/** Whether the answer is that of a write which was done. */
export const isPerformed = <A extends object>(answer: A): answer is Exclude<A, UnperformedWrite> =>
  !("dryRun" in answer || "proposal" in answer)

/** Why any write may be refused to what is the caller's own and in no store, beside the reasons of its own. */
export const AccountWriteError = Schema.Union([KeyReused, AnswersFull])

/** Why any other write may be refused. */
export const WriteError = Schema.Union([
  KeyReused,
  AnswersFull,
  EventLoop,
  BudgetSpent,
  ApprovalNeeded,
  TooManyProposals
])
export type WriteError = typeof WriteError.Type
