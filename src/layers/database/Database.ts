import type { PgClient, PgConnection } from "@effect/sql-pg"
import { Array, Data, Effect, Metric, Option, Predicate, Schema, Semaphore } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import { Unavailable } from "../../domain/Unavailable.ts"
import { ChangeRecorder } from "../../domain/Write.ts"
import { type Answer, CurrentTransaction, firstRowOf, type Part, type Transaction } from "./Plan.ts"
import { ACQUIRE_TIMEOUT, TIMEOUTS } from "./Session.ts"
import { combine, parameterOf, sql, type Statement } from "./Statement.ts"
import { defectOf, isCancelled } from "./Unavailable.ts"

/** A statement was ended because it took longer than it was given. */
export class TookTooLong extends Data.TaggedError("TookTooLong") {}

/** Rolls a transaction back and carries its result out of it. */
class RolledBack<A> extends Data.TaggedError("RolledBack")<{ readonly result: A }> {}

/** Characters of a statement that is prepared by name. Sessions keep those, and some 40 bytes a character. */
const MAX_PREPARED = 20_000

const NO_CONNECTION = new Error(`No connection was free for ${ACQUIRE_TIMEOUT / 1000} seconds`)

const connectionCount = Metric.gauge("db.client.connection.count", {
  description: "Connections in use",
  attributes: { "db.client.connection.state": "used" }
})

const NO_RECORDER = ChangeRecorder.of({
  record: () => Effect.die(new Error("A write that records changes is performed by Writes or Idempotency"))
})

const failing = (error: SqlError.SqlError) => Effect.die(defectOf(error))

const asDefect = <A>(effect: Effect.Effect<A, SqlError.SqlError>) => Effect.catchTag(effect, "SqlError", failing)

/** Fails with everything but what the driver fails with, which is a defect. */
const rethrow = <E>(error: E | SqlError.SqlError): Effect.Effect<never, E> => {
  if (SqlError.isSqlError(error)) return failing(error)
  return Effect.fail(error)
}

/** The result of a statement, as the driver gives it. */
const isResult = (value: unknown): value is PgConnection.Result =>
  Predicate.hasProperty(value, "rows") && Predicate.hasProperty(value, "rowCount")

const limit = (millis: number) => sql`select set_config('statement_timeout', ${millis}, true)`

/**
 * The one way to the database. A statement runs in the transaction of its fiber, otherwise on any connection, where
 * interruption cancels it in the database too. Database errors are defects: `Unavailable` if the database is out of reach.
 */
