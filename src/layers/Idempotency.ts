import { Cause, Effect, Exit, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { MerchantId } from "../domain/access/Ids.ts"
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
import { type Change, ChangeRecorder, type Write, type WriteContext } from "../domain/Write.ts"
import { makeDryRunResult } from "./DryRuns.ts"
import { Notifier, NotifierLive } from "./webhooks/Outbox.ts"
import { purgeExpired } from "./sql/Purging.ts"
import { isDuplicate, orDefect, orDefectOf } from "./sql/Errors.ts"
import { constant } from "./sql/Statement.ts"
import { deferToCommit, performWrite, rowCount } from "./sql/Transaction.ts"
import { makeRecording, observeChanges } from "./Writes.ts"

/** Primary key of a record. Records of writes outside stores have the account as their store: no store has its id. */
const RecordKey = Schema.Struct({ storeId: Schema.String, actorId: Schema.String, key: Schema.String })
type RecordKey = typeof RecordKey.Type

const Record = Schema.Struct({
  isSameRequest: Schema.Boolean,
  status: Schema.Int,
  body: Schema.String,
  etag: Schema.NullOr(Schema.String)
})

const keyInStore = ({ actor, approvedBy, storeId }: WriteContext, { key }: KeyedRequest): RecordKey => ({
  storeId,
  actorId: approvedBy ?? actor.id,
  key
})

const keyOfAccount = (account: MerchantId, { key }: KeyedRequest): RecordKey => ({
  storeId: account,
  actorId: account,
  key
})

/** Tests whether a write failed because a record with its key exists. */
const isKeyTaken = (cause: Cause.Cause<unknown>) =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && isDuplicate(reason.defect, "idempotency_records"))

/** Recorder of writes outside stores, which have no journal. */
const NO_RECORDER = ChangeRecorder.of({
  record: () => Effect.die(new Error("A write outside a store recorded a change"))
})

