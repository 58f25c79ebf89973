import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { CellName } from "../../../src/domain/cells/Cells.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { GlobalDatabase } from "../../../src/layers/sql/Postgres.ts"
import { awaitCopies } from "./Subscriptions.ts"

/** Number of cells besides `main` in which the suites run. */
export const CELLS = Number(process.env["TEST_CELLS"] ?? 0)

export const CELL_NAMES = Array.from({ length: CELLS }, (_, index) => `c${index}`)

/** Cell whose services and database a test uses. Each worker has its own. */
export const CHOSEN = CellName.make(`c${Number(process.env["VITEST_POOL_ID"] ?? 0) % Math.max(1, CELLS)}`)

/** Waits until changes of global tables are in the database of the test. */
export const arrival = Effect.flatMap(GlobalDatabase, ({ isCopied, sql }) =>
  isCopied ? awaitCopies(sql, CHOSEN) : Effect.void
)

/** Runs statements that change global tables, such as plans, on the global database, and waits until the cell has them. */
export const changeGlobally = <A, E>(change: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.tap(
    Effect.flatMap(GlobalDatabase, ({ sql }) => change(sql)),
    () => arrival
  )

/** Webhooks whose changes are in the cell when they return. Events before that go to the old URL, or to none. */
export const ArrivedWebhooks = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const context = yield* Effect.context<GlobalDatabase>()
    const arrived = <A, E>(change: Effect.Effect<A, E>) =>
      Effect.tap(change, () => Effect.provideContext(arrival, context))
    return Webhooks.of({
      ...webhooks,
      pause: (app) => arrived(webhooks.pause(app)),
      reseal: arrived(webhooks.reseal),
      rotateSecret: (app, before) => arrived(webhooks.rotateSecret(app, before)),
      subscribe: (app, to) => arrived(webhooks.subscribe(app, to))
    })
  })
)
