import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { conditionsOf, fieldOf, FIELDS, Rules } from "../../../src/domain/catalog/Rule.ts"
import { issuesOf } from "../../../src/domain/json/Decoder.ts"
import { parse, stringify } from "../../../src/domain/json/Json.ts"
import { ALL_RELATIONS, NAMES, RELATIONS_OF, rightValue, VALUES } from "../../data/RuleTable.ts"

const decode = Schema.decodeUnknownResult(Rules, { errors: "all" })

/** The lines about rules that are wrong. */
const said = (rules: unknown): ReadonlyArray<string> =>
  Result.match(decode(rules), {
    onFailure: issuesOf,
    onSuccess: () => []
  })

const conditionOf = (rule: unknown) => conditionsOf(Result.getOrThrow(decode([rule])))[0]

const valuesOf = (field: string) => (value: unknown) => conditionOf({ field, relation: "equals", value })?.values
const many = (count: number) => Array.from({ length: count }, () => ({ field: "title", relation: "is_set" }))

describe("A rule", () => {
  it("may name every field of the table, by its own name or its alias, and no other", () => {
    assert.deepStrictEqual(Object.keys(FIELDS).toSorted(), [...new Set(NAMES.map(({ field }) => field))].toSorted())
    for (const { field, kind, name } of NAMES) {
      assert.strictEqual(fieldOf(name), field)
      assert.strictEqual(FIELDS[field].kind, kind, name)
    }
    for (const name of ["", "Title", "variants.price", "metafields", "id", "constructor", "__proto__", "toString"]) {
      assert.isUndefined(fieldOf(name))
      const [line, ...more] = said([{ field: name, relation: "equals", value: "x" }])
      assert.deepStrictEqual(more, [])
      assert.match(line ?? "", /^0\.field: must be one of title, /)
      for (const { name } of NAMES) assert.include(line?.split(/[ ,]+/) ?? [], name)
    }
  })

  it("may use exactly the relations of its field's kind, and is told them otherwise", () => {
    for (const { kind, name } of NAMES) {
      for (const relation of [...ALL_RELATIONS, "", "Equals", "matches", "constructor"]) {
        const expected = RELATIONS_OF[kind].includes(relation)
          ? []
          : [`0.relation: must be one of ${RELATIONS_OF[kind].join(", ")} for the field ${name}`]
        const value = rightValue(kind, relation)
        assert.sameMembers([...said([{ field: name, relation, value }])].map(sorted), expected.map(sorted), name)
      }
    }
  })

  it("takes a value of its field's kind, and says which that is otherwise", () => {
    const wanted = {
      text: "text",
      number: "a number or numeric text",
      time: "a time of RFC 3339, as in 2026-01-31T09:30:00Z",
      boolean: "true or false"
    }
    for (const { kind, name } of NAMES) {
      const one = `0.value: must be ${wanted[kind]}`
      const many = `0.value: must be a list of 1 to 250 values, each ${wanted[kind]}`
      const { right, wrong } = VALUES[kind]
      assert.deepStrictEqual(said([{ field: name, relation: "equals", value: right }]), [], name)
      assert.deepStrictEqual(said([{ field: name, relation: "equals" }]), [one], name)
      for (const value of wrong) {
        assert.deepStrictEqual(said([{ field: name, relation: "not_equals", value }]), [one], JSON.stringify(value))
      }
      if (kind === "boolean") continue
      assert.deepStrictEqual(
        said([{ field: name, relation: "in", value: Array.from({ length: 250 }, () => right) }]),
        []
      )
      for (const value of [undefined, right, [], Array.from({ length: 251 }, () => right), [right, wrong[0]]]) {
        assert.deepStrictEqual(said([{ field: name, relation: "not_in", value }]), [many], JSON.stringify(value))
      }
    }
  })

  it("asks for no value with is_set and is_not_set, whatever is sent", () => {
    for (const { kind, name } of NAMES.filter(({ kind }) => kind !== "boolean")) {
      for (const value of [undefined, null, 1, "x", VALUES[kind].right]) {
        assert.deepStrictEqual(conditionOf({ field: name, relation: "is_set", value })?.values, [])
        assert.strictEqual(conditionOf({ field: name, relation: "is_not_set", value })?.negated, true)
      }
    }
  })

  it("takes numbers as numbers or as numeric text, with all of their digits", () => {
    const values = valuesOf("price")
    for (const text of ["0", "12", "-5", "+5", "007", "0.10000000000000000001", "123456789012345.5"]) {
      assert.deepStrictEqual(values(text), [text])
    }
    assert.deepStrictEqual(values(" 12.50 "), ["12.50"])
    assert.deepStrictEqual(values(12.5), ["12.5"])
    assert.deepStrictEqual(values(-3), ["-3"])
    assert.deepStrictEqual(values(parse("0.10000000000000000001")), ["0.10000000000000000001"])
    for (const text of ["1e3", "0x10", ".5", "5.", "1_000", "1 000", "١٢", "NaN", "Infinity", "--1", ""]) {
      assert.strictEqual(said([{ field: "price", relation: "equals", value: text }]).length, 1, text)
    }
  })

  it("takes times with any offset, as the instant in UTC", () => {
    const values = valuesOf("createdAt")
    const instant = "2026-01-31T09:30:00.000Z"
    for (const text of [
      "2026-01-31T09:30:00Z",
      "2026-01-31t09:30:00z",
      "2026-01-31 09:30:00Z",
      "2026-01-31T09:30:00.000000Z",
      "2026-01-31T18:30:00+09:00",
      "2026-01-31T00:00:00-09:30",
      "2026-01-31T09:30:00-00:00"
    ]) {
      assert.deepStrictEqual(values(text), [instant], text)
    }
    assert.deepStrictEqual(values("2024-02-29T23:59:59.999+00:00"), ["2024-02-29T23:59:59.999Z"])
    for (const text of ["2016-12-31T23:59:60Z", "2015-06-30T18:59:60.5-05:00", "1970-01-31t23:59:60+00:00"]) {
      assert.strictEqual(values(text)?.length, 1, text)
    }
    for (const text of [
      "2025-02-29T00:00:00Z",
      "2026-04-31T00:00:00Z",
      "2026-00-10T00:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-01-31T24:00:00Z",
      "2026-01-31T09:60:00Z",
      "2026-01-31T09:30:60Z",
      "2026-01-30T23:59:60Z",
      "2026-01-31T23:59:60+01:00",
      "2026-01-31T23:59:61Z",
      "2026-01-31T09:30:00.Z",
      "2026-01-31T09:30:00,5Z",
      "2026-01-31T09:30:00+09:60",
      "9999-12-31T23:59:59-01:00",
      "2026-01-31T09:30:00+24:00",
      "2026-01-31T09:30:00+0900",
      "2026-01-31T09:30Z",
      "2026-1-31T09:30:00Z",
      "+002026-01-31T09:30:00Z",
      "0000-01-01T00:00:00+01:00",
      " 2026-01-31T09:30:00Z"
    ]) {
      assert.strictEqual(said([{ field: "createdAt", relation: "equals", value: text }]).length, 1, text)
    }
  })
})

