import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { makeJournalDiff, MAX_DIFF_CHARACTERS } from "../../../src/domain/journal/Entry.ts"
import { Encoded, type Snapshot } from "../../../src/domain/Write.ts"

type Fields = Readonly<Record<string, unknown>>

const snapshot = (fields: Fields): Snapshot => ({
  json: `{${Object.entries(fields)
    .map(([name, value]) => `${JSON.stringify(name)}:${value instanceof Encoded ? value.json : JSON.stringify(value)}`)
    .join(",")}}`,
  fields
})

const fieldsIn = (json: string | null): Fields =>
  Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))(JSON.parse(json ?? "{}"))

/** Applies one side of a diff to the resource of the other side. */
const applyDiff = (fields: Fields, side: string | null, other: string | null): Fields => {
  const unchanged = Object.entries(fields).filter(([name]) => !Object.hasOwn(fieldsIn(other), name))
  return { ...Object.fromEntries(unchanged), ...fieldsIn(side) }
}

const without = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

const name = fc.constantFrom("name", "price", "tags", "description", "metafields", "productIds", 'a "b"')

const value = fc.oneof(
  fc.jsonValue().map((json) => JSON.parse(JSON.stringify(json))),
  fc.constantFrom(0.12345678901234568, new Encoded("[1,2]"), new Encoded("[2,1]")),
  fc
    .constantFrom(
      1,
      MAX_DIFF_CHARACTERS / 4,
      MAX_DIFF_CHARACTERS / 2 - 10,
      MAX_DIFF_CHARACTERS - 10,
      MAX_DIFF_CHARACTERS
    )
    .map((length) => "é".repeat(length))
)

const resource = fc.dictionary(name, value, { noNullPrototype: true })

/** A resource before and after a change. Unchanged members are identical or equal. */
const change = fc
  .tuple(resource, resource, fc.subarray(["name", "price", "tags", "productIds"]))
  .map(([before, other, changed]) => [before, { ...before, ...without(other, changed) }, other] as const)
  .chain(([before, patched, other]) => fc.tuple(fc.constant(before), fc.constantFrom(patched, other)))

describe("Journal diffs", () => {
  it("a diff converts each state of a resource into the other, except for omitted members", () => {
    fc.assert(
      fc.property(change, ([previous, current]) => {
        const [one, other] = [snapshot(previous), snapshot(current)]
        const { after, before, omitted } = makeJournalDiff({ before: one, after: other })
        const [previousFields, currentFields] = [fieldsIn(one.json), fieldsIn(other.json)]
        assert.deepStrictEqual(
          without(applyDiff(currentFields, before, after), omitted),
          without(previousFields, omitted)
        )
        assert.deepStrictEqual(
          without(applyDiff(previousFields, after, before), omitted),
          without(currentFields, omitted)
        )
        const diffFields = { ...fieldsIn(before), ...fieldsIn(after) }
        assert.isEmpty(omitted.filter((name) => Object.hasOwn(diffFields, name)))
      }),
      { numRuns: 200 }
    )
  })

  it("the diff of an update has only changed members and omits none that fit", () => {
    fc.assert(
      fc.property(change, ([previous, current]) => {
        const { after, before, omitted } = makeJournalDiff({ before: snapshot(previous), after: snapshot(current) })
        const [previousDiff, currentDiff] = [fieldsIn(before), fieldsIn(after)]
        const both = Object.keys(previousDiff).filter((name) => Object.hasOwn(currentDiff, name))
        assert.isEmpty(both.filter((name) => JSON.stringify(previousDiff[name]) === JSON.stringify(currentDiff[name])))
        const size = (before ?? "").length + (after ?? "").length
        assert.isBelow(size, MAX_DIFF_CHARACTERS + 100)
        if (snapshot(previous).json.length + snapshot(current).json.length < MAX_DIFF_CHARACTERS - 100)
          assert.isEmpty(omitted)
      }),
      { numRuns: 200 }
    )
  })

  it("the diff of a create or delete has the whole resource, except for omitted members if it is large", () => {
    fc.assert(
      fc.property(resource, (fields) => {
        const whole = snapshot(fields)
        const created = makeJournalDiff({ before: null, after: whole })
        const deleted = makeJournalDiff({ before: whole, after: null })
        assert.deepStrictEqual(
          [deleted.before, deleted.after, deleted.omitted],
          [created.after, created.before, created.omitted]
        )
        assert.isNull(created.before)
        if (whole.json.length <= MAX_DIFF_CHARACTERS) assert.strictEqual(created.after, whole.json)
        if (whole.json.length > MAX_DIFF_CHARACTERS + 100) assert.isNotEmpty(created.omitted)
        assert.deepStrictEqual(fieldsIn(created.after), without(fieldsIn(whole.json), created.omitted))
      }),
      { numRuns: 200 }
    )
  })
})
