import { assert, effect, it } from "@effect/vitest"
import * as FastCheck from "fast-check"

it("a test without a layer runs without the layer of the file before", () => {
  assert.strictEqual(it.effect, effect)
})

it("properties see the same values each time", () => {
  const [seen, again]: [Array<number>, Array<number>] = [[], []]
  FastCheck.assert(FastCheck.property(FastCheck.integer(), (n) => void seen.push(n)))
  FastCheck.assert(FastCheck.property(FastCheck.integer(), (n) => void again.push(n)))
  assert.isAbove(new Set(seen).size, 50)
  assert.deepStrictEqual(again, seen)
})