describe("Rules", () => {
  it("are up to 60", () => {
    assert.deepStrictEqual(said(many(60)), [])
    assert.deepStrictEqual(said(many(61)), ["must be a list of at most 60 items"])
    assert.deepStrictEqual(said([]), [])
    assert.deepStrictEqual(conditionsOf([]), [])
  })

  it("are objects in a list, and each wrong one has its line", () => {
    const object = "must be an object { field, relation, value }"
    assert.deepStrictEqual(said({}), ["must be a list"])
    assert.deepStrictEqual(said(["x", null, [], {}, { field: 1, relation: [] }, { field: "title" }]), [
      `0: ${object}`,
      `1: ${object}`,
      `2: ${object}`,
      "3.field: is missing",
      "3.relation: is missing",
      "4.field: must be text",
      "4.relation: must be text",
      "5.relation: is missing"
    ])
  })

  it("are kept as sent", () => {
    const sent = parse(
      '[{"field":"vendor","relation":"in","value":["Oak & Co","OAK"]},{"field":"price","relation":"equals","value":" 1.50"},' +
        '{"field":"price","relation":"less_than","value":0.10000000000000000001},{"field":"tag","relation":"is_set","value":null}]'
    )
    assert.strictEqual(stringify(Result.getOrThrow(decode(sent))), stringify(sent))
  })
})

/** The words of a line in one order: it does not matter in which the relations are told. */
const sorted = (line: string) => line.split(/[ ,]+/).toSorted().join(" ")
