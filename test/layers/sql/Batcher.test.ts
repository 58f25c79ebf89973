import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Schema } from "effect"
import { Unavailable } from "../../../src/domain/Unavailable.ts"
import { makeBatcher } from "../../../src/layers/sql/Batcher.ts"

const Row = Schema.Struct({ place: Schema.Int, found: Schema.String })

const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
}).pipe(Effect.repeat({ times: 4 }))

/** A database that answers when it is told to, first what was sent first. */
const makeSlow = (most = 1) => {
  const sent: Array<{ readonly text: string; readonly done: (rows: Exit.Exit<ReadonlyArray<unknown>>) => void }> = []
  const asked: Array<string> = []
  const batch = makeBatcher(most)
  const kind = (name: string) =>
    batch(
      (requests: ReadonlyArray<string>) =>
        Effect.callback<ReadonlyArray<unknown>>((resume) => {
          asked.push(`${name}: ${String(requests)}`)
          sent.push({ text: name, done: resume })
        }),
      Row
    )
  const answer = (rows: ReadonlyArray<unknown>) =>
    Effect.andThen(
      Effect.sync(() => sent.shift()?.done(Exit.succeed(rows))),
      turn
    )
  const fail = (defect: Error) =>
    Effect.andThen(
      Effect.sync(() => sent.shift()?.done(Exit.die(defect))),
      turn
    )
  return { asked, kind, answer, fail }
}

const atOnce = <A>(work: ReadonlyArray<Effect.Effect<A>>) =>
  Effect.forkChild(Effect.forEach(work, Effect.exit, { concurrency: "unbounded" }))

describe("questions asked together", () => {
  it.live("go beside a statement that is slow, one at a time and no more of them than may", () =>
    Effect.gen(function* () {
      const { answer, asked, kind } = makeSlow(2)
      const ask = yield* kind("kin")
      const [first, second, third] = yield* Effect.all([atOnce([ask("a")]), atOnce([ask("b")]), atOnce([ask("c")])])
      yield* turn
      yield* turn
      assert.deepStrictEqual(asked, ["kin: a,b,c"])
      const next = yield* atOnce([ask("d")])
      while (asked.length === 1) yield* turn
      assert.deepStrictEqual(asked, ["kin: a,b,c", "kin: d"])
      const last = yield* atOnce([ask("e")])
      for (let n = 0; n < 20; n++) yield* Effect.andThen(turn, Effect.sleep("1 millis"))
      assert.lengthOf(asked, 2)
      for (let n = 0; n < 3; n++) yield* answer([])
      yield* Effect.forEach([first, second, third, next, last], Fiber.join)
      assert.deepStrictEqual(asked.slice(2), ["kin: e"])
    })
  )

  it.effect("share a statement, and each gets the row of its place", () =>
    Effect.gen(function* () {
      const { answer, asked, kind } = makeSlow()
      const ask = yield* kind("kin")
      const answers = yield* atOnce(["a", "b", "c"].map(ask))
      yield* turn
      yield* turn
      assert.deepStrictEqual(asked, ["kin: a,b,c"])
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

  it.effect("of several kinds take the lanes in turn, and wait in a line of at most 100 a statement", () =>
    Effect.gen(function* () {
      const { answer, asked, kind } = makeSlow()
      const [one, other] = [yield* kind("one"), yield* kind("other")]
      const first = yield* atOnce([one("1")])
      yield* turn
      yield* turn
      const many = Array.from({ length: 101 }, (_, n) => String(n))
      const rest = yield* atOnce([...many.map(one), other("2")])
      yield* turn
      yield* turn
      assert.deepStrictEqual(asked, ["one: 1"])
      for (let n = 0; n < 4; n++) yield* answer([])
      yield* Fiber.join(first)
      yield* Fiber.join(rest)
      assert.deepStrictEqual(asked.slice(1), ["other: 2", `one: ${many.slice(0, 100).join(",")}`, "one: 100"])
    })
  )

  it.effect("of a statement that fails are asked by halves, and fail with what they fail of alone", () =>
    Effect.gen(function* () {
      const { answer, asked, fail, kind } = makeSlow()
      const ask = yield* kind("kin")
      const broken = new Error("broken")
      const answers = yield* atOnce(["a", "b", "c"].map(ask))
      yield* turn
      yield* turn
      yield* fail(broken)
      yield* answer([{ place: 2, found: "B" }])
      yield* fail(broken)
      assert.deepStrictEqual(yield* Fiber.join(answers), [
        Exit.succeed(Option.none()),
        Exit.succeed(Option.some({ place: 2, found: "B" })),
        Exit.die(broken)
      ])
      assert.deepStrictEqual(asked, ["kin: a,b,c", "kin: a,b", "kin: c"])
    })
  )

  it.effect("fail at once while the database is out of reach, and the next ones are asked", () =>
    Effect.gen(function* () {
      const { answer, asked, fail, kind } = makeSlow()
      const ask = yield* kind("kin")
      const away = new Unavailable({ cause: new Error("away") })
      const failed = yield* atOnce([ask("a"), ask("b")])
      yield* turn
      yield* turn
      yield* fail(away)
      assert.deepStrictEqual(yield* Fiber.join(failed), [Exit.die(away), Exit.die(away)])
      const fine = yield* atOnce([ask("c")])
      yield* turn
      yield* turn
      yield* answer([])
      assert.deepStrictEqual(yield* Fiber.join(fine), [Exit.succeed(Option.none())])
      assert.deepStrictEqual(asked, ["kin: a,b", "kin: c"])
    })
  )

  it.effect("are each answered by a row of their own: one that cannot be read fails one of them", () =>
    Effect.gen(function* () {
      const { answer, kind } = makeSlow()
      const ask = yield* kind("kin")
      const answers = yield* atOnce(["a", "b", "c"].map(ask))
      yield* turn
      yield* turn
      yield* answer([{ place: 1, found: 1 }, { place: "second" }, { place: 3, found: "C" }])
      const [first, second, third] = yield* Fiber.join(answers)
      assert.isTrue(first !== undefined && Exit.isFailure(first))
      assert.deepStrictEqual(second, Exit.succeed(Option.none()))
      assert.deepStrictEqual(third, Exit.succeed(Option.some({ place: 3, found: "C" })))
    })
  )
})
