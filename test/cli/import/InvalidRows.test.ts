import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { countsOf, importScene, linesIn } from "../../support/data/Imports.ts"
import { INVALID_PRODUCTS, MANY_PARTS } from "../../support/http/InvalidBodies.ts"

it.live("a row with many errors is rejected with at most 100 reasons", () =>
  Effect.gen(function* () {
    const { bring, fileOf } = yield* importScene()
    const { "900 unknown fields": _, ...invalid } = INVALID_PRODUCTS
    const bodies = Object.entries({ ...invalid, ...MANY_PARTS })
    const file = fileOf("wrong", [
      { externalId: "cup", name: "Cup" },
      ...bodies.map(([, { json }]) => json.replace("{", '{"externalId":"wrong",'))
    ])
    assert.deepStrictEqual(countsOf(yield* bring("products", file)), [1, 0, 0, bodies.length])
    const rejected = yield* Schema.decodeUnknownEffect(
      Schema.Array(Schema.Struct({ line: Schema.Int, reason: Schema.String }))
    )(linesIn(`${file}.refused.jsonl`))
    assert.lengthOf(rejected, bodies.length)
    for (const { line, reason } of rejected) {
      const [name, { last }] = bodies[line - 2] ?? ["none", { last: /^$/ }]
      const reasons = reason.split("; ")
      assert.isAtMost(reasons.length, 100, name)
      assert.match(reasons.at(-1) ?? "", new RegExp(last), name)
    }
  })
)
