import { Data, Effect, Exit, Option, Schema } from "effect"
import type Pg from "pg"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import { answerFrom, type Connection } from "./Connection.ts"
import type { Answer } from "./Plan.ts"
import type { Statement } from "./Statement.ts"
import { makeTransactions, type Open, send, withConnection, withCurrent } from "./Transaction.ts"
import { defectOf, isCancelled } from "./Unavailable.ts"

/** A statement was ended because it took longer than it was given. */
export class TookTooLong extends Data.TaggedError("TookTooLong") {}

/** The answer; when it is no longer wanted, or has taken too long, the server is told to stop, and is waited for. */
const answerOf = (client: Connection, statement: Statement, millis: number | undefined) =>
  Effect.callback<Answer, TookTooLong>((resume) => {
    let answer = resume
    let cancelling: Promise<void> | undefined
    const cancel = () => {
      cancelling ??= client.cancelRunning()
    }
    const timer = millis === undefined ? undefined : setTimeout(cancel, millis)
    send(client, statement, async (error, given) => {
      clearTimeout(timer)
      // Until the server is through with it, a cancellation might meet the next statement of this connection.
      if (cancelling !== undefined) await cancelling
      if (error === undefined) answer(Effect.succeed(given))
      else answer(cancelling !== undefined && isCancelled(error) ? new TookTooLong() : Effect.die(error))
    })
    return Effect.callback<void>((stopped) => {
      answer = () => stopped(Effect.void)
      cancel()
    })
  })

/** In a transaction nothing is interrupted, and what fails ends it. */
const answerIn = ({ client }: Open, statement: Statement) =>
  Effect.callback<Answer>((resume) =>
    send(client, statement, (error, answer) => resume(error === undefined ? Effect.succeed(answer) : Effect.die(error)))
  )

/**
 * The one way to the database: statements, each asked for what its answer is wanted as. A statement runs in the
 * transaction that the fiber is in, else on any connection; there it ends in the database, too, when the fiber is
 * interrupted, as it is when the client has gone. What fails is a defect: `Unavailable` where the database is out of reach.
 */
export const makeDatabase = (pool: Pg.Pool) => {
  const transactions = makeTransactions(pool)

  const answer = (statement: Statement, millis?: number): Effect.Effect<Answer, TookTooLong> =>
    withCurrent((current) =>
      current === undefined
        ? withConnection(pool, (client) => answerOf(client, statement, millis))
        : answerIn(current, statement)
    )

  const answered = (statement: Statement): Effect.Effect<Answer> => Effect.orDie(answer(statement))

  return {
    /** The most connections that there are at once. */
    connections: pool.options.max,

    /** Does so whenever a connection breaks: another server may take its place, without what was committed last. */
    onLost: (action: () => void): void => {
      pool.on("connect", (client) => client.on("error", action))
    },

    /** The rows of a statement. A database with other rows than promised is a defect, here and below. */
    rows: <A, I>(row: Schema.Codec<A, I>) => {
      const decode = compileTrustedDecoder(Schema.Array(row))
      return (statement: Statement) => Effect.map(answered(statement), ({ rows }) => decode(rows))
    },

    /** Likewise, and fails when they take longer than `millis`. Not for the inside of a transaction. */
    rowsWithin: <A, I>(row: Schema.Codec<A, I>) => {
      const decode = compileTrustedDecoder(Schema.Array(row))
      return (statement: Statement, millis: number | undefined) =>
        Effect.map(answer(statement, millis), ({ rows }) => decode(rows))
    },

    /** The first row, if there is one. */
    first: <A, I>(row: Schema.Codec<A, I>) => {
      const decode = compileTrustedDecoder(row)
      return (statement: Statement) =>
        Effect.map(answered(statement), ({ rows: [first] }) =>
          first === undefined ? Option.none<A>() : Option.some(decode(first))
        )
    },

    /** The row of a statement that always has one. */
    one: <A, I>(row: Schema.Codec<A, I>) => {
      const decode = compileTrustedDecoder(row)
      return (statement: Statement) => Effect.map(answered(statement), ({ rows: [first] }) => decode(first))
    },

    /** How many rows a statement found or changed. */
    count: (statement: Statement) => Effect.map(answered(statement), ({ count }) => count),

    /** Sends a statement for who answers by callback, on any connection. */
    send: (statement: Statement, done: (answer: Exit.Exit<Answer>) => void): void => {
      const [text, values] = statement.compile()
      pool.query(text, [...values], (error: Error | undefined, result) => {
        if (!(error instanceof Error)) return done(Exit.succeed(answerFrom(result)))
        done(Exit.die(defectOf(error)))
      })
    },

    ...transactions
  }
}

export type DatabaseOf = ReturnType<typeof makeDatabase>
