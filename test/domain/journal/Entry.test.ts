import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { makeJournalDiff, MAX_DIFF_CHARACTERS } from "../../../src/domain/journal/Entry.ts"
import { ExactNumber, parse, stringify } from "../../../src/domain/json/Json.ts"
import { Encoded, type Snapshot } from "../../../src/domain/Write.ts"

type Fields = Readonly<Record<string, unknown>>

const snapshot = (fields: Fields): Snapshot => ({
  json: `{${Object.entries(fields)
    .map(([name, value]) => `${JSON.stringify(name)}:${value instanceof Encoded ? value.json : stringify(value)}`)
    .join(",")}}`,
  fields
})

const fieldsIn = (json: string | null): Fields =>
  Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))(parse(json ?? "{}"))

/** A side of an entry put onto the resource of the other side. */
const onto = (fields: Fields, side: string | null, other: string | null): Fields => {
  const left = Object.entries(fields).filter(([name]) => !Object.hasOwn(fieldsIn(other), name))
  return { ...Object.fromEntries(left), ...fieldsIn(side) }
}

const without = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

const name = fc.constantFrom("name", "price", "tags", "description", "metafields", "productIds", 'a "b"')

const value = fc.oneof(
  fc.jsonValue().map((given) => parse(JSON.stringify(given))),
  fc.constantFrom(new ExactNumber("0.1234567890123456789"), new Encoded("[1,2]"), new Encoded("[2,1]")),
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

/** A resource and what became of it: some of its members are the very same, some are equal. */
const change = fc
  .tuple(resource, resource, fc.subarray(["name", "price", "tags", "productIds"]))
  .map(([before, other, changed]) => [before, { ...before, ...without(other, changed) }, other] as const)
  .chain(([before, patched, other]) => fc.tuple(fc.constant(before), fc.constantFrom(patched, other)))

describe("An entry of the journal", () => {
  it("takes what a resource became back to what it was, and the other way round, but for what it says is omitted", () => {
    fc.assert(
      fc.property(change, ([was, is]) => {
        const [one, other] = [snapshot(was), snapshot(is)]
        const { after, before, omitted } = makeJournalDiff({ before: one, after: other })
        const [wasOf, isOf] = [fieldsIn(one.json), fieldsIn(other.json)]
        assert.deepStrictEqual(without(onto(isOf, before, after), omitted), without(wasOf, omitted))
        assert.deepStrictEqual(without(onto(wasOf, after, before), omitted), without(isOf, omitted))
        const kept = { ...fieldsIn(before), ...fieldsIn(after) }
        assert.isEmpty(omitted.filter((name) => Object.hasOwn(kept, name)))
      }),
      { numRuns: 200 }
    )
  })

  it("holds of an update nothing that is the same, and leaves out nothing for which there is room", () => {
    fc.assert(
      fc.property(change, ([was, is]) => {
        const { after, before, omitted } = makeJournalDiff({ before: snapshot(was), after: snapshot(is) })
        const [wasKept, isKept] = [fieldsIn(before), fieldsIn(after)]
        const both = Object.keys(wasKept).filter((name) => Object.hasOwn(isKept, name))
        assert.isEmpty(both.filter((name) => stringify(wasKept[name]) === stringify(isKept[name])))
        const size = (before ?? "").length + (after ?? "").length
        assert.isBelow(size, MAX_DIFF_CHARACTERS + 100)
        if (snapshot(was).json.length + snapshot(is).json.length < MAX_DIFF_CHARACTERS - 100) assert.isEmpty(omitted)
      }),
      { numRuns: 200 }
    )
  })

  it("is of what was made or deleted the whole, as it is while it is small, else without its largest members", () => {
    fc.assert(
      fc.property(resource, (fields) => {
        const whole = snapshot(fields)
        const made = makeJournalDiff({ before: null, after: whole })
        const gone = makeJournalDiff({ before: whole, after: null })
        assert.deepStrictEqual([gone.before, gone.after, gone.omitted], [made.after, made.before, made.omitted])
        assert.isNull(made.before)
        if (whole.json.length <= MAX_DIFF_CHARACTERS) assert.strictEqual(made.after, whole.json)
        if (whole.json.length > MAX_DIFF_CHARACTERS + 100) assert.isNotEmpty(made.omitted)
        assert.deepStrictEqual(fieldsIn(made.after), without(fieldsIn(whole.json), made.omitted))
      }),
      { numRuns: 200 }
    )
  })
})
