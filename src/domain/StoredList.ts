import { Schema, SchemaTransformation } from "effect"

/**
 * A list as it is stored. Members that this release does not know are left out: while servers are replaced one by one, a
 * newer release writes them already.
 */
export const storedList = <A extends string>(member: Schema.Codec<A>) => {
  const isKnown = Schema.is(member)
  return Schema.Array(Schema.String).pipe(
    Schema.decodeTo(
      Schema.Array(member),
      SchemaTransformation.transform<ReadonlyArray<A>, ReadonlyArray<string>>({
        decode: (stored) => stored.filter(isKnown),
        encode: (known) => known
      })
    )
  )
}
