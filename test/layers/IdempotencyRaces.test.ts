import { assert, layer } from "@effect/vitest"
import { Cause, Data, Effect, Exit, Fiber, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { LARGE_RESPONSE } from "../../src/domain/Idempotency.ts"
import type { Installation } from "../../src/domain/access/Installations.ts"
import { Unavailable } from "../../src/domain/Unavailable.ts"
import { postgres } from "../../src/layers/sql/Postgres.ts"
import { IdempotencyLive } from "../../src/layers/Idempotency.ts"
import {
  lockWrite,
  execute,
  expire,
  installed,
  KeyedTest,
  nameOf,
  once,
  recordsOf,
  renameStore
} from "../support/data/KeyedWrites.ts"
import { databaseUrl, rowsOf, waitForLockWaits } from "../support/process/Process.ts"
import { wayTo } from "../support/postgres/SilentDatabase.ts"
import { RepositoriesLive } from "../../src/layers/Domain.ts"

class Refused extends Data.TaggedError("Refused") {}

/** Course of two concurrent requests with the same key. */
interface Race {
  /** Lock for which the second request waits: a row that both write, or the record of the key. */
  readonly waits: "for the row" | "for the record"
  readonly first: "commits" | "is refused" | "is killed"
  /** Body of the second request, if it differs. */
  readonly body?: string
}

const race = Effect.fn(function* ({ body, first, waits }: Race) {
  const [installation, other] = [yield* installed, yield* installed]
  const { atCommit, beforeRecord, release, watcher } = yield* lockWrite(installation)
  const rest = Effect.gen(function* () {
    yield* waits === "for the row" ? beforeRecord() : atCommit()
    if (first === "is refused") yield* new Refused()
  })
  const one = yield* Effect.forkChild(
    Effect.exit(
      once(
        installation,
        "one",
        renameStore(installation, "First", () => rest)
      )
    )
  )
  const [pid] = yield* waitForLockWaits(watcher, 1)
  const written = waits === "for the row" ? installation : other
  const two = yield* Effect.forkChild(Effect.result(once(installation, "one", renameStore(written, "Second"), body)))
  yield* waitForLockWaits(watcher, 2)
  if (first === "is killed") yield* rowsOf(watcher, "select pg_terminate_backend($1)", [pid])
  yield* release
  const exit = yield* Fiber.join(one)
  const second = yield* Fiber.join(two)
  return { exit, second, name: yield* nameOf(written), records: yield* recordsOf(installation) }
})

/** Services of another process on the same database. */
const otherProcess = Effect.gen(function* () {
  const url = Redacted.make(yield* databaseUrl)
  return yield* Layer.build(
    Layer.fresh(
      Layer.provideMerge(Layer.provide(IdempotencyLive, RepositoriesLive), postgres({ url, maxConnections: 5 }))
    )
  )
})

/** A write that succeeds once: the second one fails because of the first. */
const renameOnce = ({ storeId }: Installation) =>
  Effect.gen(function* () {
    const renamed = yield* execute(
      (sql) => sql`update stores set name = 'Done' where id = ${storeId} and name <> 'Done'`
    )
    if (renamed === 0) yield* new Refused()
    return "Done"
  })

const indexes = Array.from({ length: 20 }, (_, index) => index)

layer(KeyedTest, { excludeTestServices: true, timeout: "60 seconds" })("Two requests with the same key", (it) => {
  for (const waits of ["for the row", "for the record"] as const) {
    it.effect(`a second request that waits ${waits} receives the response of the first`, () =>
      Effect.gen(function* () {
        const { exit, name, records, second } = yield* race({ waits, first: "commits" })
        const answer = { text: '{"data":"First"}' }
        assert.deepStrictEqual(exit, Exit.succeed({ ...answer, replayed: false }))
        assert.deepStrictEqual(second, Result.succeed({ ...answer, replayed: true }))
        assert.strictEqual(name, waits === "for the row" ? "First" : "A store")
        assert.deepStrictEqual(records, [{ key: "one", outcome: answer.text }])
      })
    )

    it.effect(`a second request that waits ${waits} fails with KeyReused if its body differs`, () =>
      Effect.gen(function* () {
        const { name, records, second } = yield* race({ waits, first: "commits", body: "another body" })
        assert.strictEqual(Result.isFailure(second) ? second.failure._tag : "", "KeyReused")
        assert.strictEqual(name, waits === "for the row" ? "First" : "A store")
        assert.lengthOf(records, 1)
      })
    )

    it.effect(`a second request that waits ${waits} is performed if the session of the first is terminated`, () =>
      Effect.gen(function* () {
        const { exit, name, second } = yield* race({ waits, first: "is killed", body: "another body" })
        assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof Unavailable)
        assert.deepInclude(Result.getOrNull(second), { text: '{"data":"Second"}', replayed: false })
        assert.strictEqual(name, "Second")
      })
    )
  }

  it.effect("a second request with the same key is performed if the first fails", () =>
    Effect.gen(function* () {
      const { exit, name, second } = yield* race({ waits: "for the row", first: "is refused" })
      const performed = Result.getOrThrow(second)
      assert.deepInclude(performed, { text: '{"data":"Second"}', replayed: false })
      assert.strictEqual(name, "Second")
      // The failed request looks for a record of its key, which the second one may have stored by then.
      const answers = [Result.fail(new Refused()), Result.succeed({ ...performed, replayed: true })]
      assert.deepInclude(answers, yield* Effect.result(exit))
    })
  )
})

