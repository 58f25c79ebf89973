import { Data, Effect, Layer, Metric, Option, Schema } from "effect"
import { SqlClient, SqlError, SqlSchema } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { MerchantId } from "../domain/access/Ids.ts"
import type { EventLoop } from "../domain/Events.ts"
import {
  StoredResponsesFull,
  Idempotency,
  type KeyedRequest,
  KeyReused,
  LARGE_RESPONSE,
  MAX_LARGE_RESPONSES,
  type Outcome,
  RECORD_HOURS
} from "../domain/Idempotency.ts"
import { replays } from "../domain/Metrics.ts"
import { type Change, ChangeRecorder, type Write, type WriteContext } from "../domain/Write.ts"
import { dryRunResult } from "./DryRuns.ts"
import { orDefect } from "./sql/Errors.ts"
import { purgeExpired } from "./sql/Purging.ts"
import { requiredRowReader } from "./sql/Rows.ts"
import { type SingleStatement, singleStatementOf } from "./sql/SingleStatement.ts"
import { constant } from "./sql/Statement.ts"
import { rowCount } from "./sql/Transaction.ts"
import { UnitOfWork } from "./sql/UnitOfWork.ts"
import { observeChanges, Recording } from "./Writes.ts"

/** Primary key of a record. Records of writes outside stores have the account as their store: no store has its id. */
const RecordKey = Schema.Struct({ storeId: Schema.String, actorId: Schema.String, key: Schema.String })
type RecordKey = typeof RecordKey.Type

const Record = Schema.Struct({ isSameRequest: Schema.Boolean, text: Schema.String })

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

/** Stands for the document while its outcome is encoded. No outcome contains this control character. */
const DOCUMENT = "\u0001"

const readOutcome = requiredRowReader(Schema.Struct({ text: Schema.String }))

/** True if a row would violate a constraint. */
const isViolation = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && (error.reason._tag === "UniqueViolation" || error.reason._tag === "ConstraintError")

/** True if a record with the same key exists. */
const isOfTakenKey = ({ reason }: SqlError.SqlError) =>
  reason._tag === "UniqueViolation" && reason.constraint === "idempotency_records_pkey"

/** A record with the key of the write exists. */
class KeyTaken extends Data.TaggedError("KeyTaken") {}

/** Recorder of writes outside stores, which have no journal. */
const NO_RECORDER = ChangeRecorder.of({
  record: () => Effect.die(new Error("A write outside a store recorded a change"))
})

