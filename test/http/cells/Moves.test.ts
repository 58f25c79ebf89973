import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { StoreId } from "../../../src/domain/Store.ts"
import { MAIN } from "../../../src/domain/cells/Cells.ts"
import { CellsTest, Databases, NORTH, storeIn } from "../../support/cells/CellsTest.ts"
import { moveTo } from "../../support/cells/Moving.ts"
import { connection, rowsOf } from "../../support/process/Process.ts"

/** Moves a store while another session keeps the locks of `statement` from the moment at which writes wait. */
const moveBehind = Effect.fn(function* (url: Redacted.Redacted, statement: string, store: StoreId) {
  const session = yield* connection(Redacted.value(url))
  const lock = Effect.andThen(rowsOf(session, "begin"), rowsOf(session, statement))
  let frozen = performance.now()
  const refused = yield* moveTo(NORTH, store, (line) =>
    line.startsWith("frozen")
      ? Effect.andThen(
          lock,
          Effect.sync(() => (frozen = performance.now()))
        )
      : Effect.void
  ).pipe(Effect.flip, Effect.ensuring(rowsOf(session, "rollback")))
  return { refused, paused: performance.now() - frozen }
})

layer(CellsTest, { excludeTestServices: true, timeout: "60 seconds" })("Moves of stores", (it) => {
  it.effect(
    "a move that cannot switch for the lock of another session gives up within seconds, and the store stays",
    () =>
      Effect.gen(function* () {
        const { cells, main } = yield* Databases
        const north = cells.find(({ name }) => name === NORTH)?.url ?? assert.fail()
        const { client, storeId } = yield* storeIn(MAIN)
        const locks: ReadonlyArray<readonly [Redacted.Redacted, string]> = [
          [main, "lock table directory in share mode"],
          [north, "lock table wakeups in access exclusive mode"]
        ]
        for (const [url, statement] of locks) {
          yield* client.post("/products", { name: statement })
          const { paused, refused } = yield* Effect.scoped(moveBehind(url, statement, storeId))
          assert.include(refused.message, "the store stays where it is", statement)
          assert.isBelow(paused, 9000, statement)
          assert.strictEqual((yield* client.post("/products", { name: `after ${statement}` })).status, 201)
        }
        yield* moveTo(NORTH, storeId)
        assert.strictEqual((yield* client.post("/products", { name: "In north" })).status, 201)
      })
  )
})
