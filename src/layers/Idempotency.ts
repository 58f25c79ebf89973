import { PgClient } from "@effect/sql-pg"
import { Data, Effect, Layer, Option, Schema } from "effect"
import {
  AnswersFull,
  Idempotency,
  type KeyedRequest,
  KeyReused,
  LARGE_ANSWER,
  MAX_LARGE_ANSWERS,
  type Outcome,
  RECORD_HOURS,
  type StoredResponse
} from "../domain/Idempotency.ts"
import { count } from "./Rows.ts"
import { asks, atCommit, makeIndexed, makeTransaction, sends, tell } from "./Transaction.ts"
import { write } from "./Writes.ts"

/** Rows that one purge deletes at most, so that it never holds many locks. */
const PURGE_BATCH = 1000

const Record = Schema.Struct({
  same: Schema.Boolean,
  live: Schema.Boolean,
  status: Schema.Int,
  body: Schema.String,
  etag: Schema.NullOr(Schema.String)
})

const OWN = "store_id = $1 and installation_id = $2 and key = $3"

/** A request whose key is in flight waits here, on the unique index, until the first one commits or dies. */
const CLAIM = `
  insert into idempotency_records (store_id, installation_id, key, fingerprint, expires_at)
  values ($1, $2, $3, $4, clock_timestamp() + interval '${RECORD_HOURS} hours')
  on conflict do nothing returning ctid as place
`

const claim = sends(CLAIM, Schema.Struct({ place: Schema.String }))

/** A statement of its own: the claim's would look at the rows from before its wait. */
const FIND = `
  select fingerprint = $4 as same, expires_at > clock_timestamp() as live, status, body, etag
  from idempotency_records where ${OWN}
`

const find = asks(FIND, Record)

const FORGET = `delete from idempotency_records where ${OWN} and expires_at <= clock_timestamp()`

/**
 * The key says which record it is, its place in the table only where to look. By its key alone, a plan made while the
 * table was nearly empty went on to scan it: one connection of ten that did took what a create costs the database from
 * 0.6 ms to 0.8 and more. By its place alone it would be every record at that place, where the table is partitioned or
 * distributed.
 */
const STORE = `
  update idempotency_records set status = $5, body = $6, etag = $7 where ${OWN} and ctid = $4::tid
`

/** Of answers that stay for a day, the large ones are counted. Without a row there is no room for this one. */
const COUNT_LARGE = `
  insert into large_answers (store_id, installation_id, key, bytes, expires_at)
  select $1, $2, $3, $4::integer, clock_timestamp() + interval '${RECORD_HOURS} hours'
  where $4 + coalesce((
    select sum(bytes) from large_answers where store_id = $1 and installation_id = $2 and expires_at > clock_timestamp()
  ), 0) <= ${MAX_LARGE_ANSWERS}
  on conflict (store_id, installation_id, key) do update set bytes = excluded.bytes, expires_at = excluded.expires_at
`

const ownOf = ({ installationId, key, storeId }: KeyedRequest) => [storeId, installationId, key]

/** Another request has the key, or had it. */
class Taken extends Data.TaggedError("Taken") {}

export const IdempotencyLive = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const transaction = makeTransaction(sql)
    const indexed = makeIndexed(sql)

    /**
     * The claim travels with the first statement of the operation, and is looked at when the operation is done. The
     * database takes them in their order, so nothing is done before the key is ours; if it never was, what the
     * operation did is rolled back, and whether it failed does not matter.
     */
    const perform = Effect.fnUntraced(function* <E>(
      request: KeyedRequest,
      operation: Effect.Effect<StoredResponse, E>
    ) {
      const claimed = yield* claim(...ownOf(request), request.fingerprint)
      const exit = yield* Effect.exit(operation)
      const own = yield* claimed
      if (Option.isNone(own)) return yield* new Taken()
      const response = yield* exit
      const { body, etag, status } = response
      const bytes = Buffer.byteLength(body)
      if (bytes > LARGE_ANSWER && (yield* tell(COUNT_LARGE, [...ownOf(request), bytes])) === 0) {
        return yield* new AnswersFull()
      }
      yield* atCommit(write(STORE, [...ownOf(request), own.value.place, status, body, etag]))
      return { ...response, replayed: false }
    }, transaction)

    /** What the request that had the key was answered, if that still counts. */
    const replay = Effect.fnUntraced(function* (request: KeyedRequest) {
      const found = yield* find(...ownOf(request), request.fingerprint)
      if (Option.isNone(found) || !found.value.live) {
        yield* tell(FORGET, ownOf(request))
        return Option.none()
      }
      const { body, etag, same, status } = found.value
      return same ? Option.some({ status, body, etag, replayed: true }) : yield* new KeyReused()
    }, transaction)

    const once = <E>(
      request: KeyedRequest,
      operation: Effect.Effect<StoredResponse, E>
    ): Effect.Effect<Outcome, E | KeyReused | AnswersFull> =>
      Effect.catchTag(perform(request, operation), "Taken", () =>
        Effect.flatMap(
          replay(request),
          Option.match({ onNone: () => once(request, operation), onSome: Effect.succeed })
        )
      )

    // The number is no parameter: a plan for any number takes it for a tenth of the table.
    const purgeOf = (table: "idempotency_records" | "large_answers") =>
      count(
        indexed(sql`
        with ended as materialized (
          select store_id, installation_id, key from ${sql(table)}
          where expires_at <= now() order by expires_at limit ${sql.literal(String(PURGE_BATCH))} for update skip locked
        )
        delete from ${sql(table)} r using ended
        where r.store_id = ended.store_id and r.installation_id = ended.installation_id and r.key = ended.key
        returning 1
        `)
      )

    return Idempotency.of({
      once,

      purge: Effect.zipWith(purgeOf("idempotency_records"), purgeOf("large_answers"), (a, b) => a + b)
    })
  })
)
