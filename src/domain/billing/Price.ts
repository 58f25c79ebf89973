import { Schema } from "effect"
import { Amount } from "../catalog/Fields.ts"
import { parse, stringify } from "../Json.ts"

/** A price as a person types it, and as the database tells it: with all of its digits. */
export const PriceText = Schema.transform(
  Schema.String.pipe(
    Schema.pattern(/^(?:0|[1-9]\d{0,14})(?:\.\d{1,100})?$/),
    Schema.annotations({
      message: () => ({ message: "must be a decimal number of at least 0, as in 9.90", override: true })
    })
  ),
  Schema.Unknown,
  { strict: true, decode: parse, encode: stringify }
).pipe(Schema.compose(Amount, { strict: false }))
