import { Schema, SchemaTransformation } from "effect"

/** The only column of a row, by its name. */
export const column = <A, I>(name: string, value: Schema.Codec<A, I>) =>
  Schema.Struct({ value }).pipe(
    Schema.encodeKeys({ value: name }),
    Schema.decodeTo(
      Schema.toType(value),
      SchemaTransformation.transform({ decode: ({ value }) => value, encode: (value) => ({ value }) })
    )
  )
