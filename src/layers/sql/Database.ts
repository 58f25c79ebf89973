import { Data, Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import { ChangeRecorder } from "../../domain/Write.ts"
import { orDefect, orDefectOf } from "./Errors.ts"
import { type Answer, CurrentTransaction, firstRowOf, type Part, type Transaction } from "./Plan.ts"
import type { Statement } from "./Statement.ts"
import { performWrite, rowCount, snapshot, tryOut, withStatementTimeout } from "./Transaction.ts"

/** A statement was ended because it took longer than it was given. */
export class TookTooLong extends Data.TaggedError("TookTooLong") {}

const NO_RECORDER = ChangeRecorder.of({
  record: () => Effect.die(new Error("A write that records changes is performed by Writes or Idempotency"))
})

/** Statements of `Statement.ts` and their rows, over `SqlClient`. */
export const makeDatabase = (
  client: SqlClient.SqlClient,
  connections: number,
  onLost: (action: () => void) => void
) => {
  const isInTransaction = Effect.map(Effect.serviceOption(client.transactionService), Option.isSome)

  const run = (given: Statement): Effect.Effect<Answer, SqlError.SqlError> =>
    Effect.map(client`${given}`.raw, (result) => result as { rows: Array<unknown>; rowCount: number }).pipe(
      Effect.map(({ rowCount: count, rows }) => ({ rows, count }))
    )

  const answered = (given: Statement): Effect.Effect<Answer> => orDefect(run(given))

  const answeredWithin = (given: Statement, millis: number | undefined): Effect.Effect<Answer, TookTooLong> =>
    millis === undefined
      ? answered(given)
      : Effect.timeoutOrElse(answered(given), { duration: millis, orElse: () => Effect.fail(new TookTooLong()) })

  const transaction: Transaction = {
    client,
    run: answered,
    runWithin: (given, millis) => orDefect(withStatementTimeout(client, millis, run(given))),
    rehearse: <A, E>(effect: Effect.Effect<A, E>) => orDefectOf<E>()(tryOut(client, effect)),
    afterCommit: (action) => client.afterCommit(Effect.sync(action))
  }

  return {
    connections,
    onLost,
    isInTransaction,
    answer: answered,
    rows: <A, I>(row: Schema.Codec<A, I>) => {
      const decode = compileTrustedDecoder(Schema.Array(row))
      return (statement: Statement) => Effect.map(answered(statement), ({ rows }) => decode(rows))
    },
    rowsWithin: <A, I>(row: Schema.Codec<A, I>) => {
      const decode = compileTrustedDecoder(Schema.Array(row))
      return (statement: Statement, millis: number | undefined) =>
        Effect.map(answeredWithin(statement, millis), ({ rows }) => decode(rows))
    },
    first: <A, I>(row: Schema.Codec<A, I>) => {
      const firstRow = firstRowOf(row)
      return (statement: Statement) => Effect.map(answered(statement), firstRow)
    },
    one: <A, I>(row: Schema.Codec<A, I>) => {
      const decode = compileTrustedDecoder(row)
      return (statement: Statement) => Effect.map(answered(statement), ({ rows: [first] }) => decode(first))
    },
    count: (statement: Statement) => orDefect(rowCount(client`${statement}`)),
    transaction: <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      orDefectOf<E>()(client.withTransaction(body)),
    rehearse: <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => orDefectOf<E>()(tryOut(client, body)),
    snapshot: <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      orDefectOf<E>()(snapshot(client, body)),
    perform: <A, E>(write: Part<A, E>, keep = true): Effect.Effect<A, E> =>
      write.pipe(
        Effect.provideService(CurrentTransaction, transaction),
        Effect.provideService(ChangeRecorder, NO_RECORDER),
        (effect) => orDefectOf<E>()(performWrite(client, effect, keep ? "perform" : "dryRun"))
      )
  }
}

export type DatabaseOf = ReturnType<typeof makeDatabase>
