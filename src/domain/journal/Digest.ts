import { Context, type Effect, Schema } from "effect"
import type { StoreId } from "../Store.ts"
import { FeedResource } from "./ChangeFeed.ts"

/** Number of ranges: one for each value of the last two digits of an id. */
export const RANGES = 256

const Hash = Schema.String.annotate({ examples: ["0c84e2a1b7f3596d"] })
const Count = Schema.Int.annotate({ description: "Number of rows" })

/** Digest of all rows of a resource. */
export const Digest = Schema.Struct({
  resource: FeedResource,
  count: Count,
  digest: Hash.annotate({
    description:
      "XOR of the hashes of the rows, 16 hexadecimal digits. The hash of a row is the first 8 bytes of SHA-256 of `<id>:<version>`"
  }),
  ranges: Schema.Array(
    Schema.Struct({
      range: Schema.String.annotate({ description: "Last two digits of the ids", examples: ["a7"] }),
      count: Count,
      digest: Hash.annotate({ description: "XOR of the hashes of the rows of the range" })
    })
  ).annotate({ description: "All 256 ranges in ascending order" })
}).annotate({ identifier: "Digest", description: "Digest of the rows of a resource" })
export type Digest = typeof Digest.Type

/** Maximum number of seconds for a digest. */
export const DIGEST_SECONDS = 10

export class DigestTooSlow extends Schema.TaggedError<DigestTooSlow>()("DigestTooSlow", {}) {
  override get message() {
    return `The digest took more than ${DIGEST_SECONDS} seconds; repeat the request in a minute`
  }
}

/** Rows of one range. */
export interface RangeDigest {
  readonly range: number
  readonly count: number
  readonly digest: string
}

const hexOf = (value: bigint) => value.toString(16).padStart(16, "0")

const NO_ROWS = hexOf(0n)

/** Makes the digest of a resource from its ranges with rows. */
export const digestOf = (resource: FeedResource, found: ReadonlyArray<RangeDigest>): Digest => {
  const byRange = new Map(found.map((one) => [one.range, one]))
  return {
    resource,
    count: found.reduce((sum, { count }) => sum + count, 0),
    digest: hexOf(found.reduce((xor, { digest }) => xor ^ BigInt(`0x${digest}`), 0n)),
    ranges: Array.from({ length: RANGES }, (_, range) => {
      const { count = 0, digest = NO_ROWS } = byRange.get(range) ?? {}
      return { range: range.toString(16).padStart(2, "0"), count, digest }
    })
  }
}

/** Digests of the catalog, which prove that a copy is complete. */
export class Digests extends Context.Service<
  Digests,
  {
    /** Computes the digest of the current rows of a store. */
    readonly get: (store: StoreId, resource: FeedResource) => Effect.Effect<Digest, DigestTooSlow>
  }
>()("domain/journal/Digests") {}
