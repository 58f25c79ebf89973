import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Either, FastCheck as fc, Schema } from "effect"
import { CreateCollection } from "../../src/domain/catalog/Collection.ts"
import { compileDecoder, compileTrustedDecoder } from "../../src/domain/Decoder.ts"
import { CreateProduct, UpdateProduct } from "../../src/domain/catalog/Product.ts"
import { randomPatch, randomProduct } from "../data/RandomProducts.ts"
import { listOf, recordOf } from "../../src/domain/Bounded.ts"
import { Amount, open, Tags, trimmed } from "../../src/domain/catalog/Fields.ts"

class Point extends Schema.Class<Point>("Point")({ x: Schema.Int }) {}

interface Tree {
  readonly branches: ReadonlyArray<Tree>
}
const Tree = Schema.Struct({ branches: Schema.Array(Schema.suspend((): Schema.Schema<Tree> => Tree)) })

const Small = Schema.Struct({ kind: Schema.Literal("small"), size: Schema.Number })
const Large = Schema.Struct({ kind: Schema.Literal("large"), size: Schema.NumberFromString })

/** A kind of each schema that there is, also of those that are left to Schema. */
const kinds: Readonly<Record<string, Schema.Schema.AnyNoContext>> = {
  text: Schema.String,
  "one of some values": Schema.Literal("a", 1, null, true),
  "a number in text": Schema.NumberFromString,
  "text that is made smaller": trimmed(3),
  "a declared type": Amount,
  tags: Tags,
  "an object with members that may be left out": Schema.Struct({
    a: Schema.String,
    b: Schema.optional(Schema.Int),
    c: Schema.optionalWith(Schema.Int, { exact: true }),
    d: Schema.optionalWith(Schema.Int, { default: () => 7 }),
    e: Schema.UndefinedOr(Schema.String)
  }),
  "an object with any others": open({ a: Schema.NumberFromString, b: Schema.Unknown }),
  "an object of members that are alike": recordOf(Schema.Int),
  "an object without members": Schema.Struct({}),
  "members with names of a kind": Schema.Record({ key: Schema.TemplateLiteral("a", Schema.String), value: Schema.Int }),
  "objects that a member tells apart": Schema.Union(Schema.Struct({ size: Schema.Unknown }), Small, Large),
  "an object or none": Schema.NullOr(Small),
  "the first of several choices": Schema.Union(Schema.NumberFromString, Schema.Literal("1"), Schema.String),
  "a list or a record": Schema.Union(recordOf(Schema.Int), listOf(recordOf(Schema.Int))),
  "a pair": Schema.Tuple(Schema.String, Schema.optionalElement(Schema.Int)),
  "a list with an end": Schema.Tuple([], Schema.Int, Schema.String),
  "at least one": Schema.NonEmptyArray(Schema.Int),
  "a class": Point,
  "what holds itself": Tree,
  "a transformation that may fail": Schema.transformLiterals(["a", 1], ["b", 2]),
  "what is taken for something else when it is wrong": Schema.Struct({ a: Schema.Int }).annotations({
    decodingFallback: () => Either.right({ a: 0 })
  }),
  "what is strict by itself": Schema.Struct({ a: Schema.Int }).annotations({
    parseOptions: { onExcessProperty: "error" }
  })
}

const records = fc.dictionary(fc.string(), fc.oneof(fc.integer(), fc.string()))

/** Values like those that are encoded, where the library does not make them of the schema. */
const encodedLike: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  tags: fc.array(fc.string()),
  "an object of members that are alike": records,
  "a list or a record": fc.oneof(records, fc.array(records))
}

const told = (result: Either.Either<unknown, Error>) => Either.mapLeft(result, ({ message }) => message)

const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    "",
    "1",
    "a",
    " a ",
    0,
    1,
    -1,
    1.5,
    true,
    [],
    {},
    [1],
    { a: 1 },
    { size: 1 }
  ),
  fc.constantFrom<unknown>({ kind: "small", size: 1 }, { kind: "large", size: "1" }, { x: 1 }, { branches: [{}] }),
  fc.jsonValue({ maxDepth: 2 })
)

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Values as they are right, those with one member changed, added or taken away, and others. */
const around = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => {
  const changed = fc.tuple(right, junk, fc.nat(), fc.boolean()).map(([value, other, place, isGone]) => {
    if (!isObject(value) || Array.isArray(value)) return other
    const names = [...Object.keys(value), "other"]
    const name = names[place % names.length] ?? "other"
    const { [name]: _, ...rest } = Object.fromEntries(Object.entries(value))
    return isGone ? rest : { ...rest, [name]: other }
  })
  return fc.oneof({ weight: 3, arbitrary: right }, { weight: 3, arbitrary: changed }, { weight: 1, arbitrary: junk })
}

/** Holds both ways against each other; how many of the values were right ones. */
const rightOnes = (schema: Schema.Schema.AnyNoContext, values: fc.Arbitrary<unknown>) => {
  const decode = compileDecoder(schema, { errors: "all" })
  const bySchema = Schema.decodeUnknownEither(schema, { errors: "all" })
  let right = 0
  fc.assert(
    fc.property(around(values), fc.boolean(), (given, isStrict) => {
      const expected = bySchema(given, { onExcessProperty: isStrict ? "error" : "ignore" })
      assert.deepStrictEqual(told(decode(given, isStrict)), told(expected))
      if (Either.isRight(expected)) right++
    }),
    { numRuns: 300 }
  )
  return right
}

/** What a decoder throws at a wrong value. */
const thrownBy = (decode: (given: unknown) => unknown) => {
  try {
    decode({ a: "1" })
    return "nothing"
  } catch (error) {
    return String(error)
  }
}

const collection = fc.record({
  title: fc.constant("Oak"),
  productIds: fc.array(fc.uuid()),
  rules: fc.constant([{ field: "price", relation: "less_than", value: 10 }])
})

describe("A compiled decoder", () => {
  it.each(Object.entries(kinds))("takes and refuses what Schema does: %s", (name, schema) => {
    const encode = Schema.encodeEither(schema)
    const right: fc.Arbitrary<unknown> = Arbitrary.make(schema).map((one) => Either.getOrElse(encode(one), () => one))
    const alike: fc.Arbitrary<unknown> = encodedLike[name] ?? Arbitrary.make(Schema.encodedSchema(schema))
    assert.isAbove(rightOnes(schema, fc.oneof(right, alike)), 0)
  })

  it("takes and refuses what Schema does: bodies of products and collections", () => {
    assert.isAbove(rightOnes(CreateProduct, randomProduct), 0)
    assert.isAbove(rightOnes(UpdateProduct, randomPatch), 0)
    assert.isAbove(rightOnes(CreateCollection, collection), 0)
  })

  it("gives the transformation of a value what was given before it was decoded", () => {
    const pairs = Schema.transformOrFail(Schema.Trim, Schema.Tuple(Schema.String, Schema.String), {
      strict: true,
      decode: (trimmed, _options, _ast, given) => Either.right([trimmed, given] as const),
      encode: ([, given]) => Either.right(given)
    })
    assert.deepStrictEqual(Either.getOrNull(compileDecoder(pairs)(" a ")), ["a", " a "])
  })

  it("throws what Schema throws where only a defect makes a value wrong", () => {
    const schema = Schema.Struct({ a: Schema.Int })
    assert.deepStrictEqual(compileTrustedDecoder(schema)({ a: 1, b: 2 }), { a: 1 })
    assert.strictEqual(thrownBy(compileTrustedDecoder(schema)), thrownBy(Schema.decodeUnknownSync(schema)))
  })
})
