import { SqlClient } from "@effect/sql"
import { Context, Effect, Exit, Option, Schema } from "effect"
import type Pg from "pg"
import { clientOf } from "./Postgres.ts"
import { together, type Write } from "./Writes.ts"

/** The transaction that a fiber is in: its connection, writes that have not been sent yet, and what follows its commit. */
class Current extends Context.Tag("layers/Transaction")<
  Current,
  { readonly client: Pg.Client; readonly gathered: Array<Write>; readonly afterwards: Array<() => void> }
>() {}

/**
 * Straight from the fiber: a look-up of a service is three operations of Effect's runtime, half a microsecond each, and
 * every statement makes one.
 */
export const within = <A, E, R>(
  use: (transaction: Option.Option<Current["Type"]>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.withFiberRuntime((fiber) => use(Context.getOption(fiber.currentContext, Current)))

const inside = <A>(use: (transaction: Current["Type"]) => Effect.Effect<A>): Effect.Effect<A> =>
  within(
    Option.match({
      onNone: () => Effect.dieMessage("A statement of a transaction was asked for outside of one"),
      onSome: use
    })
  )

/**
 * A write that only has to be there when the transaction commits. What a transaction gathers so goes out as one
 * statement, together with its COMMIT; if it fails, all is rolled back. Such writes do not see each other, and must not
 * touch the same row.
 */
export const atCommit = (write: Write): Effect.Effect<void> =>
  inside(({ gathered }) => {
    gathered.push(write)
    return Effect.void
  })

/** Does something once the transaction is committed, and not at all when it is not. */
export const afterCommit = (action: () => void): Effect.Effect<void> =>
  inside(({ afterwards }) => {
    afterwards.push(action)
    return Effect.void
  })

/**
 * Sends a statement of constant text on the transaction's connection, and answers how to wait for its first row, if there
 * is one. It goes straight to the driver: through @effect/sql, which makes its text anew each time, a statement costs half
 * as much again.
 */
export const sends = <A, I>(text: string, row: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownSync(row)
  return (...values: ReadonlyArray<unknown>): Effect.Effect<Effect.Effect<Option.Option<A>>> =>
    inside(({ client }) =>
      Effect.succeed(
        post(client, text, values, ({ rows: [first] }) =>
          first === undefined ? Option.none() : Option.some(decode(first))
        )
      )
    )
}

/** Runs such a statement for its first row, if there is one. */
export const asks = <A, I>(text: string, row: Schema.Schema<A, I>) => {
  const sent = sends(text, row)
  return (...values: ReadonlyArray<unknown>): Effect.Effect<Option.Option<A>> => Effect.flatten(sent(...values))
}

/** Runs such a statement for the number of its rows. */
export const tell = (text: string, values: ReadonlyArray<unknown>): Effect.Effect<number> =>
  inside(({ client }) => post(client, text, values, ({ rowCount }) => rowCount ?? 0))

/**
 * One transaction around `body`: joins the caller's if there is one, and then sees all that was written before, else
 * opens its own. BEGIN travels with the first statement of the body, COMMIT with what was gathered, so that neither
 * costs a round trip. A write once begun is not interrupted: a client that hangs up while it waits must not decide what
 * is stored. Failing to begin or commit is a defect, never part of a service's contract.
 */
export const makeTransaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    within(
      Option.match({
        onSome: ({ client, gathered }) => Effect.zipRight(flush(client, gathered), body),
        onNone: () => Effect.uninterruptible(Effect.scoped(alone(sql, body)))
      })
    )

/** Where there is no other way than a scan, its cost is made 1e10 before PostgreSQL 18, for which it would be compiled. */
const WITHOUT_SCANS = "select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)"

/**
 * Answers the rows of a statement that goes by keys. The planner leaves them for a scan of the whole table where it takes
 * the table to be small, or the rows that are wanted for many, and keeps a plan that it made so; here it may not. All of
 * the transaction is one packet: COMMIT does not wait for the rows.
 */
export const makeIndexed = (sql: SqlClient.SqlClient) => {
  const transaction = makeTransaction(sql)
  return (statement: Write): Effect.Effect<ReadonlyArray<unknown>> =>
    Effect.gen(function* () {
      let answer: Effect.Effect<ReadonlyArray<unknown>> = Effect.succeed([])
      const sent = inside(({ client }) => {
        post(client, WITHOUT_SCANS, [], ({ command }) => command)
        answer = post(client, ...statement.compile(), ({ rows }) => rows)
        return Effect.void
      })
      const ended = yield* Effect.exit(transaction(sent))
      // Why it failed says more than that it was rolled back.
      const rows = yield* answer
      yield* ended
      return rows
    })
}

/** One transaction around calls of several services, for what puts them together. */
export const atomically = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => makeTransaction(sql)(body))

/** Sends what was gathered, and answers how to wait for it. */
const flush = (client: Pg.Client, gathered: Array<Write>): Effect.Effect<unknown> => {
  const writes = gathered.splice(0)
  return writes.length === 0 ? Effect.void : post(client, ...together(writes), ({ rowCount }) => rowCount)
}

const alone = Effect.fnUntraced(function* <A, E, R>(sql: SqlClient.SqlClient, body: Effect.Effect<A, E, R>) {
  const connection = yield* Effect.orDie(sql.reserve)
  const client = clientOf(connection)
  const gathered: Array<Write> = []
  const afterwards: Array<() => void> = []
  const transaction = Context.make(Current, { client, gathered, afterwards }).pipe(
    Context.add(SqlClient.TransactionConnection, [connection, 0] as const)
  )

  const begun = post(client, "begin", [], ({ command }) => command)
  const exit = yield* Effect.exit(Effect.provide(body, transaction))
  if (Exit.isFailure(exit)) {
    yield* Effect.ignoreLogged(connection.executeRaw("rollback", []))
    return yield* exit
  }
  const written = flush(client, gathered)
  const committed = yield* post(client, "commit", [], ({ command }) => command)
  yield* begun
  yield* written
  // The answer to a COMMIT whose transaction had failed is ROLLBACK, and no error.
  if (committed === "ROLLBACK") return yield* Effect.dieMessage("The transaction was rolled back")
  for (const action of afterwards) action()
  return exit.value
})

/**
 * Sends a statement on the spot and answers how to wait for it, once: it travels with what is sent next. Without a fiber
 * of its own, which would cost as much as the statement, and without a `Deferred`, which costs 4 µs.
 */
export const post = <A>(
  client: Pg.Client,
  text: string,
  values: ReadonlyArray<unknown>,
  read: (result: Pg.QueryResult) => A
): Effect.Effect<A> => {
  let answer: Effect.Effect<A> | undefined
  let resume = (_: Effect.Effect<A>) => {}
  client.query(text, [...values], (error: Error | null, result) => {
    answer = error instanceof Error ? Effect.die(error) : Effect.sync(() => read(result))
    resume(answer)
  })
  return Effect.suspend(
    () =>
      answer ??
      Effect.async<A>((waiting) => {
        resume = waiting
      })
  )
}
