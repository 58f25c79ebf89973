import { Schema, SchemaTransformation } from "effect"
import { Amount } from "../catalog/Fields.ts"
import { toDouble } from "../json/Numbers.ts"

const PRICE = /^(?:0|[1-9]\d{0,14})(?:\.\d{1,100})?$/

/** Price as decimal text, as operators type it and the database returns it. */
export const PriceText = Schema.String.check(
  Schema.makeFilter((text) => PRICE.test(text) && !Number.isNaN(toDouble(text)), {
    message: "must be a decimal number of at least 0 and at most 15 digits, as in 9.90"
  })
).pipe(Schema.decodeTo(Amount, SchemaTransformation.transform({ decode: toDouble, encode: String })))
