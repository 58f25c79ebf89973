import { Data, Effect, Option, Predicate } from "effect"
import type Pg from "pg"
import { Connection, TIMEOUTS } from "./Postgres.ts"
import { post, within } from "./Transaction.ts"
import type { Write } from "./Writes.ts"

/** A statement was ended because it took longer than it was given. */
export class TookTooLong extends Data.TaggedError("TookTooLong") {}

type Rows = ReadonlyArray<unknown>
type Compiled = ReturnType<Write["compile"]>

/** SQLSTATE `query_canceled`: by a time limit, or because we asked for it. */
const isCancelled = (error: unknown) => Predicate.hasProperty(error, "code") && error.code === "57014"

/** Who gives up waiting for a connection leaves none behind. */
const connectionOf = (pool: Pg.Pool) =>
  Effect.async<Pg.PoolClient & Connection>((resume) => {
    let isUnwanted = false
    pool.connect((refused, client) => {
      if (!(client instanceof Connection)) resume(Effect.die(refused))
      else if (isUnwanted) client.release()
      else resume(Effect.succeed(client))
    })
    return Effect.sync(() => {
      isUnwanted = true
    })
  })

/** The rows; when they are no longer wanted, or have taken too long, the server is told to stop, and is waited for. */
const answerOf = (client: Connection, [text, values]: Compiled, millis: number | undefined) =>
  Effect.async<Rows, TookTooLong>((resume) => {
    let answer = resume
    let cancelling: Promise<void> | undefined
    const cancel = () => {
      cancelling ??= client.cancelRunning()
    }
    const timer = millis === undefined ? undefined : setTimeout(cancel, millis)
    client.query(text, [...values], async (error: Error | null, result) => {
      clearTimeout(timer)
      // Until the server is through with it, a cancellation might meet the next statement of this connection.
      if (cancelling !== undefined) await cancelling
      if (!(error instanceof Error)) answer(Effect.succeed(result.rows))
      else answer(cancelling !== undefined && isCancelled(error) ? new TookTooLong() : Effect.die(error))
    })
    return Effect.async<void>((stopped) => {
      answer = () => stopped(Effect.void)
      cancel()
    })
  })

const onPool = (pool: Pg.Pool, statement: Compiled, millis: number | undefined) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(connectionOf(pool)), (client) =>
      Effect.ensuring(
        restore(answerOf(client, statement, millis)),
        Effect.sync(() => client.release())
      )
    )
  )

const LIMIT = "select set_config('statement_timeout', $1, true)"

/** The time limit of the server counts for this statement alone. What fails ends the transaction, limits and all. */
const inTransaction = (client: Pg.Client, [text, values]: Compiled, millis: number | undefined) =>
  Effect.suspend(() => {
    if (millis !== undefined) post(client, LIMIT, [String(millis)], () => undefined)
    const rows = post(client, text, values, ({ rows }): Rows => rows)
    if (millis !== undefined) post(client, LIMIT, [String(TIMEOUTS.statement_timeout)], () => undefined)
    return millis === undefined
      ? rows
      : Effect.catchSomeDefect(rows, (defect) => (isCancelled(defect) ? Option.some(new TookTooLong()) : Option.none()))
  })

/**
 * Reads: the rows of a statement, inside the transaction that the fiber is in, else on any connection. A read ends in the
 * database when the fiber is interrupted, as it is when the client has gone.
 */
export const makeReads = (pool: Pg.Pool) => {
  const read = (statement: Write, millis?: number): Effect.Effect<Rows, TookTooLong> =>
    within(
      Option.match({
        onNone: () => onPool(pool, statement.compile(), millis),
        onSome: ({ client }) => inTransaction(client, statement.compile(), millis)
      })
    )
  return {
    rows: (statement: Write): Effect.Effect<Rows> => Effect.orDie(read(statement)),
    /** The same, and fails when they take longer than `millis`. */
    rowsWithin: (millis: number) => (statement: Write) => read(statement, millis)
  }
}

export type Reads = ReturnType<typeof makeReads>
