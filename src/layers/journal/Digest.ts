import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DIGEST_SECONDS, digestOf, Digests, DigestTooSlow } from "../../domain/journal/Digest.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { traced } from "../telemetry/Traced.ts"

/** Milliseconds that a digest may take. */
export const DigestTimeout = Context.Reference("layers/journal/DigestTimeout", {
  defaultValue: () => DIGEST_SECONDS * 1000
})

const readRanges = rowsReader(Schema.Struct({ range: Schema.Int, count: Schema.Int, digest: Schema.String }))

export const DigestsLive = Layer.effect(
  Digests,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return Digests.of({
      get: traced("Digests.get")(function* (store, resource) {
        const select = readRanges(sql`
          select range, count, lpad(to_hex(digest), 16, '0') as digest
          from ${sql.literal(`digest_of_${resource}`)}(${store})
        `)
        const ranges = yield* Effect.timeoutOption(select, yield* DigestTimeout)
        return Option.isSome(ranges) ? digestOf(resource, ranges.value) : yield* new DigestTooSlow()
      }, orDefect)
    })
  })
)
