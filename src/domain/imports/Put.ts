import { type Option, type Result, Schema } from "effect"

/**
 * Id of a resource in the system that it is imported from, 1 to 255 characters. Stored beside the resource, not in its
 * document.
 */
export const ExternalId = Schema.String.check(
  Schema.makeFilter((id) => id !== "" && id.length <= 255, { message: "must be text of 1 to 255 characters" })
).pipe(Schema.brand("ExternalId"))
export type ExternalId = typeof ExternalId.Type

/** Resource to import: created if the store has none with this external id, else updated. */
export interface ImportItem<Input> {
  readonly externalId: ExternalId
  readonly input: Input
}

/** Result for one resource. `unchanged` resources are not written. */
export type ImportOutcome = "created" | "updated" | "unchanged"

/** Results of a batch. */
export interface BatchResult<Refused, Limit> {
  /** One for each resource, in order. A failure does not undo the others. */
  readonly outcomes: ReadonlyArray<Result.Result<ImportOutcome, Refused>>
  /** Plan limit that the batch reached. Resources after the last outcome were not processed. */
  readonly limit: Option.Option<Limit>
}

/** A row lacks a field that a new resource needs, or cannot be combined with the resource that it updates. */
export class InvalidRow extends Schema.TaggedError<InvalidRow>()("InvalidRow", {
  issues: Schema.Array(Schema.String)
}) {
  override get message() {
    return "The row cannot be imported"
  }
}
