import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import {
  Idempotency,
  type KeyedRequest,
  KeyReused,
  type Outcome,
  RECORD_HOURS,
  type StoredResponse
} from "../domain/Idempotency.ts"
import { count, rowOf, run } from "./Rows.ts"
import { atCommit, makeTransaction } from "./Transaction.ts"

/** Rows that one purge deletes at most, so that it never holds many locks. */
const PURGE_BATCH = 1000

const Record = Schema.Struct({
  same: Schema.Boolean,
  live: Schema.Boolean,
  status: Schema.Int,
  body: Schema.String,
  etag: Schema.NullOr(Schema.String)
})

const recordOf = rowOf(Record)

export const IdempotencyLive = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const transaction = makeTransaction(sql)

    const lifetime = sql.literal(`interval '${RECORD_HOURS} hours'`)
    const where = ({ installationId, key, storeId }: KeyedRequest) =>
      sql`store_id = ${storeId} and installation_id = ${installationId} and key = ${key}`

    /** A request whose key is in flight waits here, on the unique index, until the first one commits or dies. */
    const claim = (request: KeyedRequest) =>
      count(sql`
        insert into idempotency_records (store_id, installation_id, key, fingerprint, expires_at)
        values (
          ${request.storeId}, ${request.installationId}, ${request.key}, ${request.fingerprint},
          clock_timestamp() + ${lifetime}
        )
        on conflict do nothing returning 1
      `)

    /** A statement of its own: the claim's would look at the rows from before its wait. */
    const find = (request: KeyedRequest) =>
      recordOf(sql`
        select fingerprint = ${request.fingerprint} as same, expires_at > clock_timestamp() as live, status, body, etag
        from idempotency_records where ${where(request)}
      `)

    const forget = (request: KeyedRequest) =>
      run(sql`delete from idempotency_records where ${where(request)} and expires_at <= clock_timestamp()`)

    const store = (request: KeyedRequest, { body, etag, status }: StoredResponse) =>
      sql`update idempotency_records set status = ${status}, body = ${body}, etag = ${etag} where ${where(request)}`

    const attempt = <E>(
      request: KeyedRequest,
      operation: Effect.Effect<StoredResponse, E>
    ): Effect.Effect<Outcome, E | KeyReused> =>
      Effect.gen(function* () {
        if ((yield* claim(request)) === 1) {
          const response = yield* operation
          yield* atCommit(store(request, response))
          return { ...response, replayed: false }
        }
        const found = yield* find(request)
        if (Option.isSome(found) && found.value.live) {
          return found.value.same ? { ...found.value, replayed: true } : yield* new KeyReused()
        }
        yield* forget(request)
        return yield* attempt(request, operation)
      })

    return Idempotency.of({
      once: (request, operation) => transaction(attempt(request, operation)),

      purge: count(sql`
        delete from idempotency_records where ctid = any(array(
          select ctid from idempotency_records where expires_at <= clock_timestamp()
          limit ${PURGE_BATCH} for update skip locked
        )) returning 1
      `)
    })
  })
)
