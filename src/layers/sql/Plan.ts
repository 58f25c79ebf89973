import { Context, Effect, Option, type Schema } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import type { SqlClient } from "effect/sql"
import type { ChangeRecorder } from "../../domain/Write.ts"
import type { Statement } from "./Statement.ts"
import { CurrentDeferral } from "./Transaction.ts"

/** The result of a statement. */
export interface Answer {
  readonly rows: ReadonlyArray<unknown>
  /** Rows that were read, or written. */
  readonly count: number
}

/** A part of a write. Its statements run in the transaction of the write. */
export type Part<A, E = never> = Effect.Effect<A, E, ChangeRecorder>

/** The return type of a generator that makes a {@link Part}. */
export type Step<A, E = never> = Effect.fn.Return<A, E, ChangeRecorder>

/** The transaction of a write. */
export interface Transaction {
  readonly client: SqlClient.SqlClient
  readonly run: (statement: Statement) => Effect.Effect<Answer>
  /** None if the statement took longer than `millis`. The transaction then takes no further statement. */
  readonly runWithin: (statement: Statement, millis: number) => Effect.Effect<Option.Option<Answer>>
  /** Runs the effect for what it answers, and takes back what it did. */
  readonly rehearse: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Runs the action after the commit, and not at all if there is none. */
  readonly afterCommit: (action: () => void) => Effect.Effect<void>
}

/** The transaction that a part of a write runs in. `Database.perform` provides it. */
export const CurrentTransaction = Context.Reference<Transaction | undefined>("layers/sql/CurrentTransaction", {
  defaultValue: () => undefined
})

const inTransaction = <A, E>(use: (transaction: Transaction) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(CurrentTransaction, (transaction) =>
    transaction === undefined ? Effect.die(new Error("A write runs inside of a transaction")) : use(transaction)
  )

/** Runs a part of a write that takes the client. */
export const withClient = <A, E, R>(
  part: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentTransaction, (transaction) =>
    transaction === undefined ? Effect.die(new Error("A write runs inside of a transaction")) : part(transaction.client)
  )

/** Runs a statement. */
export const answerOf = (statement: Statement): Effect.Effect<Answer> => inTransaction(({ run }) => run(statement))

/** Runs a statement for the number of rows that it found or changed. */
export const countOf = (statement: Statement): Effect.Effect<number> =>
  Effect.map(answerOf(statement), ({ count }) => count)

/** Reads the first row of a result, if there is one. */
export const firstRowOf = <A, I>(row: Schema.Codec<A, I>) => {
  const decode = compileTrustedDecoder(row)
  return ({ rows: [first] }: Answer): Option.Option<A> =>
    first === undefined ? Option.none() : Option.some(decode(first))
}

/** Runs a statement for its first row, if there is one. */
export const firstOf = <A, I>(row: Schema.Codec<A, I>) => {
  const firstRow = firstRowOf(row)
  return (statement: Statement): Effect.Effect<Option.Option<A>> => Effect.map(answerOf(statement), firstRow)
}

/** The same of a statement that may take `millis`: none if it took longer, and then the write can only fail. */
export const firstWithin = <A, I>(row: Schema.Codec<A, I>, millis: number) => {
  const decode = compileTrustedDecoder(row)
  return (statement: Statement): Effect.Effect<Option.Option<A>> =>
    inTransaction(({ runWithin }) =>
      Effect.map(runWithin(statement, millis), (answer) => Option.map(answer, ({ rows: [first] }) => decode(first)))
    )
}

/** Runs statements one after the other, and then lets other requests go on. */
export const runAll = (...statements: ReadonlyArray<Statement>): Effect.Effect<void> =>
  Effect.andThen(Effect.forEach(statements, answerOf, { discard: true }), Effect.yieldNow)

export { deferToCommit } from "./Transaction.ts"

/** Finds out what a part of a write would answer, and takes it back. Deferred statements are dropped. */
export const rehearsed = <A, E>(part: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  inTransaction(({ rehearse }) => rehearse(part))

/** Runs an action after the commit. */
export const afterCommit = (action: () => void): Effect.Effect<void> =>
  inTransaction((transaction) => transaction.afterCommit(action))

/** Runs a part of a write with another way to defer statements. */
export const deferringBy = <A, E, R>(
  part: Effect.Effect<A, E, R>,
  defer: (statement: Statement) => Effect.Effect<void>
): Effect.Effect<A, E, R> => Effect.provideService(part, CurrentDeferral, defer)
