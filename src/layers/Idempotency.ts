import { Cause, Effect, Exit, Layer, Option, Schema } from "effect"
import type { MerchantId } from "../domain/Actor.ts"
import type { EventLoop } from "../domain/Events.ts"
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
import type { Change, Write, WriteContext } from "../domain/Write.ts"
import { countOf, deferToCommit } from "./sql/Plan.ts"
import { Database } from "./sql/Postgres.ts"
import { constant, sql } from "./sql/Statement.ts"
import { isDuplicate } from "./sql/Errors.ts"
import { Notifier, NotifierLive } from "./Events.ts"
import { purgeOf } from "./Purging.ts"
import { makeRehearsals } from "./Rehearsals.ts"
import { overheard, recorded } from "./Writes.ts"

/** What a record is found by: where, whose, and its key. */
interface Own {
  readonly store: string
  readonly actor: string
  readonly key: string
}

// The column `installation_id` holds the id of any actor: its name is from when only apps wrote.

/** The whole record, with the rest of the write. That somebody else's is there already, it says by failing. */
const insertRecord = (
  { actor, key, store }: Own,
  fingerprint: Uint8Array,
  { body, etag, status }: StoredResponse
) => sql`
  insert into idempotency_records (store_id, installation_id, key, fingerprint, status, body, etag, expires_at)
  values (
    ${store}, ${actor}, ${key}, ${fingerprint}, ${status}, ${body}, ${etag},
    clock_timestamp() + interval '${constant(RECORD_HOURS)} hours'
  )
`

const Record = Schema.Struct({
  isSame: Schema.Boolean,
  status: Schema.Int,
  body: Schema.String,
  etag: Schema.NullOr(Schema.String)
})

/** What was answered under a key, while that counts. */
const selectRecord = (own: Own, fingerprint: Uint8Array) => sql`
  select fingerprint = ${fingerprint} as "isSame", status, body, etag
  from idempotency_records
  where store_id = ${own.store} and installation_id = ${own.actor} and key = ${own.key}
    and expires_at > clock_timestamp()
`

const deleteEnded = (own: Own) => sql`
  delete from idempotency_records
  where store_id = ${own.store} and installation_id = ${own.actor} and key = ${own.key}
    and expires_at <= clock_timestamp()
`

/** Of answers that stay for a day, the large ones are counted. Without a row there is no room for this one. */
const countLarge = ({ actor, key, store }: Own, bytes: number) => sql`
  insert into large_answers (store_id, installation_id, key, bytes, expires_at)
  select ${store}, ${actor}, ${key}, ${bytes}::integer, clock_timestamp() + interval '${constant(RECORD_HOURS)} hours'
  where ${bytes}::integer + coalesce((
    select sum(bytes) from large_answers
    where store_id = ${store} and installation_id = ${actor} and expires_at > clock_timestamp()
  ), 0) <= ${constant(MAX_LARGE_ANSWERS)}
  on conflict (store_id, installation_id, key) do update set bytes = excluded.bytes, expires_at = excluded.expires_at
`

const ownIn = ({ actor, approvedBy, storeId }: WriteContext, { key }: KeyedRequest): Own => ({
  store: storeId,
  actor: approvedBy ?? actor.id,
  key
})

/** What is in no store stands under its account as under a store: no store has that id. */
const ownOf = (account: MerchantId, { key }: KeyedRequest): Own => ({ store: account, actor: account, key })

/** Whether a write failed because there is a record under its key already. */
const isTaken = (cause: Cause.Cause<unknown>) =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && isDuplicate(reason.defect, "idempotency_records"))

/** A write, and at last the record of its answer. */
const keyed = <A, E>(own: Own, request: KeyedRequest, write: Write<A, E>, respond: (value: A) => StoredResponse) =>
  Effect.gen(function* () {
    const response = respond(yield* write)
    const bytes = Buffer.byteLength(response.body)
    if (bytes > LARGE_ANSWER && (yield* countOf(countLarge(own, bytes))) === 0) return yield* new AnswersFull()
    yield* deferToCommit(insertRecord(own, request.fingerprint, response))
    return response
  })

export const IdempotencyLive = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const database = yield* Database
    const { notify } = yield* Notifier
    const recordOf = database.first(Record)
    const rehearsalOf = makeRehearsals(database)

    /** A record inside of a transaction would stay answered where that is rolled back later. */
    const outside = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.flatMap(database.isInTransaction, (isInside) =>
        isInside ? Effect.die(new Error("Idempotency.once was called inside a transaction")) : work
      )

    /** What an earlier request with this key was answered, if that still counts. */
    const replay = Effect.fnUntraced(function* (own: Own, request: KeyedRequest) {
      const found = yield* recordOf(selectRecord(own, request.fingerprint))
      if (Option.isNone(found)) return Option.none()
      const { isSame, ...response } = found.value
      return isSame ? Option.some({ ...response, replayed: true }) : yield* new KeyReused()
    })

    /**
     * Nothing is claimed beforehand. Of two requests with one key the second waits for the row that both write, or at last
     * for the record; then it finds the record there, and what it did is rolled back. A refusal may be of what the first
     * one did, so before it is answered the record is looked for, too.
     */
    const once = <A, E>(
      own: Own,
      request: KeyedRequest,
      write: Write<A, E>,
      respond: (value: A) => StoredResponse
    ): Effect.Effect<Outcome, E | KeyReused | AnswersFull> =>
      Effect.flatMap(Effect.exit(database.perform(keyed(own, request, write, respond))), (exit) => {
        if (Exit.isSuccess(exit)) return Effect.succeed({ ...exit.value, replayed: false })
        const { cause } = exit
        const isRefused = Cause.hasFails(cause)
        if (!isRefused && !isTaken(cause)) return Effect.failCause(cause)
        return Effect.flatMap(
          replay(own, request),
          Option.match({
            onSome: (outcome: Outcome): Effect.Effect<Outcome, E | KeyReused | AnswersFull> => Effect.succeed(outcome),
            // Its record has ended: it goes, and the key is free again.
            onNone: () =>
              isRefused
                ? Effect.failCause(cause)
                : Effect.andThen(database.count(deleteEnded(own)), once(own, request, write, respond))
          })
        )
      })

    /** What it would lead to is looked for when the write is taken back, and its locks are free again. */
    const rehearse = <A, E>(
      context: WriteContext,
      request: KeyedRequest,
      write: Write<A, E>,
      respond: (value: A) => StoredResponse
    ): Effect.Effect<Outcome, E | AnswersFull | EventLoop> =>
      Effect.suspend(() => {
        const changes: Array<Change> = []
        const heard = overheard(write, (some) => changes.push(...some))
        const performed = keyed(
          ownIn(context, request),
          request,
          recorded(context, request.key, heard, notify),
          respond
        )
        return Effect.flatMap(database.perform(performed, false), (response) =>
          Effect.map(rehearsalOf(context, changes), (rehearsal) => ({ ...response, replayed: false, rehearsal }))
        )
      })

    const purged = (table: "idempotency_records" | "large_answers") =>
      database.count(purgeOf({ table, key: ["store_id", "installation_id", "key"] }))

    return Idempotency.of({
      once: (context, request, write, respond) =>
        outside(
          context.mode === "dryRun"
            ? rehearse(context, request, write, respond)
            : once(ownIn(context, request), request, recorded(context, request.key, write, notify), respond)
        ),

      onceOf: (account, request, write, respond) => outside(once(ownOf(account, request), request, write, respond)),

      purge: Effect.zipWith(purged("idempotency_records"), purged("large_answers"), (a, b) => a + b)
    })
  })
).pipe(Layer.provide(NotifierLive))
