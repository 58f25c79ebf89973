import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { boundedRecord } from "../../../src/domain/json/Bounded.ts"
import {
  Amount,
  CurrencyCode,
  nullable,
  OpaqueJson,
  openStruct,
  text,
  trimmed
} from "../../../src/domain/catalog/Fields.ts"
import { CreateProduct, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import { compileDecoder, decodeWith } from "../../../src/domain/json/Decoder.ts"
import { ExactNumber, parse, stringify } from "../../../src/domain/json/Json.ts"
import { Uuid } from "../../../src/domain/Uuid.ts"
import { randomPatch, randomProduct } from "../../data/RandomProducts.ts"

const issuesOf = <A, I>(schema: Schema.Codec<A, I>, given: unknown, strict = true) =>
  Result.match(decodeWith(schema)(given, strict), {
    onFailure: ({ issues }) => issues ?? [],
    onSuccess: () => []
  })

const Point = Schema.Struct({ x: Schema.Int, y: Schema.optionalKey(Schema.Int) })

const junk = fc.oneof(
  fc.constantFrom<unknown>(null, "", "1", " a ", 0, -1, 1.5, true, [], {}, [1], { a: 1 }, new ExactNumber("1e400")),
  fc.jsonValue({ maxDepth: 2 })
)

/** Values as they are right, and those with one member changed, added or taken away. */
const around = (right: fc.Arbitrary<object>): fc.Arbitrary<unknown> =>
  fc.oneof(
    right,
    fc.tuple(right, junk, fc.nat(), fc.boolean()).map(([value, other, place, isGone]) => {
      const names = [...Object.keys(value), "other"]
      const name = names[place % names.length] ?? "other"
      const { [name]: _, ...rest } = Object.fromEntries(Object.entries(value))
      return isGone ? rest : { ...rest, [name]: other }
    }),
    junk
  )

const UNKNOWN = /: is not a field that can be set$/

describe("A decoder", () => {
  it("drops members that the schema does not have, and names each of them when it is strict", () => {
    const given = { x: 1, z: 2, zz: 3 }
    assert.deepStrictEqual(Result.getOrThrow(compileDecoder(Point)(given)), { x: 1 })
    assert.deepStrictEqual(issuesOf(Point, given), [
      "z: is not a field that can be set",
      "zz: is not a field that can be set"
    ])
  })

  it.each([
    ["CreateProduct", CreateProduct, randomProduct],
    ["UpdateProduct", UpdateProduct, randomPatch]
  ] as const)("finds the same wrong with known members, whether it is strict or not: %s", (_, schema, right) => {
    const seen = { right: 0, wrong: 0 }
    fc.assert(
      fc.property(around(right), (given) => {
        const lines = issuesOf(schema, given, false)
        seen[lines.length === 0 ? "right" : "wrong"] += 1
        assert.deepStrictEqual(
          issuesOf(schema, given).filter((line) => !UNKNOWN.test(line)),
          lines
        )
      }),
      { numRuns: 300 }
    )
    assert.isAbove(seen.right, 20)
    assert.isAbove(seen.wrong, 20)
  })

  it("takes again what it made of a product, unchanged", () => {
    fc.assert(
      fc.property(randomProduct, (product) => {
        assert.deepStrictEqual(Result.getOrThrow(decodeWith(CreateProduct)(product, true)), product)
      })
    )
  })
})

describe("Issues", () => {
  it("name all that is wrong, each at its place", () => {
    const Many = Schema.Struct({ points: Schema.Array(Point), name: trimmed(3) })
    assert.deepStrictEqual(issuesOf(Many, { points: [{}, { x: 1, y: 2, z: 3 }, { x: 1 }] }), [
      "points.0.x: is missing",
      "points.1.z: is not a field that can be set",
      "name: is missing"
    ])
  })

  it("have one message for a text, whatever is wrong with it", () => {
    for (const given of [1, null, "", "   ", "abcd", " abcd "]) {
      assert.deepStrictEqual(issuesOf(trimmed(3), given), ["must be text of 1 to 3 characters"])
    }
    for (const given of [1, null, "", "EU", "EURO"]) {
      assert.deepStrictEqual(issuesOf(CurrencyCode, given), ["must be a currency code of ISO 4217, as in EUR"])
    }
  })

  it("have the message of the value where it may be null", () => {
    const wanted = "must be text of at most 2 characters"
    for (const given of [1, true, "abc", {}]) {
      assert.deepStrictEqual(issuesOf(nullable(text(2), "", "ab"), given), [wanted])
    }
    assert.match(issuesOf(Schema.NullOr(Uuid), 1).join("|"), /^must be a UUID, as in [0-9a-f-]+$/)
    assert.deepStrictEqual(issuesOf(Schema.NullOr(boundedRecord(text(2))), 1), ["must be an object"])
    assert.deepStrictEqual(issuesOf(Schema.NullOr(boundedRecord(text(2))), { a: "abc" }), [`a: ${wanted}`])
  })

  it("have the message of a union that has one, and else those of its members", () => {
    for (const given of [1, "{}", null, [1], new ExactNumber("0.10000000000000000001")]) {
      assert.deepStrictEqual(issuesOf(OpaqueJson, given), ["must be an object or a list of objects"])
    }
    assert.deepStrictEqual(issuesOf(Schema.Union([text(2), Amount]), {}), [
      "must be a number from 0 to 999999999999999"
    ])
    assert.deepStrictEqual(issuesOf(Schema.Literals(["a", "b"]).annotate({ message: "must be a or b" }), "c"), [
      "must be a or b"
    ])
  })

  it("have the library's words where a schema has no message, and do not repeat what was sent", () => {
    assert.deepStrictEqual(issuesOf(Schema.Literals(["a", "b"]), "c"), ['Expected "a" | "b"'])
    assert.deepStrictEqual(issuesOf(Point, { x: "secret" }), ["x: Expected number"])
  })
})

describe("Numbers", () => {
  it("keep their digits through the JSON codec of RPC, also where any JSON may stand", () => {
    const codec = Schema.toCodecJson(
      Schema.Struct({ price: Amount, rest: openStruct({ weight: Amount }), opaque: OpaqueJson })
    )
    const sent =
      '{"price":0.10000000000000000001,"rest":{"weight":2,"more":[1.0000000000000000001]},"opaque":{"a":{"b":1e-30}}}'
    const decoded = Schema.decodeUnknownSync(codec)(parse(sent))
    assert.strictEqual(stringify(decoded), stringify(parse(sent)))
    assert.strictEqual(stringify(Schema.encodeSync(codec)(decoded)), stringify(parse(sent)))
  })

  it("are no objects, though they are kept as such", () => {
    assert.deepStrictEqual(issuesOf(openStruct({}), parse("0.10000000000000000001")), ["must be an object"])
  })
})
