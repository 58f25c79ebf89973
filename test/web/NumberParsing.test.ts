import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { canonical } from "../../src/domain/json/Json.ts"
import { typedNumbers } from "../../src/web/shared/data/typedNumbers.ts"

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
    ["1.234", "Write 1234 or 1,234"],
    ["-12.345", "Write -12345 or -12,345"],
    ["1.234.567", 1_234_567],
    ["480.50", "Write 480,50"],
    ["1.23", "Write 1,23"],
    ["-1.5", "Write -1,5"],
    ["1,234.50", "Write 1234,50"],
    ["1 234,50", "Write a number, such as 1234,50 or 1.234,50"],
    ["1e9", "Write a number, such as 1234,50 or 1.234,50"]
  ],
  "fr-FR": [
    ["1\u202f234,50", 1234.5],
    ["2\u00a0234,50", 2234.5],
    ["3 234,50", 3234.5],
    ["4 234", 4234],
    ["12,50", 12.5],
    ["12.50", "Write 12,50"],
    ["1.234", "Write 1,234 or 1234"],
    ["1.234,50", "Write 1234,50"]
  ],
  "pt-BR": [
    ["1.234,50", 1234.5],
    ["12,50", 12.5],
    ["1.234", "Write 1234 or 1,234"],
    ["12.50", "Write 12,50"],
    ["1\u00a0234,50", "Write a number, such as 1234,50 or 1.234,50"]
  ],
  "en-US": [
    ["1,234.50", 1234.5],
    ["12.50", 12.5],
    ["1.234", 1.234],
    ["1,234", "Write 1234 or 1.234"],
    ["1,234,567", 1_234_567],
    ["1,5", "Write 1.5"],
    ["1.234,50", "Write 1234.50"]
  ],
  "de-CH": [
    ["1’234.50", 1234.5],
    ["2'234", 2234],
    ["12,50", "Write 12.50"]
  ],
  "en-IN": [
    ["12,34,567.50", 1_234_567.5],
    ["12,345", "Write 12345 or 12.345"],
    ["1,234,567.50", "Write 1234567.50"]
  ],
  "ja-JP": [
    ["1,234.50", 1234.5],
    ["１，２３４．５", 1234.5],
    ["1,5", "Write 1.5"]
  ],
  "ar-EG": [
    ["١٬٢٣٤٫٥٠", 1234.5],
    ["12.50", 12.5],
    ["١٬٢٣٤", 1234],
    ["1,234", "Write ١٢٣٤ or ١٫٢٣٤"],
    ["١٬٥", "Write a number, such as ١٢٣٤٫٥٠ or ١٬٢٣٤٫٥٠"],
    ["1,5", "Write ١٫٥"]
  ]
}

describe("Typed numbers", () => {
  for (const [locale, typed] of Object.entries(TYPED)) {
    it(`a price is parsed as ${locale} spells it, and another spelling is refused with the right one`, () => {
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

  it("no accepted text has two readings, in any language", () => {
    const ambiguous = Intl.NumberFormat.supportedLocalesOf(LOCALES).flatMap((locale) => {
      const { parseNumber } = typedNumbers(locale)
      return [".", ",", "٫", "٬", " ", "'"].filter((separator) => {
        const isDecimal = spelled(parseNumber(`1${separator}5`)) === "1.5"
        const isOfOthers = separator === "." || separator === ","
        return (isDecimal || isOfOthers) && spelled(parseNumber(`1${separator}234`)) === "1234"
      })
    })
    assert.deepStrictEqual(ambiguous, [])
  })

  it("an amount has at least the decimal places of its currency, and all its own", () => {
    const { amountText } = typedNumbers("de-DE")
    assert.deepStrictEqual(
      [amountText(481, "EUR"), amountText(1234.5, "JPY"), amountText(0.395, "EUR"), amountText(2, "KWD")],
      ["481,00", "1234,5", "0,395", "2,000"]
    )
  })

  it("an amount has at most the decimal places of its currency, or those of the stored amount", () => {
    const [german, english] = [typedNumbers("de-DE"), typedNumbers("en-US")]
    const typed: ReadonlyArray<readonly [Result.Result<number, string>, number | string]> = [
      [german.parseAmount("1,234", "EUR"), "Use at most 2 decimal places, such as 1234,50"],
      [german.parseAmount("1.234", "EUR"), "Write 1234 or 1,234"],
      [german.parseAmount("1.234,50", "EUR"), 1234.5],
      [german.parseAmount("0,396", "EUR", "0,395"), 0.396],
      [english.parseAmount("1.000", "USD"), "Use at most 2 decimal places, such as 1234.50"],
      [english.parseAmount("1.234", "KWD"), 1.234],
      [english.parseAmount("1,234", "JPY"), 1234],
      [english.parseAmount("12.5", "JPY"), "Write a whole number, such as 1234 or 1,234"],
      [english.parseAmount("12.5", "JPY", "0.5"), 12.5],
      [english.parseAmount("1.234", ""), 1.234]
    ]
    for (const [parsed, outcome] of typed) assert.strictEqual(spelled(parsed), String(outcome))
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
    assert.deepStrictEqual(parseWhole("12,5"), Result.fail("Write a whole number, such as 1234 or 1.234"))
    assert.deepStrictEqual(
      typedNumbers("en-US").parseWhole("1.000"),
      Result.fail("Write a whole number, such as 1234 or 1,234")
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
    assert.deepStrictEqual(parseNumber("0,1234567890123456789"), Result.fail("Use at most 15 digits"))
  })
})
