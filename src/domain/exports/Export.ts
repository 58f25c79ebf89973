import { Schema, Struct } from "effect"
import { optional, Timestamp, withDescription } from "../catalog/Fields.ts"
import { ProductId } from "../catalog/Product.ts"
import { CollectionQuery, ProductQuery } from "../catalog/Queries.ts"
import { MAX_SELECTED_IDS } from "../changeSets/ChangeSet.ts"
import { DataKind } from "../imports/DataKind.ts"
import { boundedArray } from "../json/Bounded.ts"
import { CustomerQuery } from "../records/Customer.ts"
import { OrderQuery } from "../records/Order.ts"
import { Uuid } from "../Uuid.ts"

/** Maximum number of unfinished exports of a store. */
export const MAX_UNFINISHED = 5

/** Maximum number of exports of a store, unfinished and kept. */
export const MAX_EXPORTS = 20

/** Hours for which an ended export is kept. */
export const KEPT_HOURS = 24

/** Form of the file: a JSON object a line, or a row of cells. */
export const ExportFormat = Schema.Literals(["jsonl", "csv"])
export type ExportFormat = typeof ExportFormat.Type

/** Filter of the products of an export: that of the list, and ids. */
export const ProductFilter = Schema.Struct({
  ...ProductQuery.mapFields(Struct.omit(["sort"])).fields,
  ids: optional(withDescription(boundedArray(ProductId, MAX_SELECTED_IDS, "ids"), "Only products with these ids"))
})
export type ProductFilter = typeof ProductFilter.Type

const OTHER_KIND = { message: `must have the kind ${DataKind.literals.join(", ")}` }

const contentOf = <Kind extends DataKind, Filter extends Schema.Top>(kind: Kind, filter: Filter) => ({
  kind: Schema.Literal(kind),
  format: optional(
    ExportFormat.annotate({ message: "must be jsonl or csv", description: "Form of the file. Default: jsonl" })
  ),
  where: optional(filter.annotate({ description: "Filter of the list of this kind. Default: all rows" }))
})

const CONTENTS = {
  products: contentOf("products", ProductFilter),
  collections: contentOf("collections", CollectionQuery.mapFields(Struct.omit(["sort"]))),
  orders: contentOf("orders", OrderQuery.mapFields(Struct.omit(["sort"]))),
  customers: contentOf("customers", CustomerQuery.mapFields(Struct.omit(["sort"])))
}

/** Makes the schema of the content of an export, with further fields. */
export const exportContent = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Union([
    Schema.Struct({ ...fields, ...CONTENTS.products }).annotate(OTHER_KIND),
    Schema.Struct({ ...fields, ...CONTENTS.collections }).annotate(OTHER_KIND),
    Schema.Struct({ ...fields, ...CONTENTS.orders }).annotate(OTHER_KIND),
    Schema.Struct({ ...fields, ...CONTENTS.customers }).annotate(OTHER_KIND)
  ])

/** Rows and form of an export: those of a kind that match a filter. */
export const ExportContent = exportContent({})
export type ExportContent = typeof ExportContent.Type

export const ExportId = Uuid.pipe(Schema.brand("ExportId"), Schema.annotate({ identifier: "ExportId" }))
export type ExportId = typeof ExportId.Type

export const ExportState = Schema.Literals(["running", "finished", "failed", "canceled"])
export type ExportState = typeof ExportState.Type

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const Export = Schema.Struct({
  id: ExportId,
  kind: DataKind,
  format: ExportFormat,
  state: ExportState,
  exported: Count.annotate({ description: "Rows that are stored so far" }),
  bytes: Count.annotate({ description: "Their bytes in the file" }),
  failure: Schema.NullOr(Schema.String).annotate({ description: "Why the export failed" }),
  createdAt: Timestamp,
  finishedAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "Export" })
export type Export = typeof Export.Type

/** Part of the file of an export. */
export const ExportPart = Schema.Struct({
  lines: Schema.String.annotate({
    description: "Whole rows, each with a line break. CSV starts with the names of the columns"
  }),
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
