import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { boundedArray } from "../../../src/domain/json/Bounded.ts"
import { storedDocument } from "../../../src/domain/json/StoredDocument.ts"

const Part = Schema.Struct({ id: Schema.String, label: Schema.optionalKey(Schema.String), count: Schema.Number })

const Thing = Schema.Struct({
  id: Schema.String,
  name: Schema.String.check(Schema.isMaxLength(3)),
  note: Schema.NullOr(Schema.String),
  parts: boundedArray(Part, 10),
  size: Schema.NullOr(Schema.Struct({ width: Schema.Number, unit: Schema.String }))
})

const document = storedDocument(Thing, {
  defaults: { note: null, parts: [], size: null },
  nested: { parts: { count: 0 }, size: { unit: "cm" } }
})

const complete = { id: "a", name: "b", note: null, parts: [], size: null }

const hashOf = (...args: Parameters<typeof storedDocument<{ readonly id: string; readonly note?: string | null }>>) =>
  storedDocument(...args).schemaHash

describe("Stored documents", () => {
  it("missing members get their defaults, also in lists and objects", () => {
    assert.deepStrictEqual(document.parse('{"id":"a","name":"b"}'), complete)
    assert.deepStrictEqual(document.parse('{"id":"a","name":"b","parts":[{"id":"p"}],"size":{"width":2}}'), {
      ...complete,
      parts: [{ id: "p", count: 0 }],
      size: { width: 2, unit: "cm" }
    })
  })

  it("members are in the order of the schema, and unknown ones follow and are kept", () => {
    const json =
      '{"later":1,"size":{"depth":3,"unit":"m","width":2},"parts":[{"color":"red","count":1,"id":"p"}],"name":"b","id":"a"}'
    const expected =
      '{"id":"a","name":"b","note":null,"parts":[{"id":"p","count":1,"color":"red"}],"size":{"width":2,"unit":"m","depth":3},"later":1}'
    assert.strictEqual(document.stringify(document.parse(json)), expected)
    assert.strictEqual(document.completeText(json), expected)
    assert.strictEqual(document.completeText(`[${json}]`), `[${expected}]`)
  })

  it("a member named __proto__ is kept and changes no prototype", () => {
    const parsed = document.parse('{"id":"a","name":"b","__proto__":{"note":"x"}}')
    assert.strictEqual(parsed.note, null)
    assert.strictEqual(document.stringify(parsed), `${JSON.stringify(complete).slice(0, -1)},"__proto__":{"note":"x"}}`)
  })

  it("types are tested, and checks only in files", () => {
    assert.throws(() => document.parse('{"id":"a","name":1}'), /Expected string/)
    assert.throws(() => document.parse('{"id":"a"}'), /Missing key/)
    assert.strictEqual(document.parse('{"id":"a","name":"longer than three"}').name, "longer than three")
    const file = storedDocument(Thing, { isChecked: true, defaults: { note: null, parts: [], size: null } })
    assert.throws(() => file.parse('{"id":"a","name":"longer than three"}'), /length/)
  })

  it("the hash changes with each member and default, and not with anything else", () => {
    const base = Schema.Struct({ id: Schema.String })
    const more = Schema.Struct({ id: Schema.String, note: Schema.NullOr(Schema.String) })
    const hashes = [
      hashOf(base),
      hashOf(more),
      hashOf(more, { defaults: { note: null } }),
      hashOf(more, { defaults: { note: "" } }),
      hashOf(Schema.Struct({ id: Schema.String, note: Schema.optionalKey(Schema.NullOr(Schema.String)) }))
    ]
    assert.strictEqual(new Set(hashes).size, hashes.length)
    assert.strictEqual(hashOf(base.annotate({ description: "Another text" })), hashOf(base))
  })

  it("members without a default are required", () => {
    assert.deepStrictEqual(document.required, ["id", "name", "parts[].id", "size.width"])
  })
})
