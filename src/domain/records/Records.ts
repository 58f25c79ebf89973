import type { Effect, Result } from "effect"
import type { BadRequest } from "../BadRequest.ts"
import type { DocumentPage, JsonText } from "../json/Document.ts"
import type { PageRequest } from "../Page.ts"
import type { QueryPage, QueryPageRequest, QueryTooSlow } from "../Query.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import type { Write } from "../Write.ts"

/* Orders and customers, which merchants import and apps read. They have no events (contract, section 6). */

/** Visibility of the fields of a record. */
export interface FieldVisibility {
  /** True if personal data is visible. Otherwise it is null. */
  readonly isPersonal: boolean
}

/** Filter and page of a list of records. */
export interface RecordsRequest<Id> extends PageRequest<Id>, FieldVisibility {
  /** Only records created or changed at this time or later: RFC 3339 in UTC with milliseconds. */
  readonly updatedSince?: string | undefined
}

/** Record to store: changes the given fields of the one with this id, or is new if it is null. */
export interface RecordUpsert<Id, Input> {
  readonly id: Id | null
  readonly input: Input
}

/** Result for one record. */
export interface UpsertResult<Id> {
  readonly id: Id
  readonly outcome: "created" | "updated" | "unchanged"
}

/** Context for building a record: its id, the time and the stored record, if there is one. */
export interface RecordContext<Id, Full> {
  readonly id: Id
  readonly at: Date
  readonly currencyCode: string
  readonly before: Full | undefined
}

/** Service for one kind of record. */
export interface RecordService<Id, Input, Refused, Missing, Query> {
  /** Lists records in ascending order of id. */
  readonly list: (store: StoreId, request: RecordsRequest<Id>) => Effect.Effect<DocumentPage<Id>>
  /** Lists the records that match a query, in its sort order. Fields that the caller does not see match nothing. */
  readonly query: (
    store: StoreId,
    query: Query,
    page: QueryPageRequest,
    visibility: FieldVisibility
  ) => Effect.Effect<QueryPage, BadRequest | QueryTooSlow>
  /** Returns the complete document of a record. */
  readonly get: (store: StoreId, id: Id, shown: FieldVisibility) => Effect.Effect<JsonText, Missing>
  /**
   * Creates or changes records, in order. Absent fields keep their values. An unchanged record is not written and keeps
   * its `updatedAt`. Returns one result for each record; a failure does not undo the others.
   */
  readonly upsert: (
    store: StoreId,
    upserts: ReadonlyArray<RecordUpsert<Id, Input>>
  ) => Write<ReadonlyArray<Result.Result<UpsertResult<Id>, Refused>>, StoreNotFound>
}