export const IdempotencyLive = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { notify } = yield* Notifier
    const recorded = makeRecording(sql, notify)
    const dryRunResult = makeDryRunResult(sql)

    const findRecord = SqlSchema.findOneOption({
      Request: Schema.Struct({ ...RecordKey.fields, fingerprint: Schema.Uint8Array }),
      Result: Record,
      execute: ({ actorId, fingerprint, key, storeId }) => sql`
        select fingerprint = ${fingerprint} as "isSameRequest", status, body, etag
        from idempotency_records
        where store_id = ${storeId} and actor_id = ${actorId} and key = ${key} and expires_at > clock_timestamp()
      `
    })

    /** Fails with a unique violation if another request stored a record first. */
    const insertRecord = (
      { actorId, key, storeId }: RecordKey,
      fingerprint: Uint8Array,
      { body, etag, status }: StoredResponse
    ) => sql`
      insert into idempotency_records (store_id, actor_id, key, fingerprint, status, body, etag, expires_at)
      values (
        ${storeId}, ${actorId}, ${key}, ${fingerprint}, ${status}, ${body}, ${etag},
        statement_timestamp() + interval '${constant(RECORD_HOURS)} hours'
      )
    `

    const deleteExpired = ({ actorId, key, storeId }: RecordKey) => sql`
      delete from idempotency_records
      where store_id = ${storeId} and actor_id = ${actorId} and key = ${key} and expires_at <= clock_timestamp()
    `

    /** Counts a large response. Writes no row if the large responses of the actor have reached their limit. */
    const countLarge = ({ actorId, key, storeId }: RecordKey, bytes: number) => sql`
      insert into large_answers (store_id, actor_id, key, bytes, expires_at)
      select ${storeId}, ${actorId}, ${key}, ${bytes}::integer,
        statement_timestamp() + interval '${constant(RECORD_HOURS)} hours'
      where ${bytes}::integer + coalesce((
        select sum(bytes) from large_answers
        where store_id = ${storeId} and actor_id = ${actorId} and expires_at > clock_timestamp()
      ), 0) <= ${constant(MAX_LARGE_ANSWERS)}
      on conflict (store_id, actor_id, key) do update set bytes = excluded.bytes, expires_at = excluded.expires_at
    `

    /** Runs the write and stores its response in the same transaction. */
    const withRecord = <A, E>(
      key: RecordKey,
      { fingerprint }: KeyedRequest,
      write: Write<A, E>,
      respond: (value: A) => StoredResponse
    ): Write<StoredResponse, E | AnswersFull> =>
      Effect.gen(function* () {
        const response = respond(yield* write)
        const bytes = Buffer.byteLength(response.body)
        if (bytes > LARGE_ANSWER && (yield* orDefect(rowCount(countLarge(key, bytes)))) === 0) {
          return yield* new AnswersFull()
        }
        yield* deferToCommit(insertRecord(key, fingerprint, response))
        return response
      })

    const perform = <A, E>(write: Write<A, E>, mode: WriteContext["mode"] = "perform"): Effect.Effect<A, E> =>
      orDefectOf<E>()(performWrite(sql, Effect.provideService(write, ChangeRecorder, NO_RECORDER), mode))

    /** A record inside a transaction would still be replayed after that transaction was rolled back. */
    const requireNoTransaction = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) =>
        Option.isSome(transaction) ? Effect.die(new Error("Idempotency.once was called inside a transaction")) : effect
      )

    /** Returns the stored response of an earlier request with this key, if it has not expired. */
    const replay = Effect.fnUntraced(function* (key: RecordKey, { fingerprint }: KeyedRequest) {
      const record = yield* orDefect(findRecord({ ...key, fingerprint }))
      if (Option.isNone(record)) return Option.none()
      const { isSameRequest, ...response } = record.value
      return isSameRequest ? Option.some({ ...response, replayed: true }) : yield* new KeyReused()
    })

    /**
     * Keys are not claimed in advance. The second of two concurrent requests with one key waits for a row that both write,
     * at the latest for the record; then it finds the record, rolls back and replays it. A refusal may be caused by the
     * first request, so the record is looked up before it is returned, too.
     */
    const once = <A, E>(
      key: RecordKey,
      request: KeyedRequest,
      write: Write<A, E>,
      respond: (value: A) => StoredResponse
    ): Effect.Effect<Outcome, E | KeyReused | AnswersFull> =>
      Effect.flatMap(Effect.exit(perform(withRecord(key, request, write, respond))), (exit) => {
        if (Exit.isSuccess(exit)) return Effect.succeed({ ...exit.value, replayed: false })
        const { cause } = exit
        const isRefused = Cause.hasFails(cause)
        if (!isRefused && !isKeyTaken(cause)) return Effect.failCause(cause)
        return Effect.flatMap(
          replay(key, request),
          Option.match({
            onSome: (outcome: Outcome): Effect.Effect<Outcome, E | KeyReused | AnswersFull> => Effect.succeed(outcome),
            // The record has expired: it is deleted, and the key is free again.
            onNone: () =>
              isRefused
                ? Effect.failCause(cause)
                : Effect.andThen(orDefect(deleteExpired(key)), once(key, request, write, respond))
          })
        )
      })

    /**
     * Runs the write without storing it. Its record has a new key, so that it neither fails nor waits for another request
     * with the given one. Its effects are looked up after the rollback, when its locks are free again.
     */
    const dryRun = <A, E>(
      context: WriteContext,
      request: KeyedRequest,
      write: Write<A, E>,
      respond: (value: A) => StoredResponse
    ): Effect.Effect<Outcome, E | AnswersFull | EventLoop> =>
      Effect.suspend(() => {
        const changes: Array<Change> = []
        const observed = observeChanges(write, (some) => changes.push(...some))
        const performed = withRecord(
          { ...keyInStore(context, request), key: randomUUID() },
          request,
          recorded(context, request.key, observed),
          respond
        )
        return Effect.flatMap(perform(performed, "dryRun"), (response) =>
          Effect.map(dryRunResult(context, changes), (result) => ({ ...response, replayed: false, dryRun: result }))
        )
      })

    const purge = (table: "idempotency_records" | "large_answers") =>
      orDefect(rowCount(sql`${purgeExpired({ table, key: ["store_id", "actor_id", "key"] })}`))

    return Idempotency.of({
      once: (context, request, write, respond) =>
        requireNoTransaction(
          context.mode === "dryRun"
            ? dryRun(context, request, write, respond)
            : once(keyInStore(context, request), request, recorded(context, request.key, write), respond)
        ),

      onceOf: (account, request, write, respond) =>
        requireNoTransaction(once(keyOfAccount(account, request), request, write, respond)),

      purge: Effect.zipWith(purge("idempotency_records"), purge("large_answers"), (a, b) => a + b)
    })
  })
).pipe(Layer.provide(NotifierLive))
