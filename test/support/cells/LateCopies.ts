import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { slotOf, subscriptionOf } from "../../../src/layers/cells/GlobalTables.ts"
import { openTransaction, waiting } from "../postgres/OpenTransactions.ts"
import { duringWork, waitUntil } from "../process/Process.ts"
import { inCell, NORTH } from "./CellsTest.ts"
import { awaitCopies } from "./Subscriptions.ts"

/** Starts or stops copies of global rows to the cell `north`. A stopped cell has left its slot, so it can take it again at once. */
const copying = Effect.fn(function* (state: "enable" | "disable") {
  const main = yield* SqlClient.SqlClient
  yield* inCell(
    NORTH,
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`alter subscription ${sql(subscriptionOf(NORTH))} ${sql.literal(state)}`
    )
  )
  if (state === "enable") return
  const slot = yield* slotOf(main, NORTH)
  yield* waitUntil(
    main`select from pg_replication_slots where slot_name = ${slot} and not active`,
    ({ length }) => length === 1
  )
})

/** Stops copies of global rows to the cell `north` until the scope ends. */
export const withoutCopies = Effect.acquireRelease(copying("disable"), () => Effect.orDie(copying("enable")))

/** Runs work in the cell `north`, to which changes of a table arrive while the work asks `main`. Needs {@link withoutCopies}. */
export const arriveDuring = Effect.fn(function* <A, E, R>(table: string, work: Effect.Effect<A, E, R>) {
  const main = yield* SqlClient.SqlClient
  const release = yield* openTransaction(main`lock table ${main(table)} in access exclusive mode`)
  const fiber = yield* Effect.forkChild(work)
  // The work has found nothing in the cell, and asks main.
  yield* duringWork(fiber, waiting.pipe(Effect.provideService(SqlClient.SqlClient, main), Effect.orDie))
  yield* copying("enable")
  yield* awaitCopies(main, NORTH)
  yield* release
  return yield* Fiber.join(fiber)
})
