import { Schema, SchemaTransformation } from "effect"
import { Amount } from "../catalog/Fields.ts"
import { parse, stringify } from "../json/Json.ts"

/** Price as decimal text, as operators type it and the database returns it, with all digits. */
export const PriceText = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^(?:0|[1-9]\d{0,14})(?:\.\d{1,100})?$/)),
  Schema.annotate({
    message: "must be a decimal number of at least 0, as in 9.90"
  })
)
  .pipe(Schema.decodeTo(Schema.Unknown, SchemaTransformation.transform({ decode: parse, encode: stringify })))
  .pipe(Schema.decodeTo(Amount, SchemaTransformation.passthrough({ strict: false })))
