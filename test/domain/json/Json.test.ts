import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import {
  canonical,
  ExactNumber,
  type JsonNumber,
  MAX_DIGITS,
  MAX_NUMBER,
  memberText,
  parse,
  plus,
  stringify
} from "../../../src/domain/json/Json.ts"
import { MAX_DEPTH, parseUntrusted } from "../../../src/domain/json/UntrustedJson.ts"

const parseAccepted = (text: string) => Result.getOrThrow(parseUntrusted(text))
const issues = (text: string) =>
  Result.match(parseUntrusted(text), { onFailure: ({ issues }) => issues, onSuccess: () => "ok" })

/** The exact value of a decimal text, in units of 10^-600. */
const exactValue = (text: string): bigint => {
  const [, sign = "", whole = "", decimals = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = BigInt(`${whole}${decimals}`) * 10n ** BigInt(600 - decimals.length + Number(exponent))
  return sign === "-" ? -digits : digits
}

const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`))
const integer = fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9][0-9]{0,13}$/))

/** Numbers within the bounds, in every notation. */
const spelling = fc
  .tuple(
    fc.constantFrom("", "-"),
    integer,
    fc.option(digits(100)),
    fc.option(fc.constantFrom("e-7", "E+0", "e0", "E-200"))
  )
  .map(
    ([sign, whole, decimals, exponent]) => `${sign}${whole}${decimals === null ? "" : `.${decimals}`}${exponent ?? ""}`
  )

const numberIn = (list: unknown): JsonNumber => {
  const [value]: ReadonlyArray<unknown> = Array.isArray(list) ? list : []
  return typeof value === "number" || value instanceof ExactNumber ? value : assert.fail("no number")
}

describe("Numbers", () => {
  it("a number keeps its exact value when it is parsed and serialized", () => {
    fc.assert(
      fc.property(spelling, (text) => {
        const [serialized] = /[^[\]]+/.exec(stringify(parseAccepted(`[${text}]`))) ?? []
        assert.strictEqual(exactValue(serialized ?? ""), exactValue(text))
      }),
      { numRuns: 2000 }
    )
  })

  it("a number keeps its text if a float would change its value", () => {
    for (const text of [
      "0.1234567890123456789",
      "1.00000000000000000001",
      "17.450000762939453125",
      "123456789012345.678"
    ]) {
      assert.strictEqual(stringify(parseAccepted(`{"price":${text}}`)), `{"price":${text}}`)
      assert.strictEqual(stringify(parse(`{"price":${text}}`)), `{"price":${text}}`)
    }
  })

  it("a number is a JavaScript number if a float holds it exactly", () => {
    assert.deepStrictEqual(parseAccepted("[0, 1, -2.5, 0.1, 99999999999.99]"), [0, 1, -2.5, 0.1, 99_999_999_999.99])
  })

  it("an ExactNumber converts to a JavaScript number", () => {
    const exact = parseAccepted("0.1234567890123456789")
    assert.instanceOf(exact, ExactNumber)
    assert.isTrue(Number(exact) > 0.12 && Number(exact) < 0.13)
  })

  it("plus is exact to the last digit", () => {
    assert.strictEqual(plus(0.1, 0.2), 0.3)
    assert.strictEqual(plus(3, -3), 0)
    fc.assert(
      fc.property(spelling, spelling, (a, b) => {
        const [first, second] = [parseAccepted(`[${a}]`), parseAccepted(`[${b}]`)].map(numberIn)
        const sum = stringify(plus(first ?? 0, second ?? 0))
        assert.strictEqual(exactValue(sum), exactValue(a) + exactValue(b))
      }),
      { numRuns: 2000 }
    )
  })

  it("numbers are at most 999999999999999 in magnitude", () => {
    assert.strictEqual(parseAccepted(String(MAX_NUMBER)), 999_999_999_999_999)
    assert.strictEqual(parseAccepted(String(-MAX_NUMBER)), -999_999_999_999_999)
    const line = "n: must be a number of at most 999999999999999"
    for (const text of [
      "1000000000000000",
      "-1000000000000000",
      "999999999999999.5",
      "1e15",
      "1e400",
      "-1e400",
      "1e9999999"
    ]) {
      assert.deepStrictEqual(issues(`{"n":${text}}`), [line], text)
    }
  })

  it("numbers have at most 255 digits, and exponents outside the range of the database are rejected", () => {
    const longest = `0.${"7".repeat(MAX_DIGITS - 2)}`
    assert.strictEqual(stringify(parseAccepted(longest)), longest)
    const line = "n: must be a number of at most 255 digits"
    for (const text of [`${longest}7`, "1e-301", "0.5e-99999", "0e-99999", "0e99999999999", "0.0E-2000", "-0e-400"]) {
      assert.deepStrictEqual(issues(`{"n":${text}}`), [line], text)
    }
    assert.strictEqual(exactValue(stringify(parseAccepted("0e-200"))), 0n)
  })
})

describe("Serialized JSON", () => {
  it("a value does not change when it is serialized and parsed", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\\u0000", '"\\u00001', "1e5", "12345678901234567890")
    )
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(
          fc.constant(null),
          fc.boolean(),
          fc.integer(),
          // With more digits, parsing returns an ExactNumber.
          fc
            .double({ noNaN: true, min: -1e14, max: 1e14 })
            .filter((n) => n === 0 || Math.abs(n) > 1e-290)
            .map((n) => Number(n.toPrecision(15)))
        ),
        text.map((value) => value.replaceAll("\u0000", "0")),
        spelling.map(parseAccepted),
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
        const serialized = stringify(value)
        assert.strictEqual(stringify(parse(serialized)), serialized)
        assert.strictEqual(stringify(parseAccepted(serialized)), serialized)
        assert.strictEqual(canonical(parse(serialized)), canonical(value))
      }),
      { numRuns: 1000 }
    )
  })

  it("canonical JSON is equal for all notations of a number and different for other numbers", () => {
    for (const [number, ...spellings] of [
      ["100", "1e2", "1E+2", "100.0", "0.1e3", "1000000000000000000e-16", "100.0000000000000000"],
      ["0.0000001", "1e-7", "0.1E-6", "0.000000100000000000"],
      ["0", "-0", "0e5", "0.00000000000000000000"],
      ["-12.5", "-1.25e1", "-125e-1"],
      ["0.12345678901234567", "12345678901234567e-17", "0.1234567890123456700", "1.2345678901234567e-1"],
      ["99999999999999.123", "99999999999999.12300", "99999999999999123e-3"]
    ]) {
      for (const spelling of spellings) {
        assert.strictEqual(canonical(parse(`[${spelling}]`)), canonical(parse(`[${number}]`)), spelling)
      }
    }
    const numbers = [
      "100",
      "1e3",
      "1e-2",
      "0.12345678901234567",
      "0.12345678901234568",
      "-0.12345678901234567",
      "0.1234567890123456"
    ]
    assert.strictEqual(new Set(numbers.map((number) => canonical(parse(`[${number}]`)))).size, numbers.length)
  })

  it("canonical JSON ignores only the order of keys and white space", () => {
    const same = canonical(parse('{"b":[1,{"d":1,"c":2}],"a":0.12345678901234567}'))
    assert.strictEqual(canonical(parse('{ "a": 0.12345678901234567,\n "b": [1, {"c":2, "d":1}] }')), same)
    for (const other of [
      '{"b":[1,{"d":1,"c":2}],"a":0.12345678901234568}',
      '{"b":[{"d":1,"c":2},1],"a":0.12345678901234567}',
      '{"b":[1,{"d":1,"c":"2"}],"a":0.12345678901234567}',
      '{"b":[1,{"d":1,"c":2}],"a":"0.12345678901234567"}',
      '{"b":[1,{"d":1,"c":2}],"a":0.12345678901234567,"e":null}'
    ]) {
      assert.notStrictEqual(canonical(parse(other)), same, other)
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
    assert.deepStrictEqual(issues('["\\u0000123", 0.12345678901234567890]'), ["0: must not contain the NUL character"])
  })

  it("an issue has a shortened path, or no path for the root", () => {
    assert.deepStrictEqual(issues('{"\\u0000":1}'), ["a key must not contain the NUL character"])
    const [long = ""] = issues(`{"a":{"${"k".repeat(900_000)}":1e16}}`)
    assert.strictEqual(long, `a.${"k".repeat(253)}…: must be a number of at most 999999999999999`)
    const [cut = ""] = issues(`{"${"😀".repeat(300)}":1e16}`)
    assert.isTrue(cut.isWellFormed())
  })

  it("at most 100 issues are listed, also below a long key", () => {
    const lines = issues(`{"${"k".repeat(500_000)}":[${Array.from({ length: 20_000 }, () => "1e400").join()}]}`)
    assert.lengthOf(lines, 100)
    assert.strictEqual(lines.at(-1), "19,901 more issues are not listed")
  })

  it("every invalid value has its own issue", () => {
    assert.deepStrictEqual(issues('{"a":1e16,"b":[{"c":"\\u0000"},0.5e-9999],"d":1}'), [
      "a: must be a number of at most 999999999999999",
      "b.0.c: must not contain the NUL character"
    ])
  })
})

describe("memberText", () => {
  const serialized = fc
    .jsonValue({ maxDepth: 3 })
    .chain((value) => fc.constantFrom(JSON.stringify(value), JSON.stringify(value, null, 2)))
  const names = fc.constantFrom("value", "key", 'a"b', "\\", "", "{", "é")

  it("memberText returns the text of the last member with the given name", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(names, serialized)), names, (members, name) => {
        const json = `{ ${members.map(([key, text]) => `${JSON.stringify(key)} : ${text}`).join(" ,\n")} }`
        assert.strictEqual(memberText(json, name), members.findLast(([key]) => key === name)?.[1])
      }),
      { numRuns: 2000 }
    )
  })
})