export const makeDatabase = (
  client: PgClient.PgClient,
  pool: string,
  connections: number,
  onLost: (action: () => void) => void
) => {
  const slots = Semaphore.makeUnsafe(connections)
  const isInTransaction = Effect.map(Effect.serviceOption(client.transactionService), Option.isSome)

  // The driver's pool has no limit for how long a request waits for a connection.
  const waited = Effect.timeoutOrElse(slots.takeScoped(1), {
    duration: ACQUIRE_TIMEOUT,
    orElse: () => Effect.die(new Unavailable({ cause: NO_CONNECTION }))
  })
  const slot = Effect.flatMap(
    Effect.acquireRelease(slots.takeIfAvailable(1), (isTaken) => (isTaken ? slots.release(1) : Effect.void)),
    (isTaken) => (isTaken ? Effect.void : waited)
  )
  const inUse = Metric.withAttributes(connectionCount, { "db.client.connection.pool.name": pool })
  const counted = Effect.acquireRelease(Metric.modify(inUse, 1), () => Metric.modify(inUse, -1))
  const withSlot = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.scoped(Effect.andThen(Effect.andThen(slot, counted), effect))

  /** Runs a statement where the fiber is. */
  const run = (given: Statement): Effect.Effect<Answer, SqlError.SqlError> => {
    const [text, values] = given.compile()
    const made = client.unsafe<object>(text, values.map(parameterOf))
    if (text.length > MAX_PREPARED) {
      return Effect.map(made.unprepared, (rows) => ({ rows, count: rows.length }))
    }
    return Effect.flatMap(made.raw, (result) =>
      isResult(result)
        ? Effect.succeed({ rows: result.rows, count: result.rowCount })
        : Effect.die(new Error("The driver answered a statement with no result"))
    )
  }

  const answered = (given: Statement): Effect.Effect<Answer> =>
    Effect.flatMap(isInTransaction, (isInside) =>
      asDefect(isInside ? Effect.uninterruptible(run(given)) : withSlot(run(given)))
    )

  const answeredWithin = (given: Statement, millis: number | undefined): Effect.Effect<Answer, TookTooLong> =>
    millis === undefined
      ? answered(given)
      : Effect.timeoutOrElse(answered(given), { duration: millis, orElse: () => Effect.fail(new TookTooLong()) })

  const runWithin = (given: Statement, millis: number) =>
    run(limit(millis)).pipe(
      Effect.andThen(run(given)),
      Effect.tap(() => run(limit(TIMEOUTS.statement_timeout))),
      Effect.map(Option.some),
      Effect.catchIf(isCancelled, () => Effect.succeed(Option.none<Answer>()))
    )

  /** Nothing that has begun is interrupted: a client that hangs up must not decide what is stored. */
  const transact = <A, E, R>(body: Effect.Effect<A, E, R>, keep: boolean): Effect.Effect<A, E, R> =>
    Effect.flatMap(isInTransaction, (isInside) => {
      const decided = keep ? body : Effect.flatMap(body, (result) => Effect.fail(new RolledBack({ result })))
      const transaction = Effect.uninterruptible(client.withTransaction(decided))
      return Effect.catch(isInside ? transaction : withSlot(transaction), (error) => {
        if (error instanceof RolledBack) return Effect.succeed(error.result)
        return rethrow<E>(error)
      }).pipe(
        // The library's ROLLBACK over a broken connection is a defect of its own.
        Effect.catchDefect((defect) => Effect.die(SqlError.isSqlError(defect) ? defectOf(defect) : defect))
      )
    })

  /** Runs a write in the transaction of the fiber, with what it defers at its end. */
  const withDeferred = <A, E>(write: Part<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const deferred: Array<Statement> = []
      const transaction: Transaction = {
        run: (given) => asDefect(run(given)),
        runWithin: (given, millis) => asDefect(runWithin(given, millis)),
        defer: (given) => Effect.sync(() => void deferred.push(given)),
        rehearse: (effect) => transact(effect, false),
        afterCommit: (action) => client.afterCommit(Effect.sync(action))
      }
      return write.pipe(
        Effect.tap(() => (Array.isReadonlyArrayNonEmpty(deferred) ? asDefect(run(combine(deferred))) : Effect.void)),
        Effect.provideService(CurrentTransaction, transaction),
        Effect.provideService(ChangeRecorder, NO_RECORDER)
      )
    })

  return {
    /** The most connections that there are at once. */
    connections,

    /** Calls `action` whenever a connection closes: another server may take its place, without the last commits. */
    onLost,

    /** True if the fiber is in a transaction. */
    isInTransaction,

    /** The answer to a statement. */
    answer: answered,

    /** The rows of a statement. A database with other rows than promised is a defect, here and below. */
    rows: <A, I>(row: Schema.Codec<A, I>) => {
      const decode = compileTrustedDecoder(Schema.Array(row))
      return (statement: Statement) => Effect.map(answered(statement), ({ rows }) => decode(rows))
    },

    /** Likewise, and fails when they take longer than `millis`. Not for the inside of a transaction. */
    rowsWithin: <A, I>(row: Schema.Codec<A, I>) => {
      const decode = compileTrustedDecoder(Schema.Array(row))
      return (statement: Statement, millis: number | undefined) =>
        Effect.map(answeredWithin(statement, millis), ({ rows }) => decode(rows))
    },

    /** The first row, if there is one. */
    first: <A, I>(row: Schema.Codec<A, I>) => {
      const firstRow = firstRowOf(row)
      return (statement: Statement) => Effect.map(answered(statement), firstRow)
    },

    /** The row of a statement that always has one. */
    one: <A, I>(row: Schema.Codec<A, I>) => {
      const decode = compileTrustedDecoder(row)
      return (statement: Statement) => Effect.map(answered(statement), ({ rows: [first] }) => decode(first))
    },

    /** How many rows a statement found or changed. */
    count: (statement: Statement) => Effect.map(answered(statement), ({ count }) => count),

    /** Runs the body, whose statements see each other; what fails leaves nothing of itself. */
    transaction: <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => transact(body, true),

    /** Runs the body for what it answers, and takes back what it did. */
    rehearse: <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => transact(body, false),

    /** Runs the body, whose statements all see the database as it is at the first of them; it may be interrupted. */
    snapshot: <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      withSlot(
        Effect.provideService(
          client.withTransaction(body),
          SqlClient.BeginTransaction,
          "begin isolation level repeatable read, read only"
        )
      ).pipe(Effect.catch(rethrow<E>)),

    /** Performs a write, or only finds out what it would answer. Changes that it records have no journal here. */
    perform: <A, E>(write: Part<A, E>, keep = true): Effect.Effect<A, E> => transact(withDeferred(write), keep)
  }
}

export type DatabaseOf = ReturnType<typeof makeDatabase>
