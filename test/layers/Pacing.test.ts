import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Pacing, unpaced } from "../../src/domain/Pacing.ts"
import { makePaced, PacingLive } from "../../src/layers/Pacing.ts"

const WORK = 30

/** Blocks the thread for `WORK` milliseconds and returns its start and end. */
const work = Effect.sync(() => {
  const from = performance.now()
  while (performance.now() - from < WORK);
  return { from, to: performance.now() }
})

it.live("paced work runs one at a time, with pauses as long as the work", () =>
  Effect.gen(function* () {
    const paced = yield* makePaced(1)
    const spans = yield* Effect.all([paced(work), paced(work), paced(work)], { concurrency: "unbounded" })
    const [first, second, third] = spans.toSorted((one, other) => one.from - other.from)
    assert.isAtLeast((second?.from ?? 0) - (first?.to ?? 0), WORK - 2)
    assert.isAtLeast((third?.from ?? 0) - (second?.to ?? 0), WORK - 2)
  })
)

it.live("paced work runs after other paced work fails", () =>
  Effect.gen(function* () {
    const paced = yield* makePaced(1)
    assert.strictEqual(yield* Effect.flip(paced(Effect.fail("refused"))), "refused")
    assert.isAtLeast((yield* paced(work)).to, 0)
  })
)

it.effect("paced work runs after other paced work under a test clock", () =>
  Effect.gen(function* () {
    const paced = yield* makePaced(1)
    yield* paced(work)
    assert.isAtLeast((yield* paced(work)).to, 0)
  })
)

it.live("an interrupted task leaves the queue of paced work", () =>
  Effect.gen(function* () {
    const paced = yield* makePaced(1)
    const [started, finished] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const first = yield* Effect.forkChild(
      paced(Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(finished)))
    )
    yield* Deferred.await(started)
    const waiting = yield* Effect.forkChild(paced(Effect.die("It ran")), { startImmediately: true })
    yield* Fiber.interrupt(waiting)
    yield* Deferred.succeed(finished, undefined)
    yield* Fiber.join(first)
    assert.isAtLeast((yield* paced(work)).to, 0)
  })
)

it.effect("work on bodies from 64 Ki characters is paced", () =>
  Effect.gen(function* () {
    const { paceOf } = yield* Pacing
    assert.strictEqual(paceOf(65_535), unpaced)
    assert.notStrictEqual(paceOf(65_536), unpaced)
    assert.strictEqual(paceOf(65_536), paceOf(1_000_000))
  }).pipe(Effect.provide(PacingLive))
)
