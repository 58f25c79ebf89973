import { assert, effect, it, scoped } from "@effect/vitest"
import { Effect, FastCheck } from "effect"

it("a test without a layer runs without the layer of the file before", () => {
  assert.strictEqual(it.effect, effect)
  assert.strictEqual(it.scoped, scoped)
})

const seen = { assert: [] as Array<number>, prop: [] as Array<number>, effect: [] as Array<number> }

it.prop("a property of it.prop runs with the seed of the run", [FastCheck.integer()], ([n]) => void seen.prop.push(n))

it.effect.prop("a property of it.effect.prop runs with the seed of the run", [FastCheck.integer()], ([n]) =>
  Effect.sync(() => void seen.effect.push(n))
)

it("properties see the same values each time", () => {
  FastCheck.assert(FastCheck.property(FastCheck.integer(), (n) => void seen.assert.push(n)))
  assert.isAbove(new Set(seen.assert).size, 50)
  assert.deepStrictEqual(seen.prop, seen.assert)
  assert.deepStrictEqual(seen.effect, seen.assert)
})
