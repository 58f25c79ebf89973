import type { Effect, Result } from "effect"
import type { DocumentPage, JsonText } from "../Document.ts"
import type { PageRequest } from "../Page.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import type { Write } from "../Write.ts"

/*
 * Orders and customers: what merchants bring by import, and apps read. They have no events (contract, section 6).
 */

/** How much of a record is shown. */
export interface Shown {
  /** Whether personal data is shown; it is null otherwise. */
  readonly isPersonal: boolean
}

/** Which records a page is of. */
export interface RecordsRequest<Id> extends PageRequest<Id>, Shown {
  /** Only what was made or changed at this time or later: RFC 3339 in UTC with milliseconds. */
  readonly updatedSince?: string | undefined
}

/** A record to put: over the one with this id, or as a new one. */
export interface Put<Id, Input> {
  readonly id: Id | null
  readonly input: Input
}

/** What became of it. */
export interface Done<Id> {
  readonly id: Id
  readonly outcome: "created" | "updated" | "unchanged"
}

/** What a record that is put is given: its id, the time, and what it is put over. */
export interface Given<Id, Before> {
  readonly id: Id
  readonly at: Date
  readonly currencyCode: string
  readonly before: Before | undefined
}

/** The service of a kind of record. */
export interface RecordsOf<Id, Input, Refused, Missing> {
  /** Records in ascending order of id. */
  readonly list: (store: StoreId, request: RecordsRequest<Id>) => Effect.Effect<DocumentPage<Id>>
  /** The document of a record, whole. */
  readonly get: (store: StoreId, id: Id, shown: Shown) => Effect.Effect<JsonText, Missing>
  /**
   * Puts records, in their order: each replaces the one that it names whole, or is a new one. What is there already as it
   * is put is not written, and keeps its `updatedAt`. Answers what became of each; one that is refused does not undo the
   * others.
   */
  readonly put: (
    store: StoreId,
    puts: ReadonlyArray<Put<Id, Input>>
  ) => Write<ReadonlyArray<Result.Result<Done<Id>, Refused>>, StoreNotFound>
}
