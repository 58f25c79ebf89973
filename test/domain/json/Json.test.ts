import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { canonical } from "../../../src/domain/json/Json.ts"
import { NOT_A_DOUBLE } from "../../../src/domain/json/Numbers.ts"
import { MAX_DEPTH, parseUntrusted } from "../../../src/domain/json/UntrustedJson.ts"

const parseAccepted = (text: string) => Result.getOrThrow(parseUntrusted(text))
const issues = (text: string) =>
  Result.match(parseUntrusted(text), { onFailure: ({ issues }) => issues, onSuccess: () => "ok" })

describe("Serialized JSON", () => {
  it("a value does not change when it is serialized and parsed", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\\u0000", '"\\u00001', "1e5", "12345678901234567890")
    )
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
        text.map((value) => value.replaceAll("\u0000", "0")),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(
          // The parser rejects the key `__proto__`.
          text.map((key) => key.replaceAll("\u0000", "0")).filter((key) => key !== "__proto__"),
          tie("tree"),
          { maxKeys: 4, noNullPrototype: true }
        )
      )
    }))
    fc.assert(
      fc.property(tree, (value) => {
        const serialized = JSON.stringify(value)
        assert.strictEqual(JSON.stringify(JSON.parse(serialized)), serialized)
        assert.strictEqual(JSON.stringify(parseAccepted(serialized)), serialized)
        assert.strictEqual(canonical(JSON.parse(serialized)), canonical(value))
      }),
      { numRuns: 1000 }
    )
  })

  it("canonical JSON ignores only the order of keys and white space", () => {
    const same = canonical(JSON.parse('{"b":[1,{"d":1,"c":2}],"a":0.1234567890123456}'))
    assert.strictEqual(canonical(JSON.parse('{ "a": 0.1234567890123456,\n "b": [1, {"c":2, "d":1}] }')), same)
    for (const other of [
      '{"b":[1,{"d":1,"c":2}],"a":0.1234567890123457}',
      '{"b":[{"d":1,"c":2},1],"a":0.1234567890123456}',
      '{"b":[1,{"d":1,"c":"2"}],"a":0.1234567890123456}',
      '{"b":[1,{"d":1,"c":2}],"a":"0.1234567890123456"}',
      '{"b":[1,{"d":1,"c":2}],"a":0.1234567890123456,"e":null}'
    ]) {
      assert.notStrictEqual(canonical(JSON.parse(other)), same, other)
    }
  })
})

const lists = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
const path = (key: string) => Array.from({ length: MAX_DEPTH }, () => key).join(".")

describe("Untrusted JSON", () => {
  it("text that is not JSON is rejected without issues", () => {
    for (const text of ["", "{", "{'a':1}", "[1,]", "NaN", "01", "1 2", '{"a":0x10}', '"\n"']) {
      assert.deepStrictEqual(issues(text), [], text)
    }
  })

  it("lists and objects can be nested at most 64 levels deep", () => {
    assert.strictEqual(issues(lists(MAX_DEPTH)), "ok")
    assert.strictEqual(issues(objects(MAX_DEPTH)), "ok")
    assert.deepStrictEqual(issues(lists(MAX_DEPTH + 1)), [`${path("0")}: must not be nested deeper than 64 levels`])
    assert.deepStrictEqual(issues(objects(MAX_DEPTH + 1)), [`${path("a")}: must not be nested deeper than 64 levels`])
  })

  it("500,000 nested lists are rejected without a stack overflow", () => {
    const depth = 500_000
    const json = `${"[".repeat(depth)}0.12345678901234567890${"]".repeat(depth)}`
    assert.strictEqual(issues(json).length, 1)
  })

  it("NUL and unpaired surrogates are rejected in values and keys", () => {
    assert.deepStrictEqual(issues('{"a":["x\\u0000y","\\ud83d","\\ude00x","\\ud83d\\ude00"]}'), [
      "a.0: must not contain the NUL character",
      "a.1: must not contain an unpaired surrogate",
      "a.2: must not contain an unpaired surrogate"
    ])
    assert.deepStrictEqual(issues('{"a":{"x\\u0000":1,"\\ud83d":2,"\\ud83d\\ude00":3}}'), [
      "a: a key must not contain the NUL character",
      "a: a key must not contain an unpaired surrogate"
    ])
  })

  it("text that looks like a number stays text", () => {
    assert.deepStrictEqual(parseAccepted('["\\\\u0000123", "123456789012345678", "1e5"]'), [
      "\\u0000123",
      "123456789012345678",
      "1e5"
    ])
    assert.deepStrictEqual(issues('["\\u0000123", 0.12345678901234567890]'), [
      "0: must not contain the NUL character",
      `1: ${NOT_A_DOUBLE}`
    ])
  })

  it("an issue has a shortened path, or no path for the root", () => {
    assert.deepStrictEqual(issues('{"\\u0000":1}'), ["a key must not contain the NUL character"])
    const [long = ""] = issues(`{"a":{"${"k".repeat(900_000)}":1e400}}`)
    assert.strictEqual(long, `a.${"k".repeat(253)}…: ${NOT_A_DOUBLE}`)
    const [cut = ""] = issues(`{"${"😀".repeat(300)}":1e400}`)
    assert.isTrue(cut.isWellFormed())
  })

  it("at most 100 issues are listed, also below a long key", () => {
    const lines = issues(`{"${"k".repeat(500_000)}":[${Array.from({ length: 20_000 }, () => "1e400").join()}]}`)
    assert.lengthOf(lines, 100)
    assert.strictEqual(lines.at(-1), "19,901 more issues are not listed")
  })

  it("every invalid value has its own issue", () => {
    assert.deepStrictEqual(issues('{"a":1e400,"b":[{"c":"\\u0000"},0.5e-9999],"d":1}'), [
      `a: ${NOT_A_DOUBLE}`,
      "b.0.c: must not contain the NUL character",
      `b.1: ${NOT_A_DOUBLE}`
    ])
  })
})
