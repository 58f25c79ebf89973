import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { paced } from "../../src/domain/Pacing.ts"

const WORK = 30

/** Keeps the thread busy, and answers from when to when. */
const work = Effect.sync(() => {
  const from = performance.now()
  while (performance.now() - from < WORK);
  return { from, to: performance.now() }
})

it.live("paced work runs one at a time, and leaves the thread to others for as long as it took", () =>
  Effect.gen(function* () {
    const spans = yield* Effect.all([paced(work), paced(work), paced(work)], { concurrency: "unbounded" })
    const [first, second, third] = spans.toSorted((one, other) => one.from - other.from)
    assert.isAtLeast((second?.from ?? 0) - (first?.to ?? 0), WORK - 2)
    assert.isAtLeast((third?.from ?? 0) - (second?.to ?? 0), WORK - 2)
  })
)

it.live("paced work that fails lets the next one run", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* Effect.flip(paced(Effect.fail("refused"))), "refused")
    assert.isAtLeast((yield* paced(work)).to, 0)
  })
)

it.effect("paced work lets the next one run whatever clock its fiber has", () =>
  Effect.gen(function* () {
    yield* paced(work)
    assert.isAtLeast((yield* paced(work)).to, 0)
  })
)
