import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { boundedRecord } from "../../../src/domain/json/Bounded.ts"
import { Amount, CurrencyCode, nullable, OpaqueJson, text, trimmed } from "../../../src/domain/catalog/Fields.ts"
import { CreateProduct, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import { compileDecoder, decodeWith } from "../../../src/domain/json/Decoder.ts"
import { Uuid } from "../../../src/domain/Uuid.ts"
import { randomPatch, randomProduct } from "../../data/RandomProducts.ts"

const issuesOf = <A, I>(schema: Schema.Codec<A, I>, input: unknown, strict = true) =>
  Result.match(decodeWith(schema)(input, strict), {
    onFailure: ({ issues }) => issues ?? [],
    onSuccess: () => []
  })

const Point = Schema.Struct({ x: Schema.Int, y: Schema.optionalKey(Schema.Int) })

const junk = fc.oneof(
  fc.constantFrom<unknown>(null, "", "1", " a ", 0, -1, 1.5, true, [], {}, [1], { a: 1 }),
  fc.jsonValue({ maxDepth: 2 })
)

/** Valid values, values with one member changed, added or removed, and junk. */
const nearValid = (valid: fc.Arbitrary<object>): fc.Arbitrary<unknown> =>
  fc.oneof(
    valid,
    fc.tuple(valid, junk, fc.nat(), fc.boolean()).map(([value, other, place, isGone]) => {
      const names = [...Object.keys(value), "other"]
      const name = names[place % names.length] ?? "other"
      const { [name]: _, ...rest } = Object.fromEntries(Object.entries(value))
      return isGone ? rest : { ...rest, [name]: other }
    }),
    junk
  )

const UNKNOWN = /: is not a field that can be set$/

describe("Decoders", () => {
  it("unknown members are dropped, and each is reported in strict mode", () => {
    const input = { x: 1, z: 2, zz: 3 }
    assert.deepStrictEqual(Result.getOrThrow(compileDecoder(Point)(input)), { x: 1 })
    assert.deepStrictEqual(issuesOf(Point, input), [
      "z: is not a field that can be set",
      "zz: is not a field that can be set"
    ])
  })

  it.each([
    ["CreateProduct", CreateProduct, randomProduct],
    ["UpdateProduct", UpdateProduct, randomPatch]
  ] as const)("strict and lenient mode report the same issues of known members: %s", (_, schema, valid) => {
    const counts = { valid: 0, invalid: 0 }
    fc.assert(
      fc.property(nearValid(valid), (input) => {
        const lines = issuesOf(schema, input, false)
        counts[lines.length === 0 ? "valid" : "invalid"] += 1
        assert.deepStrictEqual(
          issuesOf(schema, input).filter((line) => !UNKNOWN.test(line)),
          lines
        )
      }),
      { numRuns: 300 }
    )
    assert.isAbove(counts.valid, 20)
    assert.isAbove(counts.invalid, 20)
  })

  it("decoding a decoded product does not change it", () => {
    fc.assert(
      fc.property(randomProduct, (product) => {
        assert.deepStrictEqual(Result.getOrThrow(decodeWith(CreateProduct)(product, true)), product)
      })
    )
  })
})

describe("Issues", () => {
  it("every error has an issue with its path", () => {
    const Many = Schema.Struct({ points: Schema.Array(Point), name: trimmed(3) })
    assert.deepStrictEqual(issuesOf(Many, { points: [{}, { x: 1, y: 2, z: 3 }, { x: 1 }] }), [
      "points.0.x: is missing",
      "points.1.z: is not a field that can be set",
      "name: is missing"
    ])
  })

  it("a text has the same message for every error", () => {
    for (const input of [1, null, "", "   ", "abcd", " abcd "]) {
      assert.deepStrictEqual(issuesOf(trimmed(3), input), ["must be text of 1 to 3 characters"])
    }
    for (const input of [1, null, "", "EU", "EURO"]) {
      assert.deepStrictEqual(issuesOf(CurrencyCode, input), ["must be a current currency code of ISO 4217, as in EUR"])
    }
  })

  it("a nullable value has the message of the value", () => {
    const message = "must be text of at most 2 characters"
    for (const input of [1, true, "abc", {}]) {
      assert.deepStrictEqual(issuesOf(nullable(text(2), "", "ab"), input), [message])
    }
    assert.match(issuesOf(Schema.NullOr(Uuid), 1).join("|"), /^must be a UUID, as in [0-9a-f-]+$/)
    assert.deepStrictEqual(issuesOf(Schema.NullOr(boundedRecord(text(2))), 1), ["must be an object"])
    assert.deepStrictEqual(issuesOf(Schema.NullOr(boundedRecord(text(2))), { a: "abc" }), [`a: ${message}`])
  })

  it("a union has its own message, or else those of its members", () => {
    for (const input of [1, "{}", null, [1]]) {
      assert.deepStrictEqual(issuesOf(OpaqueJson, input), ["must be an object or a list of objects"])
    }
    assert.deepStrictEqual(issuesOf(Schema.Union([text(2), Amount]), {}), [
      "must be text of at most 2 characters",
      "must be a number from 0 to 999999999999999"
    ])
    assert.deepStrictEqual(issuesOf(Schema.Literals(["a", "b"]).annotate({ message: "must be a or b" }), "c"), [
      "must be a or b"
    ])
  })

  it("a schema without a message has a default message that does not repeat the input", () => {
    assert.deepStrictEqual(issuesOf(Schema.Literals(["a", "b"]), "c"), ["must be a, or must be b"])
    assert.deepStrictEqual(issuesOf(Point, { x: "secret" }), ["x: must be a number"])
  })
})
