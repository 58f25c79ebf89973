import { Predicate, Result } from "effect"
import { toDouble } from "../../../domain/json/Numbers.ts"
import { dataTexts } from "../sharedTexts.ts"

/*
 * Numbers as people type them. `Intl` supplies the digits, separators and groups of a language, but no parser. Base
 * UI's `NumberField` guesses: it drops misplaced separators, so that `480.50` is 48050 in German and `1,5` is 15 in
 * English, it reads `12.50` in French, and it rounds. So this parser refuses what is misspelled in the language.
 */

/** Formats of the pages. Some languages separate prices differently: Austrian ones have points, other numbers spaces. */
const STYLES = [{}, { style: "currency", currency: "EUR" }] as const

/** Languages whose separators people mix up with those of their own. */
const OTHER_LANGUAGES = ["en", "de"]

/** Distance of full-width characters, which Japanese and Chinese keyboards type, from ASCII. */
const FULL_WIDTH = 0xff_01 - 0x21

/** Replaces characters that keyboards lack with those that people type instead. */
const simplified = (text: string) =>
  text
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/\p{Zs}/gu, " ")
    .replaceAll(/[\uff01-\uff5e]/gu, (char) => String.fromCodePoint((char.codePointAt(0) ?? 0) - FULL_WIDTH))
    .replaceAll("’", "'")
    .replaceAll("−", "-")

/** Finds a part of a number that has all parts. */
const partOf = (format: Intl.NumberFormat, type: Intl.NumberFormatPartTypes) =>
  format.formatToParts(-1_234_567.5).find((part) => part.type === type)?.value ?? ""

const digitsOf = (locale: string | undefined) => [
  ...new Intl.NumberFormat(locale, { useGrouping: false }).format(9_876_543_210)
]

const DIGITS = /^\d+$/

/** Reads decimals with the separators and groups of a language. */
const readerOf = (locale: string | undefined) => {
  const digits = digitsOf(locale).toReversed()
  const { numberingSystem: ownDigits } = new Intl.NumberFormat(locale).resolvedOptions()
  /** Formats with the digits of the language and with Latin ones, because many keyboards have only the latter. */
  const formats = [ownDigits, "latn"].flatMap((numberingSystem) =>
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

  return {
    ascii,
    wholeOf,
    /** Decimal of a text, with a point. No language has a separator that is both a group and a decimal one. */
    read: (text: string) => wholeOf(text) ?? decimals.map(decimalOf(text)).find(Predicate.isNotUndefined)
  }
}

const otherReaders = OTHER_LANGUAGES.map(readerOf)

/** Decimal places of a currency. */
const placesOf = (currency: string) =>
  new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 0

const numberOf = (decimal: string): Result.Result<number, string> => {
  const number = toDouble(decimal)
  return Number.isNaN(number) ? Result.fail(dataTexts.input.tooManyDigits) : Result.succeed(number)
}

/** Number of decimal places of a text, also of zeros at its end. */
const placesIn = (decimal: string) => decimal.split(".")[1]?.length ?? 0

/** Formats and parses numbers in a language, by default that of the browser. */
export const typedNumbers = (locale?: string) => {
  const plain = new Intl.NumberFormat(locale)
  const unrounded = new Intl.NumberFormat(locale, { useGrouping: false, maximumFractionDigits: 20 })
  const decimalSign = partOf(plain, "decimal")
  const minusSign = partOf(plain, "minusSign")
  const digits = digitsOf(locale).toReversed()
  const own = readerOf(locale)

  const localized = (decimal: string) =>
    [...decimal]
      .map((char) => (char === "." ? decimalSign : char === "-" ? minusSign : (digits[Number(char)] ?? char)))
      .join("")

  /** Examples without and with groups. */
  const examples = (amount: number, decimalPlaces: number) => {
    const options = { minimumFractionDigits: decimalPlaces, useGrouping: "always" } as const
    return [localized(amount.toFixed(decimalPlaces)), new Intl.NumberFormat(locale, options).format(amount)] as const
  }

  /** Splits a text into its sign and the rest, in ASCII. */
  const signed = (typed: string) => {
    const [, sign = "", text = ""] = /^([-+]?)(.*)$/s.exec(own.ascii(typed).trim()) ?? []
    return { minus: sign === "-" ? sign : "", text }
  }

  const misspelled = (minus: string, decimals: Iterable<string>) =>
    Result.fail(dataTexts.input.misspelled([...decimals].map((decimal) => localized(minus + decimal))))

  /** Decimal of a text, with a point. Fails if another language reads its only separator as a decimal one. */
  const decimalOf = (typed: string): Result.Result<string, string> => {
    const { minus, text } = signed(typed)
    const value = own.read(text)
    const others = otherReaders.map(({ read }) => read(text)).filter(Predicate.isNotUndefined)
    const meant = new Set(value === undefined ? others : [value, ...others])
    const isGrouped = value !== undefined && value !== text && own.wholeOf(text) === value
    if (value !== undefined && (!isGrouped || meant.size === 1)) return Result.succeed(minus + value)
    return meant.size === 0 ? Result.fail(dataTexts.input.notANumber(...examples(1234.5, 2))) : misspelled(minus, meant)
  }

  const wholeOf = (typed: string): Result.Result<string, string> => {
    const { minus, text } = signed(typed)
    const value = own.wholeOf(text)
    return value === undefined
      ? Result.fail(dataTexts.input.notWhole(...examples(1234, 0)))
      : Result.succeed(minus + value)
  }

  /** Parses an amount of money. It has at most the decimal places of its currency, or those of the stored amount. */
  const parseAmount = (typed: string, currency: string, stored = ""): Result.Result<number, string> => {
    if (currency === "") return Result.flatMap(decimalOf(typed), numberOf)
    const storedPlaces = Result.match(decimalOf(stored), { onFailure: () => 0, onSuccess: placesIn })
    const places = Math.max(placesOf(currency), storedPlaces)
    if (places === 0) return Result.flatMap(wholeOf(typed), numberOf)
    return Result.flatMap(decimalOf(typed), (decimal) =>
      placesIn(decimal) > places
        ? Result.fail(dataTexts.input.tooManyPlaces(places, localized((1234.5).toFixed(places))))
        : numberOf(decimal)
    )
  }

  return {
    /** Formats a number for an input: with all its digits, and without groups, which break while digits are edited. */
    numberText: (value: number): string => unrounded.format(value),
    /** Formats an amount for an input, with at least the decimal places of its currency. */
    amountText: (value: number, currency: string): string =>
      new Intl.NumberFormat(locale, {
        useGrouping: false,
        minimumFractionDigits: placesOf(currency),
        maximumFractionDigits: 20
      }).format(value),
    /** Parses a number as the language spells it. Refuses other spellings with the right one. */
    parseNumber: (typed: string) => Result.flatMap(decimalOf(typed), numberOf),
    parseAmount,
    /** Parses a whole number. */
    parseWhole: (typed: string) => Result.flatMap(wholeOf(typed), numberOf)
  }
}

export const { amountText, numberText, parseAmount, parseNumber, parseWhole } = typedNumbers()

/** Parses a number as APIs write it, with a decimal point. */
export const parseCanonical = typedNumbers("en").parseNumber
