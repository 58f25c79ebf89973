import { Schema } from "effect"
import { Timestamp } from "../catalog/Fields.ts"
import { Uuid } from "../Uuid.ts"

/** Maximum number of unfinished exports of a store. */
export const MAX_UNFINISHED = 5

/** Maximum number of exports of a store, unfinished and kept. */
export const MAX_EXPORTS = 20

/** Hours for which an ended export is kept. */
export const KEPT_HOURS = 24

/** Resource kinds that can be exported. */
export const ExportKind = Schema.Literals(["products", "collections", "orders", "customers"])
export type ExportKind = typeof ExportKind.Type

export const ExportId = Uuid.pipe(Schema.brand("ExportId"), Schema.annotate({ identifier: "ExportId" }))
export type ExportId = typeof ExportId.Type

export const ExportState = Schema.Literals(["running", "finished", "failed", "canceled"])
export type ExportState = typeof ExportState.Type

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const Export = Schema.Struct({
  id: ExportId,
  kind: ExportKind,
  state: ExportState,
  exported: Count.annotate({ description: "Rows that are stored so far" }),
  bytes: Count.annotate({ description: "Their bytes as JSON Lines" }),
  failure: Schema.NullOr(Schema.String).annotate({ description: "Why the export failed" }),
  createdAt: Timestamp,
  finishedAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "Export" })
export type Export = typeof Export.Type

/** Part of the file of an export. */
export const ExportPart = Schema.Struct({
  lines: Schema.String.annotate({ description: "Whole lines of JSON, each with a line break" }),
  nextPart: Schema.NullOr(Count).annotate({ description: "Number of the next part, or null after the last one" })
})
export type ExportPart = typeof ExportPart.Type

export class ExportNotFound extends Schema.TaggedError<ExportNotFound>()("ExportNotFound", { id: ExportId }) {
  override get message() {
    return `Export ${this.id} was not found; exports are kept for ${KEPT_HOURS} hours after their end`
  }
}

/** The export has no complete file. */
export class ExportNotFinished extends Schema.TaggedError<ExportNotFinished>()("ExportNotFinished", {
  state: ExportState
}) {
  override get message() {
    return `The export is ${this.state}; only a finished one can be read. Wait for its end, or create another one`
  }
}

/** The store has as many unfinished or kept exports as it may have. `oldest` is the one to delete first. */
export class TooManyExports extends Schema.TaggedError<TooManyExports>()("TooManyExports", {
  limit: Schema.Literals(["unfinished", "kept"]),
  oldest: ExportId
}) {
  override get message() {
    return this.limit === "unfinished"
      ? `The store has ${MAX_UNFINISHED} unfinished exports, the maximum; wait until one ends, or delete one. The oldest is ${this.oldest}`
      : `The store has ${MAX_EXPORTS} exports, the maximum; delete one, or wait ${KEPT_HOURS} hours after its end. The oldest that has ended is ${this.oldest}`
  }
}
