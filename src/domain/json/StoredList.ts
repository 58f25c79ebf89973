import { Schema, SchemaTransformation } from "effect"

/**
 * Stored list of literals. Decoding drops unknown members, which a newer release may write during a rolling deployment.
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
