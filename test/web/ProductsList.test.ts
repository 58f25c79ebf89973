import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { newProduct, type Product, ProductId } from "../../src/domain/catalog/Product.ts"
import { RateLimitExceeded } from "../../src/domain/RateLimit.ts"
import { uuidV7 } from "../../src/domain/Uuid.ts"
import { EventId, type Changed } from "../../src/rpc/Client.ts"
import { type Outcome, runMany } from "../../src/web/dashboard/products/list/runMany.ts"
import { toggleSelection, matches, parseView } from "../../src/web/dashboard/products/list/listView.ts"
import { reconcile } from "../../src/web/dashboard/products/list/useProducts.ts"

const productOf = (millis: number, version = 1): Product => ({
  ...newProduct(
    { name: `Product ${millis}`, stock: millis },
    { id: ProductId.make(uuidV7(millis)), slug: "", at: new Date(millis), currencyCode: "EUR" }
  ),
  version
})

const changeOf = ({ id }: Product, kind: Changed["kind"], version: number): readonly [string, Changed] => [
  id,
  {
    _tag: "Changed",
    id: EventId.make(uuidV7(1)),
    kind,
    occurredAt: "2026-01-31T09:30:00.000Z",
    actor: { type: "merchant", id: uuidV7(1) },
    surface: "rpc",
    resource: "product",
    resourceId: id,
    version,
    members: []
  }
]

const list = [0, 1, 5, 6].map((millis) => productOf(millis))
const [first, second, third, fourth] = list

const shown = (view: Parameters<typeof matches>[0]) => list.filter(matches(view)).map(({ stock }) => stock)

describe("Product list", () => {
  it("deleted rows are dropped, outdated rows are refetched, and new products are counted", () => {
    assert.isDefined(first && second && third && fourth)
    if (!first || !second || !third || !fourth) return
    const fresh = productOf(9)
    const latest = new Map([
      changeOf(first, "deleted", 1),
      changeOf(second, "updated", 2),
      changeOf(third, "updated", 1),
      changeOf(fresh, "created", 1)
    ])
    const whole = reconcile(list, latest, true)
    assert.deepStrictEqual([whole.rows, [...whole.outdated], whole.created], [[second, third, fourth], [second.id], 1])
    assert.strictEqual(reconcile(list, latest, false).created, 0)
    assert.strictEqual(reconcile(list, new Map(), true).rows, list)
  })

  it("filters match stock and status, and a selection extends over a range", () => {
    assert.deepStrictEqual(shown({ stock: "out" }), [0])
    assert.deepStrictEqual(shown({ stock: "low" }), [1, 5])
    assert.deepStrictEqual(shown({ stock: "in", status: "inactive" }), [])
    assert.deepStrictEqual(parseView({ status: "nonsense" }), {})
    assert.deepStrictEqual([...toggleSelection(new Set([3]), [0, 1, 2, 3], 2, 0, true)], [3, 0, 1, 2])
    assert.deepStrictEqual([...toggleSelection(new Set([0, 3]), [0, 1, 2, 3], 0, 3, false)], [0])
  })
})

/** A run of eight writes that records their outcomes and its waits. */
const run = (write: (item: number) => Effect.Effect<unknown, Error>, isStopped = () => false) => {
  const outcomes: Array<Outcome<number, Error>> = []
  const waits: Array<number | undefined> = []
  const running = runMany({
    items: [0, 1, 2, 3, 4, 5, 6, 7],
    write,
    onOutcome: (outcome) => void outcomes.push(outcome),
    onWait: (seconds) => void waits.push(seconds),
    isStopped
  })
  return { outcomes, waits, running }
}

describe("Bulk writes", () => {
  it.effect("all writes wait for Retry-After when the rate limit is exceeded, and then continue", () =>
    Effect.gen(function* () {
      const attempts: Array<number> = []
      const { outcomes, running, waits } = run((item) =>
        Effect.suspend(() => {
          attempts.push(item)
          return attempts.length === 3 ? new RateLimitExceeded({ retryAfter: 20 }) : Effect.void
        })
      )
      const fiber = yield* Effect.forkChild(running)
      yield* TestClock.adjust("19 seconds")
      const before = attempts.length
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(fiber)
      assert.isBelow(before, 8)
      assert.strictEqual(attempts.length, 9)
      assert.isTrue(waits.includes(20) && waits.at(-1) === undefined)
      assert.deepStrictEqual(outcomes.map(({ item }) => item).toSorted(), [0, 1, 2, 3, 4, 5, 6, 7])
      assert.isTrue(outcomes.every(({ result }) => Result.isSuccess(result)))
    })
  )

  it.effect("each write reports its outcome, and none starts after a stop", () =>
    Effect.gen(function* () {
      const failure = new Error("Refused")
      let started = 0
      const { outcomes, running } = run(
        () => Effect.suspend(() => (started++ === 1 ? Effect.fail(failure) : Effect.void)),
        () => started >= 2
      )
      yield* running
      assert.deepStrictEqual(
        outcomes.map(({ result }) => Result.isFailure(result)),
        [false, true]
      )
    })
  )
})
