import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { canonical } from "../../src/domain/json/Json.ts"
import { typedNumbers } from "../../src/web/data/typedNumbers.ts"

/** Languages with other digits, separators, sizes of groups, minus signs, and prices unlike other numbers. */
const LOCALES =
  "ar-EG de-AT de-CH de-DE en-IN en-US es-ES fa-IR fr-CH fr-FR he-IL hi-IN ja-JP mr-IN pl-PL pt-BR pt-PT sv-SE".split(
    " "
  )

const decimals = fc
  .record({
    isNegative: fc.boolean(),
    whole: fc.nat(999_999_999_999),
    fraction: fc.option(fc.stringMatching(/^[0-9]{0,2}[1-9]$/), { nil: undefined })
  })
  .map(({ fraction, isNegative, whole }) =>
    [isNegative && whole > 0 ? "-" : "", whole, fraction === undefined ? "" : `.${fraction}`].join("")
  )

/** Spelling of a result, independent of floats. */
const spelled = Result.match({ onFailure: (problem: string) => problem, onSuccess: canonical })

/** Digits of a number, from the first that is not zero to the last. */
const digitsOf = (text: string) => text.replaceAll(/[^0-9]/g, "").replaceAll(/^0+|0+$/g, "")

/** Texts by language: the number, or the message that a form shows. */
const TYPED: Readonly<Record<string, ReadonlyArray<readonly [text: string, outcome: number | string]>>> = {
  "de-DE": [
    ["1.234,50", 1234.5],
    ["12,50", 12.5],
    ["1,234", 1.234],
    ["1234", 1234],
    ["1.234.567", 1_234_567],
    ["1.234", "could be 1234 or 1,234. Type one of them"],
    ["12.50", "must be a number, such as 12,50"],
    ["1,234.50", "must be a number, such as 1234,50 or 1.234,50"],
    ["1 234,50", "must be a number, such as 1234,50 or 1.234,50"],
    ["1e9", "must be a number, such as 1234,50 or 1.234,50"]
  ],
  "fr-FR": [
    ["1\u202f234,50", 1234.5],
    ["2\u00a0234,50", 2234.5],
    ["3 234,50", 3234.5],
    ["4 234", 4234],
    ["12,50", 12.5],
    ["12.50", "must be a number, such as 12,50"],
    ["1.234", "must be a number, such as 1,234"],
    ["1.234,50", "must be a number, such as 1234,50 or 1\u202f234,50"]
  ],
  "pt-BR": [
    ["1.234,50", 1234.5],
    ["12,50", 12.5],
    ["1.234", "could be 1234 or 1,234. Type one of them"],
    ["12.50", "must be a number, such as 12,50"],
    ["1\u00a0234,50", "must be a number, such as 1234,50 or 1.234,50"]
  ],
  "en-US": [
    ["1,234.50", 1234.5],
    ["12.50", 12.5],
    ["1.234", 1.234],
    ["1,234", "could be 1234 or 1.234. Type one of them"],
    ["12,50", "must be a number, such as 12.50"],
    ["1.234,50", "must be a number, such as 1234.50 or 1,234.50"]
  ],
  "de-CH": [
    ["1’234.50", 1234.5],
    ["2'234", 2234],
    ["12,50", "must be a number, such as 12.50"]
  ],
  "en-IN": [
    ["12,34,567.50", 1_234_567.5],
    ["1,234,567.50", "must be a number, such as 1234.50 or 1,234.50"]
  ],
  "ar-EG": [
    ["١٬٢٣٤٫٥٠", 1234.5],
    ["12.50", 12.5],
    ["١٬٢٣٤", 1234],
    ["1,234", "could be ١٢٣٤ or ١٫٢٣٤. Type one of them"]
  ]
}

