import { SqlClient } from "@effect/sql"
import { Effect, Exit, Option, Predicate } from "effect"

const wasRolledBack = (answer: unknown) => Predicate.hasProperty(answer, "command") && answer.command === "ROLLBACK"

/**
 * One transaction around `body`: joins the caller's if there is one, else opens its own. `last` makes the statements
 * that only have to be there when it commits. BEGIN travels with the first statement of the body and `last` with
 * COMMIT, so that neither costs a round trip. A write once begun is not interrupted: a client that hangs up while it
 * waits must not decide what is stored. Failing to begin or commit is a defect, never part of a service's contract.
 */
export const makeTransactionWith =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(body: Effect.Effect<A, E, R>, last: (result: A) => Effect.Effect<void>): Effect.Effect<A, E, R> =>
    Effect.flatMap(
      Effect.serviceOption(SqlClient.TransactionConnection),
      Option.match({
        onSome: () => Effect.tap(body, last),
        onNone: () => Effect.uninterruptible(Effect.scoped(alone(sql, body, last)))
      })
    )

/** {@link makeTransactionWith} for writes that need nothing but themselves. */
export const makeTransaction = (sql: SqlClient.SqlClient) => {
  const transaction = makeTransactionWith(sql)
  return <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => transaction(body, () => Effect.void)
}

const alone = Effect.fnUntraced(function* <A, E, R>(
  sql: SqlClient.SqlClient,
  body: Effect.Effect<A, E, R>,
  last: (result: A) => Effect.Effect<void>
) {
  const connection = yield* Effect.orDie(sql.reserve)
  const inside = Effect.provideService(SqlClient.TransactionConnection, [connection, 0] as const)
  const command = (text: string): Effect.Effect<unknown> => Effect.orDie(connection.executeRaw(text, []))

  const exit = yield* Effect.exit(Effect.zipRight(command("begin"), inside(body), { concurrent: true }))
  if (Exit.isFailure(exit)) {
    yield* Effect.ignoreLogged(connection.executeRaw("rollback", []))
    return yield* exit
  }
  const committed = yield* Effect.zipRight(inside(last(exit.value)), command("commit"), { concurrent: true })
  // The answer to a COMMIT whose transaction had failed is ROLLBACK, and no error.
  return wasRolledBack(committed) ? yield* Effect.dieMessage("The transaction was rolled back") : exit.value
})