layer(KeyedTest, { excludeTestServices: true, timeout: "60 seconds" })(
  "Concurrent requests with the same key",
  (it) => {
    it.effect("one request is performed, and the others receive its response, even if their own write would fail", () =>
      Effect.gen(function* () {
        const installation = yield* installed
        const inOtherProcess = yield* otherProcess
        const answers = yield* Effect.forEach(
          indexes,
          (index) => {
            const answer = once(installation, "one", renameOnce(installation))
            return index % 2 === 0 ? answer : Effect.provide(answer, inOtherProcess)
          },
          { concurrency: "unbounded" }
        )
        for (const { text } of answers) assert.strictEqual(text, '{"data":"Done"}')
        assert.lengthOf(
          answers.filter(({ replayed }) => !replayed),
          1
        )
        const reused = yield* Effect.flip(once(installation, "one", renameOnce(installation), "another body"))
        assert.strictEqual(reused._tag, "KeyReused")
        assert.instanceOf(yield* Effect.flip(once(installation, "two", renameOnce(installation))), Refused)
      })
    )

    it.effect(
      "one request is performed after the record has expired, and the others receive its response or their own error",
      () =>
        Effect.gen(function* () {
          const installation = yield* installed
          yield* once(installation, "one", renameStore(installation, "Old"))
          yield* expire(installation)
          const inOtherProcess = yield* otherProcess
          const answers = yield* Effect.forEach(
            indexes,
            (index) => {
              const name = `Name ${index}`
              const isRefused = index % 4 === 3
              const write = renameStore(installation, name, () =>
                isRefused ? Effect.fail(new Refused()) : Effect.void
              )
              const answer = Effect.result(once(installation, "one", write))
              return Effect.map(index % 2 === 0 ? answer : Effect.provide(answer, inOtherProcess), (answer) => ({
                answer,
                isRefused
              }))
            },
            { concurrency: "unbounded" }
          )
          const body = `{"data":"${(yield* nameOf(installation)) ?? ""}"}`
          for (const { answer, isRefused } of answers) {
            if (Result.isSuccess(answer)) assert.strictEqual(answer.success.text, body)
            else assert.isTrue(isRefused && answer.failure instanceof Refused)
          }
          assert.lengthOf(
            answers.filter(({ answer }) => Result.isSuccess(answer) && !answer.success.replayed),
            1
          )
          assert.lengthOf(yield* recordsOf(installation), 1)
        })
    )

    it.effect("only the stored large response counts towards the limit", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const installation = yield* installed
        const answers = yield* Effect.forEach(
          indexes,
          (index) =>
            Effect.result(
              once(installation, "one", renameStore(installation, "x".repeat(LARGE_RESPONSE + index)), `body ${index}`)
            ),
          { concurrency: "unbounded" }
        )
        const [storedLength, ...others] = answers.filter(Result.isSuccess).map(({ success }) => success.text.length)
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(yield* sql`select bytes from large_responses where actor_id = ${installation.id}`, [
          { bytes: storedLength }
        ])
      })
    )
  }
)

layer(KeyedTest, { excludeTestServices: true, timeout: "60 seconds" })("Lost responses", (it) => {
  it.effect("a repeated request receives the stored response if the connection broke during the commit", () =>
    Effect.gen(function* () {
      const installation = yield* installed
      const { release, watcher } = yield* lockWrite(installation)
      // The commit of a rename waits for the row of the installation, which the brake locks.
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        create function wait_for_installation() returns trigger language plpgsql as $$
          begin perform from installations where store_id = new.id for update; return null; end
        $$
      `
      yield* sql`
        create constraint trigger renamed after update on stores deferrable initially deferred
        for each row execute function wait_for_installation()
      `
      const { freeze, thaw, url } = yield* wayTo(yield* databaseUrl)
      const onUnreliableConnection = yield* Layer.build(
        Layer.fresh(
          Layer.provideMerge(
            Layer.provide(IdempotencyLive, RepositoriesLive),
            postgres({ url: Redacted.make(url), maxConnections: 1 })
          )
        )
      )
      const write = (name: string) =>
        Effect.provide(once(installation, "one", renameStore(installation, name)), onUnreliableConnection)
      const request = yield* Effect.forkChild(Effect.exit(write("First")))
      yield* waitForLockWaits(watcher, 1)
      freeze()
      yield* release
      thaw()
      const exit = yield* Fiber.join(request)
      assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof Unavailable)
      assert.deepInclude(yield* write("Second"), { text: '{"data":"First"}', replayed: true })
      assert.strictEqual(yield* nameOf(installation), "First")
    })
  )
})
