import { SqlClient, type Statement } from "@effect/sql"
import { Context, Deferred, Effect, Exit, FiberId, Option } from "effect"
import type Pg from "pg"
import { clientOf } from "./Postgres.ts"
import { run } from "./Rows.ts"

type Write = Statement.Statement<unknown>

/** Writes of a transaction that have not been sent yet. */
class Gathered extends Context.Tag("layers/Gathered")<Gathered, Array<Write>>() {}

/**
 * A write that only has to be there when the transaction commits. What a transaction gathers so goes out as one
 * statement, together with its COMMIT; if it fails, all is rolled back. Such writes do not see each other, and must not
 * touch the same row. Outside a transaction the write is done here.
 */
export const atCommit = (write: Write): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.serviceOption(Gathered),
    Option.match({
      onNone: () => Effect.orDie(Effect.asVoid(write)),
      onSome: (gathered) => Effect.sync(() => void gathered.push(write))
    })
  )

/** What was gathered, as one statement: each write is a common table expression, and all of them are done. */
const together = (sql: SqlClient.SqlClient, gathered: Array<Write>): Option.Option<Write> => {
  const [first, ...others] = gathered.splice(0)
  return Option.map(Option.fromNullable(first), (first) => {
    const writes = others.reduce<Statement.Fragment>(
      (all, write, index) => sql`${all}, ${sql.literal(`write_${index + 1}`)} as (${write})`,
      sql`write_0 as (${first})`
    )
    return sql`with ${writes} select 1`
  })
}

/**
 * One transaction around `body`: joins the caller's if there is one, and then sees all that was written before, else
 * opens its own. BEGIN travels with the first statement of the body, COMMIT with what was gathered, so that neither
 * costs a round trip. A write once begun is not interrupted: a client that hangs up while it waits must not decide what
 * is stored. Failing to begin or commit is a defect, never part of a service's contract.
 */
export const makeTransaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(
      Effect.serviceOption(Gathered),
      Option.match({
        onSome: (gathered) =>
          Effect.zipRight(Option.match(together(sql, gathered), { onNone: () => Effect.void, onSome: run }), body),
        onNone: () => Effect.uninterruptible(Effect.scoped(alone(sql, body)))
      })
    )

const alone = Effect.fnUntraced(function* <A, E, R>(sql: SqlClient.SqlClient, body: Effect.Effect<A, E, R>) {
  const connection = yield* Effect.orDie(sql.reserve)
  const client = clientOf(connection)
  const gathered: Array<Write> = []
  const inside = Context.make(Gathered, gathered).pipe(
    Context.add(SqlClient.TransactionConnection, [connection, 0] as const)
  )

  const begun = post(client, "begin", [])
  const exit = yield* Effect.exit(Effect.provide(body, inside))
  if (Exit.isFailure(exit)) {
    yield* Effect.ignoreLogged(connection.executeRaw("rollback", []))
    return yield* exit
  }
  const written = Option.map(together(sql, gathered), (write) => post(client, ...write.compile()))
  const committed = yield* post(client, "commit", [])
  yield* begun
  if (Option.isSome(written)) yield* written.value
  // The answer to a COMMIT whose transaction had failed is ROLLBACK, and no error.
  return committed.command === "ROLLBACK" ? yield* Effect.dieMessage("The transaction was rolled back") : exit.value
})

/**
 * Sends a statement on the spot and answers how to wait for it: it travels with what is sent next. Without a fiber of
 * its own, which would cost as much as the statement.
 */
const post = (client: Pg.Client, text: string, values: ReadonlyArray<unknown>): Effect.Effect<Pg.QueryResult> => {
  const answer = Deferred.unsafeMake<Pg.QueryResult>(FiberId.none)
  client.query(text, [...values], (error: Error | null, result) =>
    Deferred.unsafeDone(answer, error === null || error === undefined ? Effect.succeed(result) : Effect.die(error))
  )
  return Deferred.await(answer)
}
