import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, type SchemaAST } from "effect"
import * as fc from "fast-check"
import { boundedArray, boundedRecord } from "../../../src/domain/json/Bounded.ts"
import { field, JsonValue, text, trimmed } from "../../../src/domain/catalog/Fields.ts"
import { ProductIds } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { compileDecoder, decodeWith, issuesOf } from "../../../src/domain/json/Decoder.ts"
import { PutCollection } from "../../../src/domain/imports/Collection.ts"
import { PutCustomer } from "../../../src/domain/records/Customer.ts"
import { PutOrder } from "../../../src/domain/records/Order.ts"
import { PartnerApi } from "../../../src/http/api/PartnerApi.ts"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"

/** A string schema that counts the values that it checks. */
const makeCountingSchema = () => {
  const seen = { count: 0 }
  const schema = Schema.declare((value: unknown): value is string => {
    seen.count += 1
    return typeof value === "string"
  })
  return { seen, schema }
}

const times = <A>(count: number, value: A): ReadonlyArray<A> => Array.from({ length: count }, () => value)

const issues = (result: Result.Result<unknown, { readonly issues?: ReadonlyArray<string> | undefined }>) =>
  Result.isFailure(result) ? (result.failure.issues ?? []) : []

describe("Bounded lists", () => {
  it("a list that is too long is rejected before its items are checked", () => {
    const { schema, seen } = makeCountingSchema()
    const input = { items: [1, ...times(350_000, "x")] }
    assert.deepStrictEqual(issues(decodeWith(Schema.Struct({ items: boundedArray(schema, 10) }))(input, true)), [
      "items: must be a list of at most 10 items"
    ])
    assert.strictEqual(seen.count, 0)
  })

  it("decoding a list stops at 100 issues and reports the number of unchecked items", () => {
    const { schema, seen } = makeCountingSchema()
    const lines = issues(decodeWith(Schema.Struct({ items: boundedArray(schema) }))({ items: times(350_000, 1) }, true))
    assert.strictEqual(seen.count, 100)
    assert.lengthOf(lines, 100)
    assert.deepStrictEqual(lines.slice(-2), [
      "2 more issues are not listed",
      "items.100: not checked from here on: 349,900 values"
    ])
  })

  it("decoding stops when nested lists have 100 issues in total", () => {
    const { schema, seen } = makeCountingSchema()
    const Items = Schema.Struct({ items: boundedArray(boundedArray(schema)) })
    const lines = issues(decodeWith(Items)({ items: times(1000, times(30, 1)) }, true))
    assert.strictEqual(seen.count, 120)
    assert.strictEqual(lines.at(-1), "items.4: not checked from here on: 996 values")
  })

  it("decoding for the first issue stops at the first invalid item", () => {
    const { schema, seen } = makeCountingSchema()
    const result = Schema.decodeUnknownResult(boundedArray(schema))(times(1000, 1))
    assert.strictEqual(seen.count, 1)
    assert.isTrue(Result.isFailure(result) && issuesOf(result.failure).length === 1)
  })
})

describe("Bounded records", () => {
  it("decoding a record stops at 100 issues", () => {
    const { schema, seen } = makeCountingSchema()
    const input = Object.fromEntries(times(900, 1).map((value, index) => [`k${index}`, value]))
    const lines = issues(decodeWith(Schema.Struct({ all: boundedRecord(schema) }))({ all: input }, true))
    assert.strictEqual(seen.count, 100)
    assert.lengthOf(lines, 100)
    assert.strictEqual(lines.at(-1), "all.k100: not checked from here on: 800 values")
  })
})

const withMessage = (message: string) => ({ message })

