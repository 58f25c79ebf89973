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

const accepted = (text: string) => Result.getOrThrow(parseUntrusted(text))
const issues = (text: string) =>
  Result.match(parseUntrusted(text), { onFailure: ({ issues }) => issues, onSuccess: () => "ok" })

/** A decimal text as a fraction of 10^600: what the text means, with none of its digits lost. */
const meaning = (text: string): bigint => {
  const [, sign = "", whole = "", decimals = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = BigInt(`${whole}${decimals}`) * 10n ** BigInt(600 - decimals.length + Number(exponent))
  return sign === "-" ? -digits : digits
}

const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`))
const integer = fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9][0-9]{0,13}$/))

/** Every spelling of a number within the bounds. */
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
  it("mean, written back, exactly what was sent", () => {
    fc.assert(
      fc.property(spelling, (text) => {
        const [written] = /[^[\]]+/.exec(stringify(accepted(`[${text}]`))) ?? []
        assert.strictEqual(meaning(written ?? ""), meaning(text))
      }),
      { numRuns: 2000 }
    )
  })

  it("keep their spelling where a float would change their value", () => {
    for (const text of [
      "0.1234567890123456789",
      "1.00000000000000000001",
      "17.450000762939453125",
      "123456789012345.678"
    ]) {
      assert.strictEqual(stringify(accepted(`{"price":${text}}`)), `{"price":${text}}`)
      assert.strictEqual(stringify(parse(`{"price":${text}}`)), `{"price":${text}}`)
    }
  })

  it("are plain JavaScript numbers where a float holds them", () => {
    assert.deepStrictEqual(accepted("[0, 1, -2.5, 0.1, 99999999999.99]"), [0, 1, -2.5, 0.1, 99_999_999_999.99])
  })

  it("compare and calculate as numbers when exact", () => {
    const exact = accepted("0.1234567890123456789")
    assert.instanceOf(exact, ExactNumber)
    assert.isTrue(Number(exact) > 0.12 && Number(exact) < 0.13)
  })

  it("add up to the last digit", () => {
    assert.strictEqual(plus(0.1, 0.2), 0.3)
    assert.strictEqual(plus(3, -3), 0)
    fc.assert(
      fc.property(spelling, spelling, (a, b) => {
        const [first, second] = [accepted(`[${a}]`), accepted(`[${b}]`)].map(numberIn)
        const sum = stringify(plus(first ?? 0, second ?? 0))
        assert.strictEqual(meaning(sum), meaning(a) + meaning(b))
      }),
      { numRuns: 2000 }
    )
  })

  it("are at most 999999999999999 in magnitude", () => {
    assert.strictEqual(accepted(String(MAX_NUMBER)), 999_999_999_999_999)
    assert.strictEqual(accepted(String(-MAX_NUMBER)), -999_999_999_999_999)
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

  it("have at most 255 digits, and no exponent that a database could not hold", () => {
    const longest = `0.${"7".repeat(MAX_DIGITS - 2)}`
    assert.strictEqual(stringify(accepted(longest)), longest)
    const line = "n: must be a number of at most 255 digits"
    for (const text of [`${longest}7`, "1e-301", "0.5e-99999", "0e-99999", "0e99999999999", "0.0E-2000", "-0e-400"]) {
      assert.deepStrictEqual(issues(`{"n":${text}}`), [line], text)
    }
    assert.strictEqual(meaning(stringify(accepted("0e-200"))), 0n)
  })
})

describe("JSON of this service", () => {
  it("comes back as it was written, whatever its texts look like", () => {
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
          // Of more digits a number that was read is none of JavaScript's.
          fc
            .double({ noNaN: true, min: -1e14, max: 1e14 })
            .filter((n) => n === 0 || Math.abs(n) > 1e-290)
            .map((n) => Number(n.toPrecision(15)))
        ),
        text.map((value) => value.replaceAll("\u0000", "0")),
        spelling.map(accepted),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(
          // The service refuses the key `__proto__`.
          text.map((key) => key.replaceAll("\u0000", "0")).filter((key) => key !== "__proto__"),
          tie("tree"),
          { maxKeys: 4, noNullPrototype: true }
        )
      )
    }))
    fc.assert(
      fc.property(tree, (value) => {
        const written = stringify(value)
        assert.strictEqual(stringify(parse(written)), written)
        assert.strictEqual(stringify(accepted(written)), written)
        assert.strictEqual(canonical(parse(written)), canonical(value))
      }),
      { numRuns: 1000 }
    )
  })

  it("is canonical: a number is the same however it is spelled, and another one is not", () => {
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

  it("is canonical: neither the order of keys nor white space matters, everything else does", () => {
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

describe("JSON of clients", () => {
  it("is refused without lines when it is no JSON", () => {
    for (const text of ["", "{", "{'a':1}", "[1,]", "NaN", "01", "1 2", '{"a":0x10}', '"\n"']) {
      assert.deepStrictEqual(issues(text), [], text)
    }
  })

  it("may be 64 levels deep and no deeper, lists and objects alike", () => {
    assert.strictEqual(issues(lists(MAX_DEPTH)), "ok")
    assert.strictEqual(issues(objects(MAX_DEPTH)), "ok")
    assert.deepStrictEqual(issues(lists(MAX_DEPTH + 1)), [`${path("0")}: must not be nested deeper than 64 levels`])
    assert.deepStrictEqual(issues(objects(MAX_DEPTH + 1)), [`${path("a")}: must not be nested deeper than 64 levels`])
  })

  it("is refused, and nothing breaks, when it is as deep as a body can be long", () => {
    const depth = 500_000
    const deep = `${"[".repeat(depth)}0.12345678901234567890${"]".repeat(depth)}`
    assert.strictEqual(issues(deep).length, 1)
  })

  it("holds no NUL and no half of a surrogate pair, in values and in keys", () => {
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

  it("cannot pass text off as a number", () => {
    assert.deepStrictEqual(accepted('["\\\\u0000123", "123456789012345678", "1e5"]'), [
      "\\u0000123",
      "123456789012345678",
      "1e5"
    ])
    assert.deepStrictEqual(issues('["\\u0000123", 0.12345678901234567890]'), ["0: must not contain the NUL character"])
  })

  it("says where by a path of a length that can be read, and of the whole value only what is wrong", () => {
    assert.deepStrictEqual(issues('{"\\u0000":1}'), ["a key must not contain the NUL character"])
    const [long = ""] = issues(`{"a":{"${"k".repeat(900_000)}":1e16}}`)
    assert.strictEqual(long, `a.${"k".repeat(253)}…: must be a number of at most 999999999999999`)
    const [cut = ""] = issues(`{"${"😀".repeat(300)}":1e16}`)
    assert.isTrue(cut.isWellFormed())
  })

  it("has lines no answer breaks under, however many values are wrong below however long a key", () => {
    const lines = issues(`{"${"k".repeat(500_000)}":[${Array.from({ length: 20_000 }, () => "1e400").join()}]}`)
    assert.lengthOf(lines, 100)
    assert.strictEqual(lines.at(-1), "19,901 more issues are not listed")
  })

  it("has a line for everything that is wrong with it", () => {
    assert.deepStrictEqual(issues('{"a":1e16,"b":[{"c":"\\u0000"},0.5e-9999],"d":1}'), [
      "a: must be a number of at most 999999999999999",
      "b.0.c: must not contain the NUL character"
    ])
  })
})

describe("The text of a member", () => {
  const written = fc
    .jsonValue({ maxDepth: 3 })
    .chain((value) => fc.constantFrom(JSON.stringify(value), JSON.stringify(value, null, 2)))
  const names = fc.constantFrom("value", "key", 'a"b', "\\", "", "{", "é")

  it("is what stands there, of several the last, wherever the name stands otherwise", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(names, written)), names, (members, name) => {
        const json = `{ ${members.map(([key, text]) => `${JSON.stringify(key)} : ${text}`).join(" ,\n")} }`
        assert.strictEqual(memberText(json, name), members.findLast(([key]) => key === name)?.[1])
      }),
      { numRuns: 2000 }
    )
  })
})
