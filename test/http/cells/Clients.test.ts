import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { Grants } from "../../../src/domain/oauth/Grants.ts"
import { slotOf, subscriptionOf } from "../../../src/layers/cells/GlobalTables.ts"
import { CellsTest, inCell, NORTH } from "../../support/cells/CellsTest.ts"
import { awaitCopies } from "../../support/cells/Subscriptions.ts"
import { baseUrl } from "../../support/http/Api.ts"
import { makePoster, tokensOf } from "../../support/oauth/Oauth.ts"
import { scene } from "../../support/oauth/Scene.ts"
import { openTransaction, waiting } from "../../support/postgres/OpenTransactions.ts"
import { duringWork, waitUntil } from "../../support/process/Process.ts"

/** Sets the state of the subscription of the cell. A paused one has left its slot, so it can take it again at once. */
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

layer(CellsTest, { excludeTestServices: true, timeout: "60 seconds" })("OAuth clients in a cell", (it) => {
  it.effect("a wrong client secret is refused without a wait", () =>
    Effect.gen(function* () {
      const { app } = yield* inCell(NORTH, scene())
      const wrong = { clientId: app.clientId, secret: Redacted.make("wrong") }
      const revoke = Effect.flatMap(Grants, ({ revoke }) => revoke(wrong, Redacted.make("any")))
      // The time of the test clock stands still, so a wait would not end.
      const refused = Effect.flip(revoke).pipe(Effect.provide(TestClock.layer()), Effect.timeout("20 seconds"))
      const { _tag } = yield* inCell(NORTH, refused)
      assert.strictEqual(_tag, "InvalidClient")
    })
  )

  it.effect("a client secret that main has and the cell has not works as soon as it arrives", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { agree, app } = yield* inCell(NORTH, scene())
      const form = yield* inCell(NORTH, agree(app))
      yield* Effect.acquireRelease(copying("disable"), () => Effect.orDie(copying("enable")))
      const { rotateSecret } = yield* Apps
      const { secret } = yield* rotateSecret(app.appId, 0)

      const main = yield* SqlClient.SqlClient
      const release = yield* openTransaction(main`lock table client_secrets in access exclusive mode`)
      const client = { clientId: app.clientId, secret: Redacted.value(secret) }
      const exchange = yield* Effect.forkChild(makePoster(base, client).token(form))
      // The cell has refused the secret, and asks main.
      const question = waiting.pipe(Effect.provideService(SqlClient.SqlClient, main), Effect.orDie)
      yield* duringWork(exchange, question)
      yield* copying("enable")
      yield* awaitCopies(main, NORTH)
      yield* release
      assert.isString(tokensOf(yield* Fiber.join(exchange)).access_token)
    }).pipe(Effect.scoped)
  )
})
