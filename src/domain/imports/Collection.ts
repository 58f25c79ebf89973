import { Schema, Struct } from "effect"
import { boundedArray } from "../json/Bounded.ts"
import { UpdateCollection } from "../catalog/Collection.ts"
import { optional } from "../catalog/Fields.ts"
import { truncateIssues } from "../Limits.ts"

const References = boundedArray(Schema.String).annotate({ message: "must be a list of product ids" })

/**
 * Imported collection; a new one needs a title. Products are referenced by their external ids or by their ids in this
 * service.
 */
export const PutCollection = UpdateCollection.mapFields(Struct.omit(["productIds"])).pipe(
  Schema.fieldsAssign({ productIds: optional(References) })
)
export type PutCollection = typeof PutCollection.Type

/** A row references resources that the store does not contain. */
export class UnknownReferences extends Schema.TaggedError<UnknownReferences>()("UnknownReferences", {
  unknown: Schema.Array(Schema.Struct({ path: Schema.String, reference: Schema.String }))
}) {
  override get message() {
    return "The row references resources that are not in this store; import them first"
  }

  get issues() {
    return truncateIssues(
      this.unknown.map(({ path, reference }) => `${path}: ${reference} is not in this store; import it first`)
    )
  }
}
