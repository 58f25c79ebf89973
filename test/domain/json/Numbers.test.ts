import { assert, describe, it } from "@effect/vitest"
import { BigDecimal, Result } from "effect"
import * as fc from "fast-check"
import { NOT_A_DOUBLE, plus, toDouble } from "../../../src/domain/json/Numbers.ts"
import { parseUntrusted } from "../../../src/domain/json/UntrustedJson.ts"

const issuesOf = (text: string) =>
  Result.match(parseUntrusted(text), { onFailure: ({ issues }) => issues, onSuccess: () => [] })

const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`))

/** JSON numbers in every notation, of few and of many digits. */
const spelling = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9][0-9]{0,20}$/)),
    fc.option(fc.oneof(digits(3), digits(40))),
    fc.option(fc.constantFrom("e-7", "E+0", "e0", "E-200", "e15", "e-312", "E308"))
  )
  .map(
    ([sign, whole, decimals, exponent]) => `${sign}${whole}${decimals === null ? "" : `.${decimals}`}${exponent ?? ""}`
  )

/** Tests by arithmetic whether a double prints as the same value. */
const isHeld = (text: string) => {
  const number = Number(text)
  return (
    Number.isFinite(number) &&
    BigDecimal.equals(BigDecimal.fromStringUnsafe(String(number)), BigDecimal.fromStringUnsafe(text))
  )
}

describe("Numbers of a JSON text", () => {
  it("a number is accepted if a double prints as the same value, wherever it is", () => {
    fc.assert(
      fc.property(spelling, (text) => {
        const isAccepted = isHeld(text)
        assert.strictEqual(Number.isNaN(toDouble(text)), !isAccepted, text)
        for (const [json, path] of [
          [text, ""],
          [`{"a":[1,{"b c":${text}}]}`, "a.1.b c: "],
          [`{"text": "0.1234567890123456789, \\"",\n"b": ${text} }`, "b: "],
          [`[0.12345678901234568,${text},5e-324]`, "1: "]
        ]) {
          assert.deepStrictEqual(issuesOf(json ?? ""), isAccepted ? [] : [`${path}${NOT_A_DOUBLE}`], json)
        }
      }),
      { numRuns: 2000 }
    )
  })

  it("an accepted number does not change its value, and every double is accepted", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        assert.deepStrictEqual(Result.getOrThrow(parseUntrusted(`[${number}]`)), [Number(String(number))])
      })
    )
    for (const [text, value] of [
      ["1e2", 100],
      ["0.10000000000000000000", 0.1],
      ["12345678901234500000", 12_345_678_901_234_500_000],
      ["0e99999999999", 0],
      [`0.${"0".repeat(20_000)}`, 0],
      ["1.7976931348623157e308", Number.MAX_VALUE]
    ] as const) {
      assert.strictEqual(Result.getOrThrow(parseUntrusted(text)), value, text)
    }
  })
})

describe("Sums", () => {
  it("a sum is that of the decimals, or NaN if no double has it", () => {
    assert.strictEqual(plus(0.1, 0.2), 0.3)
    assert.strictEqual(plus(3, -3), 0)
    assert.isNaN(plus(1000, 1e-14))
    const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, min: -1e14, max: 1e14 }))
    fc.assert(
      fc.property(number, number, (a, b) => {
        const exact = BigDecimal.sum(BigDecimal.fromNumberUnsafe(a), BigDecimal.fromNumberUnsafe(b))
        const sum = plus(a, b)
        assert.strictEqual(Number.isNaN(sum), !isHeld(BigDecimal.format(exact)))
        if (!Number.isNaN(sum)) assert.isTrue(BigDecimal.equals(BigDecimal.fromNumberUnsafe(sum), exact))
      }),
      { numRuns: 1000 }
    )
  })
})
