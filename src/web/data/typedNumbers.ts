import { Predicate, Result } from "effect"
import { toDouble } from "../../domain/json/Numbers.ts"
import { dataTexts } from "./dataTexts.ts"

/*
 * Numbers as people type them. `Intl` supplies the digits, separators and groups of a language, but no parser. Base
 * UI's `NumberField` drops misplaced separators, so that `12.50` is 1250 in German, and it rounds.
 */

/** Formats of the pages. Some languages separate prices differently: Austrian ones have points, other numbers spaces. */
const STYLES = [{}, { style: "currency", currency: "EUR" }] as const

/** Replaces characters that keyboards lack with those that people type instead. */
const simplified = (text: string) =>
  text
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/\p{Zs}/gu, " ")
    .replaceAll("’", "'")
    .replaceAll("−", "-")

/** Finds a part of a number that has all parts. */
const partOf = (format: Intl.NumberFormat, type: Intl.NumberFormatPartTypes) =>
  format.formatToParts(-1_234_567.5).find((part) => part.type === type)?.value ?? ""

/** Decimal separators of most languages. Pasted text can have either. */
const COMMON_DECIMALS = ["en", "de"].map((locale) => partOf(new Intl.NumberFormat(locale), "decimal"))

const DIGITS = /^\d+$/

/** Formats and parses numbers in a language, by default that of the browser. */
export const typedNumbers = (locale?: string) => {
  const plain = new Intl.NumberFormat(locale)
  const unrounded = new Intl.NumberFormat(locale, { useGrouping: false, maximumSignificantDigits: 21 })
  const decimalSign = partOf(plain, "decimal")
  const minusSign = partOf(plain, "minusSign")
  const digits = [...new Intl.NumberFormat(locale, { useGrouping: false }).format(9_876_543_210)].toReversed()

  /** Formats with the digits of the language and with Latin ones, because many keyboards have only the latter. */
  const formats = [plain.resolvedOptions().numberingSystem, "latn"].flatMap((numberingSystem) =>
    STYLES.map((style) => new Intl.NumberFormat(locale, { ...style, numberingSystem, useGrouping: "always" }))
  )
  const separators = (type: "decimal" | "group") => [
    ...new Set(formats.map((format) => simplified(partOf(format, type))).filter((separator) => separator !== ""))
  ]
  const decimals = separators("decimal")
  const groups = separators("group")

  const ascii = (text: string) =>
    [...simplified(text)].map((char) => (digits.includes(char) ? String(digits.indexOf(char)) : char)).join("")

  /** Spelling of a whole number with the groups of a format. */
  const grouped = (format: Intl.NumberFormat, whole: string) =>
    ascii(
      format
        .formatToParts(BigInt(whole))
        .filter(({ type }) => type === "integer" || type === "group")
        .map(({ value }) => value)
        .join("")
    )

  /** Digits of a whole number, if it has no groups or well-formed ones. */
  const wholeOf = (text: string) => {
    const whole = groups.reduce((rest, separator) => rest.replaceAll(separator, ""), text)
    if (!DIGITS.test(whole)) return undefined
    return whole === text || formats.some((format) => grouped(format, whole) === text) ? whole : undefined
  }

  const decimalOf = (text: string) => (separator: string) => {
    const at = text.indexOf(separator)
    const fraction = text.slice(at + separator.length)
    const whole = at === 0 ? "0" : wholeOf(text.slice(0, at))
    return at === -1 || whole === undefined || !DIGITS.test(fraction) ? undefined : `${whole}.${fraction}`
  }

  const localized = (decimal: string) =>
    [...decimal]
      .map((char) => (char === "." ? decimalSign : char === "-" ? minusSign : (digits[Number(char)] ?? char)))
      .join("")

  /** Examples without and with groups. */
  const examples = (amount: number, decimalPlaces: number) => {
    const options = { minimumFractionDigits: decimalPlaces, useGrouping: "always" } as const
    return [localized(amount.toFixed(decimalPlaces)), new Intl.NumberFormat(locale, options).format(amount)] as const
  }

  const parse = (typed: string, isWhole: boolean): Result.Result<number, string> => {
    const [, sign = "", text = ""] = /^([-+]?)(.*)$/s.exec(ascii(typed).trim()) ?? []
    const local = [wholeOf(text), ...(isWhole ? [] : decimals.map(decimalOf(text)))].filter(Predicate.isNotUndefined)
    const foreign = isWhole ? [] : COMMON_DECIMALS.map(decimalOf(text)).filter(Predicate.isNotUndefined)
    const [value, other] = local.length === 0 ? [] : new Set([...local, ...foreign])
    const minus = sign === "-" ? sign : ""
    if (value === undefined) {
      const [meant] = foreign
      if (isWhole) return Result.fail(dataTexts.input.notWhole(...examples(1234, 0)))
      if (meant !== undefined) return Result.fail(dataTexts.input.notANumber(localized(minus + meant)))
      return Result.fail(dataTexts.input.notANumber(...examples(1234.5, 2)))
    }
    if (other !== undefined) {
      return Result.fail(dataTexts.input.ambiguous(localized(minus + value), localized(minus + other)))
    }
    const number = toDouble(minus + value)
    return Number.isNaN(number) ? Result.fail(dataTexts.input.tooManyDigits) : Result.succeed(number)
  }

  return {
    /** Formats a number with all its digits and without groups, so that it has one reading. */
    numberText: (value: number): string => unrounded.format(value),
    /** Parses a number. Refuses text that is another number in other languages. */
    parseNumber: (typed: string) => parse(typed, false),
    /** Parses a whole number. Its separators can only be groups. */
    parseWhole: (typed: string) => parse(typed, true)
  }
}

export const { numberText, parseNumber, parseWhole } = typedNumbers()

/** Parses a number as APIs write it, with a decimal point. */
export const parseCanonical = typedNumbers("en").parseNumber
