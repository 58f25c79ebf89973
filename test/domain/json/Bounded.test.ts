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

/** Counts how many values its schema looks at. */
const counting = () => {
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

describe("A list", () => {
  it("is refused before any item is looked at when it is too long", () => {
    const { schema, seen } = counting()
    const given = { items: [1, ...times(350_000, "x")] }
    assert.deepStrictEqual(issues(decodeWith(Schema.Struct({ items: boundedArray(schema, 10) }))(given, true)), [
      "items: must be a list of at most 10 items"
    ])
    assert.strictEqual(seen.count, 0)
  })

  it("is decoded no further than its 100th issue, and says how many items were not looked at", () => {
    const { schema, seen } = counting()
    const lines = issues(decodeWith(Schema.Struct({ items: boundedArray(schema) }))({ items: times(350_000, 1) }, true))
    assert.strictEqual(seen.count, 100)
    assert.lengthOf(lines, 100)
    assert.deepStrictEqual(lines.slice(-2), [
      "2 more issues are not listed",
      "items.100: not checked from here on: 349,900 values"
    ])
  })

  it("stops where lists inside of it have 100 issues together", () => {
    const { schema, seen } = counting()
    const Items = Schema.Struct({ items: boundedArray(boundedArray(schema)) })
    const lines = issues(decodeWith(Items)({ items: times(1000, times(30, 1)) }, true))
    assert.strictEqual(seen.count, 120)
    assert.strictEqual(lines.at(-1), "items.4: not checked from here on: 996 values")
  })

  it("that is decoded for its first issue alone stops there", () => {
    const { schema, seen } = counting()
    const result = Schema.decodeUnknownResult(boundedArray(schema))(times(1000, 1))
    assert.strictEqual(seen.count, 1)
    assert.isTrue(Result.isFailure(result) && issuesOf(result.failure).length === 1)
  })
})

describe("A record", () => {
  it("is decoded no further than its 100th issue", () => {
    const { schema, seen } = counting()
    const given = Object.fromEntries(times(900, 1).map((value, index) => [`k${index}`, value]))
    const lines = issues(decodeWith(Schema.Struct({ all: boundedRecord(schema) }))({ all: given }, true))
    assert.strictEqual(seen.count, 100)
    assert.lengthOf(lines, 100)
    assert.strictEqual(lines.at(-1), "all.k100: not checked from here on: 800 values")
  })
})

const says = (message: string) => ({ message })

describe("Bounded lists and records", () => {
  const Item = Schema.Struct({ name: text(3), size: Schema.optionalKey(Schema.NumberFromString) })
  const bounded = Schema.Struct({
    list: boundedArray(Item, 20),
    nested: boundedArray(boundedArray(Schema.NullOr(text(2)))),
    record: Schema.NullOr(boundedRecord(Item))
  })
  const plain = Schema.Struct({
    list: Schema.Array(Item).annotate(says("must be a list")),
    nested: Schema.Array(Schema.Array(Schema.NullOr(text(2))).annotate(says("must be a list"))).annotate(
      says("must be a list")
    ),
    record: Schema.NullOr(Schema.Record(Schema.String, Item).annotate(says("must be an object")))
  })
  const anything = fc.oneof(fc.string({ maxLength: 4 }), fc.integer(), fc.constantFrom(null, "1", {}, []))
  const rightItem = fc.record(
    { name: fc.string({ maxLength: 3 }), size: fc.integer().map(String) },
    { requiredKeys: ["name"] }
  )
  const right = fc.record({
    list: fc.array(rightItem, { maxLength: 20 }),
    nested: fc.array(fc.array(fc.option(fc.string({ maxLength: 2 })))),
    record: fc.option(fc.dictionary(fc.string(), rightItem, { noNullPrototype: true }))
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

  it("have the values and the issues of plain ones, as long as there are fewer than 100", () => {
    const seen = { right: 0, wrong: 0 }
    const decode = compileDecoder(bounded, { errors: "all" })
    fc.assert(
      fc.property(fc.oneof(value, right), fc.boolean(), (given, isStrict) => {
        const onExcessProperty = isStrict ? "error" : "ignore"
        const expected = Schema.decodeUnknownResult(plain, { errors: "all", onExcessProperty })(given)
        const lines = Result.mapError(expected, issuesOf)
        if (Result.isFailure(lines) && lines.failure.length >= 100) return
        assert.deepStrictEqual(Result.mapError(decode(given, isStrict), issuesOf), lines)
        seen[Result.isSuccess(lines) ? "right" : "wrong"] += 1
      }),
      { numRuns: 1000 }
    )
    assert.isAbove(seen.right, 50)
    assert.isAbove(seen.wrong, 50)
  })

  it("are encoded as plain ones are", () => {
    const given = { list: [{ name: "a", size: 2 }], nested: [["a", null]], record: { b: { name: "b" } } }
    assert.deepStrictEqual(Schema.encodeSync(bounded)(given), Schema.encodeSync(plain)(given))
  })
})

const canNotFail = (ast: SchemaAST.AST) => ast === JsonValue.ast || ast._tag === "Unknown"

/** Where a schema decodes any number of values whose issues it all collects. */
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
      const failing = ast.indexSignatures.filter(({ type }) => !canNotFail(type))
      const members = ast.propertySignatures.flatMap(({ name, type }) => inside(type, String(name)))
      return [...(failing.length > 0 ? [path] : []), ...members]
    }
    default:
      return []
  }
}

describe("What clients send", () => {
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

  it("holds no list or record of which all issues are collected", () => {
    assert.isAbove(inputs.length, 60)
    assert.deepStrictEqual(
      inputs.flatMap(([name, { ast }]) => unboundedIn(ast, name)),
      []
    )
    assert.deepStrictEqual(unboundedIn(Schema.Struct({ a: Schema.Array(Schema.Int) }).ast, "x"), ["x.a"])
  })

  it("is bounded also as it is encoded", () => {
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

const shown = (schema: Schema.Constraint) => Schema.toJsonSchemaDocument(schema).schema

const plainList = (item: Schema.Top, max: number) => Schema.Array(item).check(Schema.isMaxLength(max))

describe("The JSON Schema of a bounded list or record", () => {
  it("is that of a plain one", () => {
    const Item = Schema.Struct({ name: trimmed(3), lists: boundedArray(boundedArray(trimmed(3), 2), 3) })
    const PlainItem = Schema.Struct({ name: trimmed(3), lists: plainList(plainList(trimmed(3), 2), 3) })
    assert.deepStrictEqual(shown(boundedArray(Item, 250)), shown(plainList(PlainItem, 250)))
    assert.deepStrictEqual(shown(boundedRecord(Item)), shown(Schema.Record(Schema.String, PlainItem)))
  })

  it("has what is said of it beside", () => {
    assert.deepStrictEqual(shown(field(boundedArray(text(2), 9), "Short words", ["ab"])), {
      type: "array",
      items: { type: "string", maxLength: 2 },
      maxItems: 9,
      description: "Short words",
      examples: [["ab"]]
    })
  })
})
