import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { conditionsOf, fieldOf, FIELDS, Rules } from "../../../src/domain/catalog/Rule.ts"
import { issuesOf } from "../../../src/domain/json/Decoder.ts"
import { ALL_RELATIONS, NAMES, RELATIONS_OF, rightValue, VALUES } from "../../data/RuleTable.ts"

const decode = Schema.decodeUnknownResult(Rules, { errors: "all" })

/** The issues of invalid rules. */
const issuesIn = (rules: unknown): ReadonlyArray<string> =>
  Result.match(decode(rules), {
    onFailure: issuesOf,
    onSuccess: () => []
  })

const conditionOf = (rule: unknown) => conditionsOf(Result.getOrThrow(decode([rule])))[0]

const valuesOf = (field: string) => (value: unknown) => conditionOf({ field, relation: "equals", value })?.values
const many = (count: number) => Array.from({ length: count }, () => ({ field: "title", relation: "is_set" }))

describe("Rule", () => {
  it("a rule accepts every field of the table, by name or alias, and no other", () => {
    assert.deepStrictEqual(Object.keys(FIELDS).toSorted(), [...new Set(NAMES.map(({ field }) => field))].toSorted())
    for (const { field, kind, name } of NAMES) {
      assert.strictEqual(fieldOf(name), field)
      assert.strictEqual(FIELDS[field].kind, kind, name)
    }
    for (const name of ["", "Title", "variants.price", "metafields", "id", "constructor", "__proto__", "toString"]) {
      assert.isUndefined(fieldOf(name))
      const [line, ...more] = issuesIn([{ field: name, relation: "equals", value: "x" }])
      assert.deepStrictEqual(more, [])
      assert.match(line ?? "", /^0\.field: must be one of title, /)
      for (const { name } of NAMES) assert.include(line?.split(/[ ,]+/) ?? [], name)
    }
  })

  it("a rule accepts only the relations of its field, and the issue lists them", () => {
    for (const { kind, name } of NAMES) {
      for (const relation of [...ALL_RELATIONS, "", "Equals", "matches", "constructor"]) {
        const expected = RELATIONS_OF[kind].includes(relation)
          ? []
          : [`0.relation: must be one of ${RELATIONS_OF[kind].join(", ")} for the field ${name}`]
        const value = rightValue(kind, relation)
        assert.sameMembers([...issuesIn([{ field: name, relation, value }])].map(sorted), expected.map(sorted), name)
      }
    }
  })

  it("a rule accepts only values of its field's kind, and the issue names the kind", () => {
    const descriptions = {
      text: "text",
      number: "a number or numeric text",
      time: "a time of RFC 3339, as in 2026-01-31T09:30:00Z",
      boolean: "true or false"
    }
    for (const { kind, name } of NAMES) {
      const one = `0.value: must be ${descriptions[kind]}`
      const many = `0.value: must be a list of 1 to 250 values, each ${descriptions[kind]}`
      const { right, wrong } = VALUES[kind]
      assert.deepStrictEqual(issuesIn([{ field: name, relation: "equals", value: right }]), [], name)
      assert.deepStrictEqual(issuesIn([{ field: name, relation: "equals" }]), [one], name)
      for (const value of wrong) {
        assert.deepStrictEqual(issuesIn([{ field: name, relation: "not_equals", value }]), [one], JSON.stringify(value))
      }
      if (kind === "boolean") continue
      assert.deepStrictEqual(
        issuesIn([{ field: name, relation: "in", value: Array.from({ length: 250 }, () => right) }]),
        []
      )
      for (const value of [undefined, right, [], Array.from({ length: 251 }, () => right), [right, wrong[0]]]) {
        assert.deepStrictEqual(issuesIn([{ field: name, relation: "not_in", value }]), [many], JSON.stringify(value))
      }
    }
  })

  it("is_set and is_not_set ignore the value", () => {
    for (const { kind, name } of NAMES.filter(({ kind }) => kind !== "boolean")) {
      for (const value of [undefined, null, 1, "x", VALUES[kind].right]) {
        assert.deepStrictEqual(conditionOf({ field: name, relation: "is_set", value })?.values, [])
        assert.strictEqual(conditionOf({ field: name, relation: "is_not_set", value })?.negated, true)
      }
    }
  })

  it("a rule accepts numbers and numeric text and keeps all digits", () => {
    const values = valuesOf("price")
    for (const text of ["0", "12", "-5", "+5", "007", "0.10000000000000000001", "123456789012345.5"]) {
      assert.deepStrictEqual(values(text), [text])
    }
    assert.deepStrictEqual(values(" 12.50 "), ["12.50"])
    assert.deepStrictEqual(values(12.5), ["12.5"])
    assert.deepStrictEqual(values(-3), ["-3"])
    assert.deepStrictEqual(values(0.10000000000000002), ["0.10000000000000002"])
    for (const text of ["1e3", "0x10", ".5", "5.", "1_000", "1 000", "١٢", "NaN", "Infinity", "--1", ""]) {
      assert.strictEqual(issuesIn([{ field: "price", relation: "equals", value: text }]).length, 1, text)
    }
  })

  it("a rule accepts times of RFC 3339 with any offset and converts them to UTC", () => {
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
      assert.strictEqual(issuesIn([{ field: "createdAt", relation: "equals", value: text }]).length, 1, text)
    }
  })
})

describe("Rules", () => {
  it("a list has at most 60 rules", () => {
    assert.deepStrictEqual(issuesIn(many(60)), [])
    assert.deepStrictEqual(issuesIn(many(61)), ["must be a list of at most 60 items"])
    assert.deepStrictEqual(issuesIn([]), [])
    assert.deepStrictEqual(conditionsOf([]), [])
  })

  it("every invalid rule of a list has its own issues", () => {
    const object = "must be an object { field, relation, value }"
    assert.deepStrictEqual(issuesIn({}), ["must be a list"])
    assert.deepStrictEqual(issuesIn(["x", null, [], {}, { field: 1, relation: [] }, { field: "title" }]), [
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

  it("valid rules are stored as sent", () => {
    const sent = JSON.parse(
      '[{"field":"vendor","relation":"in","value":["Oak & Co","OAK"]},{"field":"price","relation":"equals","value":" 1.50"},' +
        '{"field":"price","relation":"less_than","value":0.10000000000000002},{"field":"tag","relation":"is_set","value":null}]'
    )
    assert.strictEqual(JSON.stringify(Result.getOrThrow(decode(sent))), JSON.stringify(sent))
  })
})

/** An issue with its words sorted, because the order of the relations does not matter. */
const sorted = (line: string) => line.split(/[ ,]+/).toSorted().join(" ")
