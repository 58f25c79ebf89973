import { Schema } from "effect"
import { listOf, recordOf } from "../Bounded.ts"
import { ExactNumber, type JsonNumber, MAX_NUMBER, wasNumber } from "../Json.ts"
import { fold, grouped } from "../Text.ts"
import { parseUrl } from "../Url.ts"
import { CURRENCIES } from "./Currencies.ts"

/*
 * The kinds of value that products and collections are made of. Each says in one sentence what it takes; that sentence
 * is what a client reads in `issues`.
 */

const says = (message: string) => ({ message: () => ({ message, override: true }) })

/** Characters as a person counts them: code points, so that an emoji is one. Text short enough is not counted. */
const isAtMost = (max: number) => (text: string) => text.length <= max || [...text].length <= max

/** Text of at most `max` characters, kept as sent. */
export const text = (max: number) =>
  Schema.String.pipe(
    Schema.filter(isAtMost(max), { jsonSchema: { maxLength: max } }),
    Schema.annotations(says(`must be text of at most ${grouped(max)} characters`))
  )

/** Text of 1 to `max` characters after trimming, kept trimmed. */
export const trimmed = (max: number) =>
  Schema.transform(
    Schema.String,
    Schema.String.pipe(
      Schema.filter((text) => text !== "" && isAtMost(max)(text), { jsonSchema: { minLength: 1, maxLength: max } })
    ),
    { strict: true, decode: (text) => text.trim(), encode: (text) => text }
  ).annotations({
    ...says(`must be text of 1 to ${max} characters`),
    jsonSchema: { minLength: 1, maxLength: max, pattern: "\\S" }
  })

const isJsonNumber = (value: unknown): value is JsonNumber => typeof value === "number" || value instanceof ExactNumber

/** A number of any decimals, kept with all of its digits. */
const numberFrom = (minimum: number) =>
  Schema.declare(
    (value: unknown): value is JsonNumber =>
      isJsonNumber(value) && Number(value) >= minimum && Number(value) <= MAX_NUMBER,
    {
      jsonSchema: { type: "number", minimum, maximum: MAX_NUMBER },
      arbitrary: () => (fc) =>
        fc.oneof(
          fc.nat(),
          fc.integer({ min: 0, max: 10 ** 9 }).map((cents) => cents / 100)
        ),
      ...says(`must be a number from ${minimum} to ${MAX_NUMBER}`)
    }
  )

/** An amount of money, of goods or of weight. */
export const Amount = numberFrom(0)

/** By how much an amount changes. */
export const Difference = numberFrom(-MAX_NUMBER)

export const Bool = Schema.Boolean.annotations(says("must be true or false"))

/**
 * White space, control characters and backslashes: the URL standard passes over them or takes them for something else,
 * so that an address with one in it would be another to some who read it.
 */
const NOT_IN_URL = String.raw`\s\u0000-\u001f\u007f-\u009f\\`

const HTTP_URL = new RegExp(`^[Hh][Tt][Tt][Pp][Ss]?://[^${NOT_IN_URL}/?#]+[^${NOT_IN_URL}]*$`)

/** Web addresses of pictures, kept as sent. Nothing is fetched from them. */
export const HttpUrl = Schema.String.pipe(
  Schema.filter((url) => isAtMost(2048)(url) && HTTP_URL.test(url) && parseUrl(url) !== undefined, {
    // Without the format `uri`: that is ASCII alone, and addresses may hold letters of any script.
    jsonSchema: { pattern: HTTP_URL.source, maxLength: 2048 },
    arbitrary: () => (fc) => fc.webUrl({ validSchemes: ["http", "https"] })
  }),
  Schema.annotations(
    says("must be an absolute http or https URL of at most 2,048 characters, without spaces or backslashes")
  )
)

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** The part of an address that names a product or collection. */
export const Slug = Schema.String.pipe(
  Schema.filter((slug) => slug.length <= 255 && SLUG.test(slug), {
    jsonSchema: { pattern: SLUG.source, minLength: 1, maxLength: 255 },
    arbitrary: () => (fc) => fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}$/)
  }),
  Schema.annotations(says("must be 1 to 255 of a-z, 0-9 and single hyphens between them"))
)

const isCurrency = (code: string) => CURRENCIES.has(code)

/** Of a-z only: to JavaScript `ſ` is a small S too. */
const upperCase = (code: string) => code.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())

/** ISO 4217, taken in any case, kept in upper case. */
export const CurrencyCode = Schema.transform(
  Schema.String,
  Schema.String.pipe(
    Schema.filter(isCurrency, { arbitrary: () => (fc) => fc.constantFrom("USD", "EUR", "JPY", "CHF") })
  ),
  { strict: true, decode: upperCase, encode: (code) => code }
).annotations({
  ...says("must be a currency code of ISO 4217, as in EUR"),
  jsonSchema: { pattern: "^[A-Za-z]{3}$" }
})

/** Message for a value of another type. Issues inside an object have messages of their own. */
const saysOutside = (message: string) => ({ message: () => message })

/** Trimmed, and each tag once whatever its case; the first spelling and the order stay. */
export const Tags = Schema.transform(listOf(trimmed(255), 250), Schema.Array(Schema.String), {
  strict: true,
  decode: (tags) => {
    const kept = new Map<string, string>()
    for (const tag of tags) if (!kept.has(fold(tag))) kept.set(fold(tag), tag)
    return [...kept.values()]
  },
  encode: (tags) => tags
})

/** A member, as the reference tells of it. */
export const field = <A, I>(schema: Schema.Schema<A, I>, description: string, example: A) =>
  schema.annotations({ description, examples: [example] })

/** Likewise, of one that may be null. */
export const nullable = <A, I>(schema: Schema.Schema<A, I>, description: string, example: A) =>
  field(Schema.NullOr(schema), description, example)

/** A member that may be left out. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const rest = { key: Schema.String, value: Schema.Unknown }

/** A number that is kept as its text is an object to a schema, and none to a client. */
const isNoNumber = (value: object) => !wasNumber(value)

/** An object that may hold more than is named here; the rest is kept as sent. */
export const open = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields, rest)
    .annotations(saysOutside("must be an object"))
    .pipe(Schema.filter(isNoNumber, { ...saysOutside("must be an object"), jsonSchema: {} }))

const AnyObject = recordOf(Schema.Unknown)

/** A JSON object or a list of them, kept as sent. */
export const Opaque = Schema.Union(AnyObject, listOf(AnyObject)).annotations(
  says("must be an object or a list of objects")
)

/** RFC 3339 in UTC with milliseconds, by the database's clock. */
export const Timestamp = Schema.String.annotations({
  description: "RFC 3339 in UTC with milliseconds",
  jsonSchema: { format: "date-time" },
  examples: ["2026-01-31T09:30:00.000Z"]
})

export const Version = Schema.Int.annotations({
  description: "1 at first, one more with every change",
  jsonSchema: { type: "integer", minimum: 1 },
  examples: [1]
})