export const IdempotencyLive = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { recorded } = yield* Recording
    const unitOfWork = yield* UnitOfWork
    const describe = yield* dryRunResult

    const findRecord = SqlSchema.findOneOption({
      Request: Schema.Struct({ ...RecordKey.fields, fingerprint: Schema.Uint8Array }),
      Result: Record,
      execute: ({ actorId, fingerprint, key, storeId }) => sql`
        select fingerprint = ${fingerprint} as "isSameRequest", outcome as text
        from idempotency_records
        where store_id = ${storeId} and actor_id = ${actorId} and key = ${key} and expires_at > clock_timestamp()
      `
    })

    /** Writes no row if a record with the key exists. Waits for another transaction that is about to commit one. */
    const insertRecord = ({ actorId, key, storeId }: RecordKey, fingerprint: Uint8Array, text: string) => sql`
      insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
      values (
        ${storeId}, ${actorId}, ${key}, ${fingerprint}, ${text},
        statement_timestamp() + interval '${constant(RECORD_HOURS)} hours'
      )
      on conflict do nothing
    `

    /** Performs a write and inserts its record. Fails, and changes nothing, if a record exists or the outcome is null. */
    const writeWithRecord = (
      { actorId, key, storeId }: RecordKey,
      fingerprint: Uint8Array,
      { document, expressions }: SingleStatement<unknown>,
      before: string,
      after: string
    ) => sql`
      with ${expressions}
      insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
      select ${storeId}, ${actorId}, ${key}, ${fingerprint}, ${before} || document || ${after},
        statement_timestamp() + interval '${constant(RECORD_HOURS)} hours'
      from (${document}) as written
      returning outcome as text
    `

    const deleteExpired = ({ actorId, key, storeId }: RecordKey) => sql`
      delete from idempotency_records
      where store_id = ${storeId} and actor_id = ${actorId} and key = ${key} and expires_at <= clock_timestamp()
    `

    /** Counts a large response. Writes no row if the large responses of the actor have reached their limit. */
    const countLarge = ({ actorId, key, storeId }: RecordKey, bytes: number) => sql`
      insert into large_responses (store_id, actor_id, key, bytes, expires_at)
      select ${storeId}, ${actorId}, ${key}, ${bytes}::integer,
        statement_timestamp() + interval '${constant(RECORD_HOURS)} hours'
      where ${bytes}::integer + coalesce((
        select sum(bytes) from large_responses
        where store_id = ${storeId} and actor_id = ${actorId} and expires_at > clock_timestamp()
      ), 0) <= ${constant(MAX_LARGE_RESPONSES)}
      on conflict (store_id, actor_id, key) do update set bytes = excluded.bytes, expires_at = excluded.expires_at
    `

    /** Runs the write and stores its outcome in the same transaction. */
    const withRecord = <A, E>(
      key: RecordKey,
      { fingerprint }: KeyedRequest,
      write: Write<A, E>,
      encode: (value: A) => string
    ): Write<string, E | StoredResponsesFull | KeyTaken> =>
      Effect.gen(function* () {
        const text = encode(yield* write)
        const bytes = Buffer.byteLength(text)
        if (bytes > LARGE_RESPONSE && (yield* orDefect(rowCount(countLarge(key, bytes)))) === 0) {
          return yield* new StoredResponsesFull()
        }
        const records = yield* unitOfWork.flushWith(insertRecord(key, fingerprint, text))
        return records === 0 ? yield* new KeyTaken() : text
      })

    const perform = <A, E>(write: Write<A, E>, mode: WriteContext["mode"] = "perform"): Effect.Effect<A, E> =>
      unitOfWork.run(Effect.provideService(write, ChangeRecorder, NO_RECORDER), mode)

    /**
     * Sends a write and its record as one statement, which is its own transaction. Returns none, and changes nothing, if the
     * write must run in a transaction of several statements.
     */
    const performAtOnce = <A>(
      key: RecordKey,
      { fingerprint }: KeyedRequest,
      statement: SingleStatement<A>,
      encode: (value: A) => string
    ): Effect.Effect<Option.Option<string>, KeyTaken> =>
      Effect.suspend(() => {
        const [before = "", after, ...others] = encode(statement.toResult(DOCUMENT)).split(DOCUMENT)
        if (after === undefined || others.length > 0) return Effect.succeedNone
        if (Buffer.byteLength(before + after) + statement.maxBytes > LARGE_RESPONSE) return Effect.succeedNone
        return readOutcome(writeWithRecord(key, fingerprint, statement, before, after)).pipe(
          // A client that disconnects must not decide what is stored, as in a transaction.
          Effect.uninterruptible,
          Effect.map(({ text }) => Option.some(text)),
          Effect.catchIf(isViolation, (error) =>
            isOfTakenKey(error) ? Effect.fail(new KeyTaken()) : Effect.succeedNone
          ),
          orDefect
        )
      })

    /** A record inside a transaction would still be replayed after that transaction was rolled back. */
    const requireNoTransaction = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) =>
        Option.isSome(transaction) ? Effect.die(new Error("Idempotency.once was called inside a transaction")) : effect
      )

    /** Returns the stored outcome of an earlier request with this key, if it has not expired. */
    const replay = Effect.fnUntraced(function* (key: RecordKey, { fingerprint }: KeyedRequest) {
      const record = yield* findRecord({ ...key, fingerprint })
      if (Option.isNone(record)) return Option.none<Outcome>()
      const { isSameRequest, text } = record.value
      if (!isSameRequest) return yield* new KeyReused()
      yield* Metric.update(replays, 1)
      return Option.some<Outcome>({ text, replayed: true })
    }, orDefect)

    /**
     * Keys are not claimed in advance. The second of two concurrent requests with one key waits for a row that both write,
     * at the latest for the record; then it finds the record, rolls back and replays it. A refusal may be caused by the
     * first request, so the record is looked up before it is returned, too.
     */
    const once = <A, E>(
      key: RecordKey,
      request: KeyedRequest,
      write: Write<A, E>,
      encode: (value: A) => string,
      statement?: SingleStatement<A>
    ): Effect.Effect<Outcome, E | KeyReused | StoredResponsesFull> =>
      Effect.flatMap(
        statement === undefined ? Effect.succeedNone : performAtOnce(key, request, statement, encode),
        Option.match({
          onNone: () => perform(withRecord(key, request, write, encode)),
          onSome: Effect.succeed
        })
      ).pipe(
        Effect.map((text): Outcome => ({ text, replayed: false })),
        Effect.catch((error) =>
          Effect.flatMap(
            replay(key, request),
            Option.match({
              onSome: (outcome): Effect.Effect<Outcome, E | KeyReused | StoredResponsesFull> => Effect.succeed(outcome),
              onNone: () => {
                if (!(error instanceof KeyTaken)) return Effect.fail(error)
                // The record has expired: it is deleted, and the key is free again.
                return Effect.andThen(orDefect(deleteExpired(key)), once(key, request, write, encode, statement))
              }
            })
          )
        )
      )

    /**
     * Runs the write without storing it. Its record has a new key, so that it neither fails nor waits for another request
     * with the given one. Its effects are looked up after the rollback, when its locks are free again.
     */
    const dryRun = <A, E>(
      context: WriteContext,
      request: KeyedRequest,
      write: Write<A, E>,
      encode: (value: A) => string
    ): Effect.Effect<Outcome, E | StoredResponsesFull | EventLoop> =>
      Effect.suspend(() => {
        const changes: Array<Change> = []
        const observed = observeChanges(write, (some) => changes.push(...some))
        const key = { ...keyInStore(context, request), key: randomUUID() }
        const written = perform(withRecord(key, request, recorded(context, request.key, observed), encode), "dryRun")
        return written.pipe(
          Effect.catchIf((error) => error instanceof KeyTaken, Effect.die),
          Effect.flatMap((text) =>
            Effect.map(describe(context, changes), (result): Outcome => ({ text, replayed: false, dryRun: result }))
          )
        )
      })

    const purge = (table: "idempotency_records" | "large_responses") =>
      orDefect(rowCount(sql`${purgeExpired({ table, key: ["store_id", "actor_id", "key"] })}`))

    return Idempotency.of({
      once: (context, request, write, encode) =>
        requireNoTransaction(
          context.mode === "dryRun"
            ? dryRun(context, request, write, encode)
            : once(
                keyInStore(context, request),
                request,
                recorded(context, request.key, write),
                encode,
                // A write that an event caused may be refused, for the length of the chain.
                context.cause === null ? singleStatementOf(write) : undefined
              )
        ),

      find: (context, request) => replay(keyInStore(context, request), request),

      onceForAccount: (account, request, write, encode) =>
        requireNoTransaction(once(keyOfAccount(account, request), request, write, encode)),

      findForAccount: (account, request) => replay(keyOfAccount(account, request), request),

      purge: Effect.zipWith(purge("idempotency_records"), purge("large_responses"), (a, b) => a + b)
    })
  })
)
