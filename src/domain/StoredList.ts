import { Schema } from "effect"

/**
 * A list as it is stored. Members that this release does not know are left out: while servers are replaced one by one, a
 * newer release writes them already.
 */
export const storedList = <A extends string>(member: Schema.Schema<A>) => {
  const isKnown = Schema.is(member)
  return Schema.transform(Schema.Array(Schema.String), Schema.Array(member), {
    strict: true,
    decode: (stored) => stored.filter(isKnown),
    encode: (known) => known
  })
}