describe("Bounded lists and records", () => {
  const Item = Schema.Struct({ name: text(3), size: Schema.optionalKey(Schema.NumberFromString) })
  const bounded = Schema.Struct({
    list: boundedArray(Item, 20),
    nested: boundedArray(boundedArray(Schema.NullOr(text(2)))),
    record: Schema.NullOr(boundedRecord(Item))
  })
  const plain = Schema.Struct({
    list: Schema.Array(Item).annotate(withMessage("must be a list")),
    nested: Schema.Array(Schema.Array(Schema.NullOr(text(2))).annotate(withMessage("must be a list"))).annotate(
      withMessage("must be a list")
    ),
    record: Schema.NullOr(Schema.Record(Schema.String, Item).annotate(withMessage("must be an object")))
  })
  const anything = fc.oneof(fc.string({ maxLength: 4 }), fc.integer(), fc.constantFrom(null, "1", {}, []))
  const validItem = fc.record(
    { name: fc.string({ maxLength: 3 }), size: fc.integer().map(String) },
    { requiredKeys: ["name"] }
  )
  const valid = fc.record({
    list: fc.array(validItem, { maxLength: 20 }),
    nested: fc.array(fc.array(fc.option(fc.string({ maxLength: 2 })))),
    record: fc.option(fc.dictionary(fc.string(), validItem, { noNullPrototype: true }))
  })
  const item = fc.oneof(
    { weight: 4, arbitrary: fc.record({ name: fc.string({ maxLength: 3 }), size: fc.constantFrom("1", "2.5") }) },
    { weight: 1, arbitrary: fc.record({ name: anything, size: anything, more: anything }, { requiredKeys: [] }) },
    { weight: 1, arbitrary: anything }
  )
  const value = fc.record(
    {
      list: fc.oneof({ weight: 9, arbitrary: fc.array(item, { maxLength: 20 }) }, { weight: 1, arbitrary: anything }),
      nested: fc.oneof(
        { weight: 9, arbitrary: fc.array(fc.oneof(fc.array(anything, { maxLength: 4 }), anything), { maxLength: 4 }) },
        { weight: 1, arbitrary: anything }
      ),
      record: fc.oneof(
        {
          weight: 9,
          arbitrary: fc.dictionary(fc.string({ maxLength: 3 }), item, { maxKeys: 9, noNullPrototype: true })
        },
        { weight: 1, arbitrary: anything }
      )
    },
    { requiredKeys: ["list"] }
  )

  it("bounded and plain schemas have the same values and the same issues below 100", () => {
    const counts = { valid: 0, invalid: 0 }
    const decode = compileDecoder(bounded, { errors: "all" })
    fc.assert(
      fc.property(fc.oneof(value, valid), fc.boolean(), (input, isStrict) => {
        const onExcessProperty = isStrict ? "error" : "ignore"
        const expected = Schema.decodeUnknownResult(plain, { errors: "all", onExcessProperty })(input)
        const lines = Result.mapError(expected, issuesOf)
        if (Result.isFailure(lines) && lines.failure.length >= 100) return
        assert.deepStrictEqual(Result.mapError(decode(input, isStrict), issuesOf), lines)
        counts[Result.isSuccess(lines) ? "valid" : "invalid"] += 1
      }),
      { numRuns: 1000 }
    )
    assert.isAbove(counts.valid, 50)
    assert.isAbove(counts.invalid, 50)
  })

  it("bounded and plain schemas encode alike", () => {
    const input = { list: [{ name: "a", size: 2 }], nested: [["a", null]], record: { b: { name: "b" } } }
    assert.deepStrictEqual(Schema.encodeSync(bounded)(input), Schema.encodeSync(plain)(input))
  })
})

const cannotFail = (ast: SchemaAST.AST) => ast === JsonValue.ast || ast._tag === "Unknown"

