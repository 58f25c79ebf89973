import { type Option, type Result, Schema } from "effect"

/** What a resource is called where it comes from. It is kept beside the resource, and not in its document. */
export const ExternalId = Schema.String.check(
  Schema.makeFilter((id) => id !== "" && id.length <= 255, { message: "must be text of 1 to 255 characters" })
).pipe(Schema.brand("ExternalId"))
export type ExternalId = typeof ExternalId.Type

/** A resource as it is known elsewhere: made where the store has none under this id, else changed to say the same. */
export interface Put<Input> {
  readonly externalId: ExternalId
  readonly input: Input
}

/** What became of it. What says the same already is not written. */
export type PutOutcome = "created" | "updated" | "unchanged"

/** What became of several that were put together. */
export interface PutAll<Refused, Limit> {
  /** Of each in turn. One that is refused does not undo the others. */
  readonly outcomes: ReadonlyArray<Result.Result<PutOutcome, Refused>>
  /** What the plan of the store allows no more of: those behind the outcomes were not looked at. */
  readonly limit: Option.Option<Limit>
}
