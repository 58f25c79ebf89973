import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import type { Installation } from "../../src/domain/access/Installations.ts"
import { Unavailable } from "../../src/domain/Unavailable.ts"
import { brake, installed, KeyedTest, nameOf, once, rename } from "../support/data/Keyed.ts"
import { connection, databaseUrl, rowsOf, waiting } from "../support/process/Process.ts"

const insertClaim = `
  insert into idempotency_records (store_id, actor_id, key, fingerprint, expires_at)
  values ($1, $2, 'one', sha256('body'), clock_timestamp() + interval '1 day') on conflict do nothing returning key
`
const finishClaim = `
  update idempotency_records set status = 200, body = '{"data":"Old"}' where actor_id = $1 and key = 'one'
`

/** A process of the release before: it claims the key first, and answers in the same transaction. */
const earlier = Effect.fn(function* ({ id, storeId }: Installation) {
  const client = yield* Effect.flatMap(databaseUrl, connection)
  yield* rowsOf(client, "begin")
  yield* rowsOf(client, "set local application_name = 'partner-api'")
  // Of those that wait for each other it is not the one that gives up.
  yield* rowsOf(client, "set local deadlock_timeout = '1h'")
  return {
    claim: rowsOf(client, insertClaim, [storeId, id]),
    write: rowsOf(client, "update stores set name = 'Old' where id = $1", [storeId]),
    answer: Effect.andThen(rowsOf(client, finishClaim, [id]), rowsOf(client, "commit")),
    giveUp: rowsOf(client, "rollback"),
    find: rowsOf(client, "select status, body from idempotency_records where actor_id = $1", [id])
  }
})

layer(KeyedTest, { excludeTestServices: true, timeout: "60 seconds" })("A request beside an earlier release", (it) => {
  it.effect("waits for what claimed its key, and is answered with what that did, or performed", () =>
    Effect.gen(function* () {
      for (const isAnswered of [true, false]) {
        const installation = yield* installed
        const { answer, claim, giveUp } = yield* earlier(installation)
        const watcher = yield* Effect.flatMap(databaseUrl, connection)
        assert.lengthOf(yield* claim, 1)
        const request = yield* Effect.forkChild(once(installation, "one", rename(installation, "New")))
        yield* waiting(watcher, 1)
        yield* isAnswered ? answer : giveUp
        assert.deepInclude(yield* Fiber.join(request), {
          body: `{"data":"${isAnswered ? "Old" : "New"}"}`,
          replayed: isAnswered
        })
        assert.strictEqual(yield* nameOf(installation), isAnswered ? "A store" : "New")
      }
    })
  )

  it.effect("is waited for with its key, and then its whole answer is there", () =>
    Effect.gen(function* () {
      const installation = yield* installed
      const { atCommit, release, watcher } = yield* brake(installation)
      const { claim, find } = yield* earlier(installation)
      const request = yield* Effect.forkChild(once(installation, "one", rename(installation, "New", atCommit)))
      yield* waiting(watcher, 1)
      const claimed = yield* Effect.forkChild(claim)
      yield* waiting(watcher, 2)
      yield* release
      assert.lengthOf(yield* Fiber.join(claimed), 0)
      yield* Fiber.join(request)
      assert.deepStrictEqual(yield* find, [{ status: 200, body: '{"data":"New"}' }])
    })
  )

  it.effect(
    "is unavailable where each waits for the other, has done nothing, and finds the answer when it is repeated",
    () =>
      Effect.gen(function* () {
        const installation = yield* installed
        const { answer, claim, write } = yield* earlier(installation)
        const watcher = yield* Effect.flatMap(databaseUrl, connection)
        yield* claim
        const request = yield* Effect.forkChild(Effect.exit(once(installation, "one", rename(installation, "New"))))
        yield* waiting(watcher, 1)
        yield* write
        const exit = yield* Fiber.join(request)
        assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof Unavailable)
        yield* answer
        assert.strictEqual(yield* nameOf(installation), "Old")
        const repeated = yield* once(installation, "one", rename(installation, "New"))
        assert.deepInclude(repeated, { body: '{"data":"Old"}', replayed: true })
      })
  )
})