/** Paths of unbounded lists and records of which a schema collects all issues. */
const unboundedIn = (ast: SchemaAST.AST, path: string, seen = new Set<SchemaAST.AST>()): ReadonlyArray<string> => {
  if (seen.has(ast)) return []
  seen.add(ast)
  const inside = (inner: SchemaAST.AST, name = "") => unboundedIn(inner, name === "" ? path : `${path}.${name}`, seen)
  if (ast.encoding !== undefined) return ast.encoding.flatMap(({ to }) => inside(to))
  switch (ast._tag) {
    case "Declaration":
      return ast.typeParameters.flatMap((parameter) => inside(parameter))
    case "Suspend":
      return inside(ast.thunk())
    case "Union":
      return ast.types.flatMap((choice) => inside(choice))
    case "Arrays":
      return [...(ast.rest.length > 0 ? [path] : []), ...ast.elements.flatMap((element) => inside(element))]
    case "Objects": {
      const failing = ast.indexSignatures.filter(({ type }) => !cannotFail(type))
      const members = ast.propertySignatures.flatMap(({ name, type }) => inside(type, String(name)))
      return [...(failing.length > 0 ? [path] : []), ...members]
    }
    default:
      return []
  }
}

describe("Request schemas", () => {
  const inputs: Array<readonly [name: string, schema: Schema.Top]> = [
    ["import of a product", CreateProduct],
    ["import of a collection", PutCollection],
    ["import of an order", PutOrder],
    ["import of a customer", PutCustomer]
  ]
  for (const [tag, { payloadSchema }] of Rpcs.requests) inputs.push([tag, payloadSchema])
  for (const { endpoints } of Object.values(PartnerApi.groups)) {
    for (const { identifier, payload, query } of Object.values(endpoints)) {
      for (const { schemas } of payload.values()) for (const schema of schemas) inputs.push([identifier, schema])
      if (query !== undefined) inputs.push([identifier, query])
    }
  }

  it("no request schema collects all issues of an unbounded list or record", () => {
    assert.isAbove(inputs.length, 60)
    assert.deepStrictEqual(
      inputs.flatMap(([name, { ast }]) => unboundedIn(ast, name)),
      []
    )
    assert.deepStrictEqual(unboundedIn(Schema.Struct({ a: Schema.Array(Schema.Int) }).ast, "x"), ["x.a"])
  })

  it("encoded and branded forms of bounded lists are bounded too", () => {
    const encoded = Schema.Struct({ list: Schema.toEncoded(boundedArray(text(3), 7)) })
    assert.deepStrictEqual(issues(decodeWith(encoded)({ list: times(8, "x") }, true)), [
      "list: must be a list of at most 7 items"
    ])
    assert.deepStrictEqual(
      issues(decodeWith(Schema.Struct({ ids: ProductIds }))({ ids: times(300_000, 1) }, true)).at(-1),
      "ids.100: not checked from here on: 299,900 values"
    )
  })
})

const jsonSchemaOf = (schema: Schema.Constraint) => Schema.toJsonSchemaDocument(schema).schema

const plainList = (item: Schema.Top, max: number) => Schema.Array(item).check(Schema.isMaxLength(max))

describe("JSON Schema of bounded lists and records", () => {
  it("bounded and plain schemas have the same JSON Schema", () => {
    const Item = Schema.Struct({ name: trimmed(3), lists: boundedArray(boundedArray(trimmed(3), 2), 3) })
    const PlainItem = Schema.Struct({ name: trimmed(3), lists: plainList(plainList(trimmed(3), 2), 3) })
    assert.deepStrictEqual(jsonSchemaOf(boundedArray(Item, 250)), jsonSchemaOf(plainList(PlainItem, 250)))
    assert.deepStrictEqual(jsonSchemaOf(boundedRecord(Item)), jsonSchemaOf(Schema.Record(Schema.String, PlainItem)))
  })

  it("the JSON Schema of a bounded list includes its annotations", () => {
    assert.deepStrictEqual(jsonSchemaOf(field(boundedArray(text(2), 9), "Short words", ["ab"])), {
      type: "array",
      items: { type: "string", maxLength: 2 },
      maxItems: 9,
      description: "Short words",
      examples: [["ab"]]
    })
  })
})
