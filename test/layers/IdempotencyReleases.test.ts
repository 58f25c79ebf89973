import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import type { Installation } from "../../src/domain/access/Installations.ts"
import { Unavailable } from "../../src/domain/Unavailable.ts"
import { lockWrite, installed, KeyedTest, nameOf, once, renameStore } from "../support/data/KeyedWrites.ts"
import { connection, databaseUrl, rowsOf, waitForLockWaits } from "../support/process/Process.ts"

const insertClaim = `
  insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
  values ($1, $2, 'one', sha256('body'), '', clock_timestamp() + interval '1 day') on conflict do nothing returning key
`
const finishClaim = `
  update idempotency_records set outcome = '{"data":"Old"}' where actor_id = $1 and key = 'one'
`

/** A process of the previous release: it inserts a claim of the key first and its response in the same transaction. */
const previousRelease = Effect.fn(function* ({ id, storeId }: Installation) {
  const client = yield* Effect.flatMap(databaseUrl, connection)
  yield* rowsOf(client, "begin")
  yield* rowsOf(client, "set local application_name = 'partner-api'")
  // A long timeout, so that a deadlock aborts the other session.
  yield* rowsOf(client, "set local deadlock_timeout = '1h'")
  return {
    claim: rowsOf(client, insertClaim, [storeId, id]),
    write: rowsOf(client, "update stores set name = 'Old' where id = $1", [storeId]),
    answer: Effect.andThen(rowsOf(client, finishClaim, [id]), rowsOf(client, "commit")),
    rollback: rowsOf(client, "rollback"),
    find: rowsOf(client, "select outcome from idempotency_records where actor_id = $1", [id])
  }
})

layer(KeyedTest, { excludeTestServices: true, timeout: "60 seconds" })("Idempotency keys during an upgrade", (it) => {
  it.effect("a request waits for a claim of the previous release, then replays its response or is performed", () =>
    Effect.gen(function* () {
      for (const isAnswered of [true, false]) {
        const installation = yield* installed
        const { answer, claim, rollback } = yield* previousRelease(installation)
        const watcher = yield* Effect.flatMap(databaseUrl, connection)
        assert.lengthOf(yield* claim, 1)
        const request = yield* Effect.forkChild(once(installation, "one", renameStore(installation, "New")))
        yield* waitForLockWaits(watcher, 1)
        yield* isAnswered ? answer : rollback
        assert.deepInclude(yield* Fiber.join(request), {
          text: `{"data":"${isAnswered ? "Old" : "New"}"}`,
          replayed: isAnswered
        })
        assert.strictEqual(yield* nameOf(installation), isAnswered ? "A store" : "New")
      }
    })
  )

  it.effect("the previous release waits for a request with the key and then finds its complete response", () =>
    Effect.gen(function* () {
      const installation = yield* installed
      const { atCommit, release, watcher } = yield* lockWrite(installation)
      const { claim, find } = yield* previousRelease(installation)
      const request = yield* Effect.forkChild(once(installation, "one", renameStore(installation, "New", atCommit)))
      yield* waitForLockWaits(watcher, 1)
      const claimed = yield* Effect.forkChild(claim)
      yield* waitForLockWaits(watcher, 2)
      yield* release
      assert.lengthOf(yield* Fiber.join(claimed), 0)
      yield* Fiber.join(request)
      assert.deepStrictEqual(yield* find, [{ outcome: '{"data":"New"}' }])
    })
  )

  it.effect(
    "a request in a deadlock with the previous release is Unavailable, stores nothing, and its repetition is replayed",
    () =>
      Effect.gen(function* () {
        const installation = yield* installed
        const { answer, claim, write } = yield* previousRelease(installation)
        const watcher = yield* Effect.flatMap(databaseUrl, connection)
        yield* claim
        const request = yield* Effect.forkChild(
          Effect.exit(once(installation, "one", renameStore(installation, "New")))
        )
        yield* waitForLockWaits(watcher, 1)
        yield* write
        const exit = yield* Fiber.join(request)
        assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof Unavailable)
        yield* answer
        assert.strictEqual(yield* nameOf(installation), "Old")
        const repeated = yield* once(installation, "one", renameStore(installation, "New"))
        assert.deepInclude(repeated, { text: '{"data":"Old"}', replayed: true })
      })
  )
})
