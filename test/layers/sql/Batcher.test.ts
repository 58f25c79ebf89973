import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Schema } from "effect"
import { Unavailable } from "../../../src/domain/Unavailable.ts"
import { makeBatcher } from "../../../src/layers/sql/Batcher.ts"

const Row = Schema.Struct({ place: Schema.Int, found: Schema.String })

const eventLoopTurns = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
}).pipe(Effect.repeat({ times: 4 }))

/** A fake database that returns rows on request, in the order of the statements. */
const makeManualDatabase = (maxConcurrent = 1) => {
  const sent: Array<{ readonly text: string; readonly done: (rows: Exit.Exit<ReadonlyArray<unknown>>) => void }> = []
  const statements: Array<string> = []
  const batch = makeBatcher(maxConcurrent)
  const kind = (name: string) =>
    batch(
      (requests: ReadonlyArray<string>) =>
        Effect.callback<ReadonlyArray<unknown>>((resume) => {
          statements.push(`${name}: ${String(requests)}`)
          sent.push({ text: name, done: resume })
        }),
      Row
    )
  const answer = (rows: ReadonlyArray<unknown>) =>
    Effect.andThen(
      Effect.sync(() => sent.shift()?.done(Exit.succeed(rows))),
      eventLoopTurns
    )
  const fail = (defect: Error) =>
    Effect.andThen(
      Effect.sync(() => sent.shift()?.done(Exit.die(defect))),
      eventLoopTurns
    )
  return { statements, kind, answer, fail }
}

const atOnce = <A>(work: ReadonlyArray<Effect.Effect<A>>) =>
  Effect.forkChild(Effect.forEach(work, Effect.exit, { concurrency: "unbounded" }))

describe("Batched requests", () => {
  it.live("a second statement runs beside a slow one, up to the concurrency limit", () =>
    Effect.gen(function* () {
      const { answer, statements, kind } = makeManualDatabase(2)
      const find = yield* kind("kin")
      const [first, second, third] = yield* Effect.all([atOnce([find("a")]), atOnce([find("b")]), atOnce([find("c")])])
      yield* eventLoopTurns
      yield* eventLoopTurns
      assert.deepStrictEqual(statements, ["kin: a,b,c"])
      const next = yield* atOnce([find("d")])
      while (statements.length === 1) yield* eventLoopTurns
      assert.deepStrictEqual(statements, ["kin: a,b,c", "kin: d"])
      const last = yield* atOnce([find("e")])
      for (let n = 0; n < 20; n++) yield* Effect.andThen(eventLoopTurns, Effect.sleep("1 millis"))
      assert.lengthOf(statements, 2)
      for (let n = 0; n < 3; n++) yield* answer([])
      yield* Effect.forEach([first, second, third, next, last], Fiber.join)
      assert.deepStrictEqual(statements.slice(2), ["kin: e"])
    })
  )

  it.effect("concurrent requests share a statement, and each receives the row of its place", () =>
    Effect.gen(function* () {
      const { answer, statements, kind } = makeManualDatabase()
      const find = yield* kind("kin")
      const answers = yield* atOnce(["a", "b", "c"].map(find))
      yield* eventLoopTurns
      yield* eventLoopTurns
      assert.deepStrictEqual(statements, ["kin: a,b,c"])
      yield* answer([
        { place: 3, found: "C" },
        { place: 1, found: "A" }
      ])
      assert.deepStrictEqual(yield* Fiber.join(answers), [
        Exit.succeed(Option.some({ place: 1, found: "A" })),
        Exit.succeed(Option.none()),
        Exit.succeed(Option.some({ place: 3, found: "C" }))
      ])
    })
  )

  it.effect("kinds of requests take turns, with at most 100 requests per statement", () =>
    Effect.gen(function* () {
      const { answer, statements, kind } = makeManualDatabase()
      const [one, other] = [yield* kind("one"), yield* kind("other")]
      const first = yield* atOnce([one("1")])
      yield* eventLoopTurns
      yield* eventLoopTurns
      const ids = Array.from({ length: 101 }, (_, n) => String(n))
      const rest = yield* atOnce([...ids.map(one), other("2")])
      yield* eventLoopTurns
      yield* eventLoopTurns
      assert.deepStrictEqual(statements, ["one: 1"])
      for (let n = 0; n < 4; n++) yield* answer([])
      yield* Fiber.join(first)
      yield* Fiber.join(rest)
      assert.deepStrictEqual(statements.slice(1), ["other: 2", `one: ${ids.slice(0, 100).join(",")}`, "one: 100"])
    })
  )

  it.effect("a failed statement is retried in halves, so that only the failing requests fail", () =>
    Effect.gen(function* () {
      const { answer, statements, fail, kind } = makeManualDatabase()
      const find = yield* kind("kin")
      const broken = new Error("broken")
      const answers = yield* atOnce(["a", "b", "c"].map(find))
      yield* eventLoopTurns
      yield* eventLoopTurns
      yield* fail(broken)
      yield* answer([{ place: 2, found: "B" }])
      yield* fail(broken)
      assert.deepStrictEqual(yield* Fiber.join(answers), [
        Exit.succeed(Option.none()),
        Exit.succeed(Option.some({ place: 2, found: "B" })),
        Exit.die(broken)
      ])
      assert.deepStrictEqual(statements, ["kin: a,b,c", "kin: a,b", "kin: c"])
    })
  )

  it.effect("requests fail without a retry while the database is unreachable, and later requests run", () =>
    Effect.gen(function* () {
      const { answer, statements, fail, kind } = makeManualDatabase()
      const find = yield* kind("kin")
      const outage = new Unavailable({ cause: new Error("outage") })
      const failed = yield* atOnce([find("a"), find("b")])
      yield* eventLoopTurns
      yield* eventLoopTurns
      yield* fail(outage)
      assert.deepStrictEqual(yield* Fiber.join(failed), [Exit.die(outage), Exit.die(outage)])
      const later = yield* atOnce([find("c")])
      yield* eventLoopTurns
      yield* eventLoopTurns
      yield* answer([])
      assert.deepStrictEqual(yield* Fiber.join(later), [Exit.succeed(Option.none())])
      assert.deepStrictEqual(statements, ["kin: a,b", "kin: c"])
    })
  )

  it.effect("a row that cannot be decoded fails only its own request", () =>
    Effect.gen(function* () {
      const { answer, kind } = makeManualDatabase()
      const find = yield* kind("kin")
      const answers = yield* atOnce(["a", "b", "c"].map(find))
      yield* eventLoopTurns
      yield* eventLoopTurns
      yield* answer([{ place: 1, found: 1 }, { place: "second" }, { place: 3, found: "C" }])
      const [first, second, third] = yield* Fiber.join(answers)
      assert.isTrue(first !== undefined && Exit.isFailure(first))
      assert.deepStrictEqual(second, Exit.succeed(Option.none()))
      assert.deepStrictEqual(third, Exit.succeed(Option.some({ place: 3, found: "C" })))
    })
  )
})
