import { assert, it } from "@effect/vitest"
import { Cause, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { logFailure, OutageLog, Unavailable } from "../../src/domain/Unavailable.ts"

const fail = (message: string) =>
  logFailure(
    "A request failed",
    Cause.die(new Unavailable({ cause: new Error("Query", { cause: new Error(message) }) }))
  )

it.effect("an outage is logged with one line for each reason, and with a count of the other failures each minute", () =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    yield* Effect.gen(function* () {
      for (let time = 0; time < 100; time++) yield* fail("connection refused")
      yield* fail("shutting down")
      for (let number = 0; number < 100; number++) yield* fail(`reason ${number}`)
      assert.lengthOf(lines, 5)
      assert.strictEqual(lines[0], "A request failed, because the database is unavailable: connection refused")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(lines.slice(5), ["The database was unavailable: 196 more failures in the last minute"])
      // After a minute without a failure, the next one begins an outage.
      yield* TestClock.adjust("1 minute")
      yield* fail("connection refused")
      assert.deepStrictEqual(lines.slice(6), lines.slice(0, 1))
    }).pipe(
      Effect.provide(
        Layer.merge(
          Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]),
          Layer.succeed(OutageLog, { reasons: new Set<string>(), failures: 0 })
        )
      )
    )
  })
)