describe("Typed numbers", () => {
  for (const [locale, typed] of Object.entries(TYPED)) {
    it(`a price is parsed as ${locale} reads it, and an ambiguous or misspelled one is refused`, () => {
      const { parseNumber } = typedNumbers(locale)
      for (const [text, outcome] of typed) {
        const expected = typeof outcome === "number" ? Result.succeed(outcome) : Result.fail(outcome)
        assert.deepStrictEqual(parseNumber(text), expected, text)
      }
    })
  }

  it("a number is parsed from its own text, and from that of lists and prices, in every language", () => {
    fc.assert(
      fc.property(fc.constantFrom(...LOCALES), decimals, (locale, decimal) => {
        const { numberText, parseNumber } = typedNumbers(locale)
        const value = Number(decimal)
        assert.strictEqual(spelled(parseNumber(numberText(value))), canonical(value))
        const price = new Intl.NumberFormat(locale, { style: "currency", currency: "EUR" })
          .formatToParts(value)
          .filter(({ type }) => type !== "currency" && type !== "literal")
          .map((part) => part.value)
          .join("")
        const cents = Number(value.toFixed(2))
        assert.strictEqual(spelled(parseNumber(price)), canonical(cents), price)
      })
    )
  })

  it("a text with two readings is refused with both, and each of them is accepted", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("de-AT", "de-DE", "en-IN", "en-US", "es-ES", "pt-BR"),
        fc.integer({ min: 1, max: 999 }),
        fc.stringMatching(/^[0-9]{3}$/),
        (locale, whole, group) => {
          const { numberText, parseNumber } = typedNumbers(locale)
          const separator = locale.startsWith("en") ? "," : "."
          const spellings = [
            numberText(Number(`${whole}${group}`)),
            `${whole}${locale.startsWith("en") ? "." : ","}${group}`
          ]
          const refused = parseNumber(`${whole}${separator}${group}`)
          // Indian groups of lakhs have two digits, so `123,456` is malformed there.
          if (locale === "en-IN" && whole > 99) return assert.isTrue(Result.isFailure(refused))
          assert.deepStrictEqual(refused, Result.fail(`could be ${spellings[0]} or ${spellings[1]}. Type one of them`))
          for (const spelling of spellings) assert.isTrue(Result.isSuccess(parseNumber(spelling)), spelling)
        }
      )
    )
  })

  it("an accepted text keeps all its digits", () => {
    const parts = fc.constantFrom(
      "1",
      "12",
      "123",
      "000",
      ".",
      ",",
      " ",
      "\u00a0",
      "\u202f",
      "'",
      "’",
      "-",
      "٫",
      "٬",
      "٣"
    )
    fc.assert(
      fc.property(fc.constantFrom(...LOCALES), fc.array(parts, { maxLength: 7 }), (locale, texts) => {
        const text = texts.join("")
        const { numberText, parseNumber } = typedNumbers(locale)
        const parsed = parseNumber(text)
        if (Result.isFailure(parsed)) return
        assert.strictEqual(spelled(parseNumber(numberText(parsed.success))), canonical(parsed.success))
        assert.strictEqual(digitsOf(parsed.success.toFixed(7)), digitsOf(text.replaceAll("٣", "3")))
      })
    )
  })

  it("a whole number has no decimals, so its separators are groups", () => {
    const { parseNumber, parseWhole } = typedNumbers("de-DE")
    assert.deepStrictEqual(parseWhole("1.000"), Result.succeed(1000))
    assert.deepStrictEqual(parseWhole("12,5"), Result.fail("must be a whole number, such as 1234 or 1.234"))
    assert.deepStrictEqual(
      typedNumbers("en-US").parseWhole("1.000"),
      Result.fail("must be a whole number, such as 1234 or 1,234")
    )
    assert.deepStrictEqual(parseNumber(",5"), Result.succeed(0.5))
    assert.deepStrictEqual(parseNumber("−007"), Result.succeed(-7))
    for (const text of [
      "",
      "-",
      ",",
      "1,",
      "1..234",
      "01.234",
      "12.34",
      "1.2345",
      "0x10",
      "1e3",
      "NaN",
      "∞",
      "1,5,0"
    ]) {
      assert.isTrue(Result.isFailure(parseNumber(text)), text)
    }
    assert.deepStrictEqual(parseNumber("1.000.000.000.000.000"), Result.succeed(1e15))
    assert.deepStrictEqual(parseNumber("0,1234567890123456789"), Result.fail("has too many digits. Use at most 15"))
  })
})
