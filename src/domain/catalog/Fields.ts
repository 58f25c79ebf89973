import { type JsonSchema, Schema, SchemaTransformation } from "effect"
import { listOf, recordOf } from "../Bounded.ts"
import { ExactNumber, type JsonNumber, MAX_NUMBER, wasNumber } from "../Json.ts"
import { fold, grouped } from "../Text.ts"
import { parseUrl } from "../Url.ts"
import { CURRENCIES } from "./Currencies.ts"

/*
 * The kinds of value that products and collections are made of. Each says in one sentence what it takes; that sentence
 * is what a client reads in `issues`.
 */

/** A check that always holds. It adds to the JSON Schema of a value whose bounds are checked elsewhere. */
export const documented = (jsonSchema: JsonSchema.JsonSchema) =>
  Schema.makeFilter(() => true, { toJsonSchema: () => jsonSchema })

/** Characters as a person counts them: code points, so that an emoji is one. Text short enough is not counted. */
const isAtMost = (max: number) => (text: string) => text.length <= max || [...text].length <= max

/** Text of at most `max` characters, kept as sent. */
export const text = (max: number) =>
  Schema.String.check(
    Schema.makeFilter(isAtMost(max), {
      message: `must be text of at most ${grouped(max)} characters`,
      toJsonSchema: () => ({ maxLength: max })
    })
  )

/** Text of 1 to `max` characters after trimming, kept trimmed. */
export const trimmed = (max: number) =>
  Schema.String.check(documented({ minLength: 1, maxLength: max, pattern: "\\S" })).pipe(
    Schema.decodeTo(
      Schema.String.check(
        Schema.makeFilter((text) => text !== "" && isAtMost(max)(text), {
          message: `must be text of 1 to ${max} characters`,
          toJsonSchema: () => ({ minLength: 1, maxLength: max })
        })
      ),
      SchemaTransformation.transform({ decode: (text) => text.trim(), encode: (text) => text })
    )
  )

const isJsonNumber = (value: unknown): value is JsonNumber => typeof value === "number" || value instanceof ExactNumber

/** Any JSON value. Unlike `Schema.Unknown`, it lets the JSON codecs of RPC pass numbers that a float does not hold. */
export const JsonValue = Schema.declare((_: unknown): _ is unknown => true, { toCodecJson: () => undefined })

/** A number of any decimals, kept with all of its digits. */
export const numberFrom = (minimum: number, maximum = MAX_NUMBER) =>
  Schema.declare(isJsonNumber, { expected: "number", toCodecJson: () => undefined }).check(
    Schema.makeFilter((value) => Number(value) >= minimum && Number(value) <= maximum, {
      message: `must be a number from ${minimum} to ${maximum}`,
      toJsonSchema: () => ({ type: "number", minimum, maximum })
    })
  )

/** An amount of money, of goods or of weight. */
export const Amount = numberFrom(0)

/** By how much an amount changes. */
export const Difference = numberFrom(-MAX_NUMBER)

export const Bool = Schema.Boolean.annotate({ message: "must be true or false" })

/**
 * White space, control characters and backslashes: the URL standard passes over them or takes them for something else,
 * so that an address with one in it would be another to some who read it.
 */
const NOT_IN_URL = String.raw`\s\u0000-\u001f\u007f-\u009f\\`

const HTTP_URL = new RegExp(`^[Hh][Tt][Tt][Pp][Ss]?://[^${NOT_IN_URL}/?#]+[^${NOT_IN_URL}]*$`)

export const isHttpUrl = (url: string): boolean =>
  isAtMost(2048)(url) && HTTP_URL.test(url) && parseUrl(url) !== undefined

/** Web addresses of pictures, kept as sent. Nothing is fetched from them. */
export const HttpUrl = Schema.String.check(
  Schema.makeFilter(isHttpUrl, {
    message: "must be an absolute http or https URL of at most 2,048 characters, without spaces or backslashes",
    // Without the format `uri`: that is ASCII alone, and addresses may hold letters of any script.
    toJsonSchema: () => ({ pattern: HTTP_URL.source, maxLength: 2048 })
  })
)

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** The part of an address that names a product or collection. */
export const Slug = Schema.String.check(
  Schema.makeFilter((slug) => slug.length <= 255 && SLUG.test(slug), {
    message: "must be 1 to 255 of a-z, 0-9 and single hyphens between them",
    toJsonSchema: () => ({ pattern: SLUG.source, minLength: 1, maxLength: 255 })
  })
)

const isCurrency = (code: string) => CURRENCIES.has(code)

/** Of a-z only: to JavaScript `ſ` is a small S too. */
const upperCase = (code: string) => code.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())

/** ISO 4217, taken in any case, kept in upper case. */
export const CurrencyCode = Schema.String.check(documented({ pattern: "^[A-Za-z]{3}$" })).pipe(
  Schema.decodeTo(
    Schema.String.check(
      Schema.makeFilter(isCurrency, {
        message: "must be a currency code of ISO 4217, as in EUR",
        toJsonSchema: () => ({ pattern: "^[A-Za-z]{3}$" })
      })
    ),
    SchemaTransformation.transform({ decode: upperCase, encode: (code) => code })
  )
)

/** Describes a schema on its encoded side, which is what JSON Schema shows. */
export const described = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] =>
  schema.ast.encoding === undefined
    ? schema.annotate({ description })
    : schema.pipe(Schema.annotateEncoded({ description }))

/** A member, as the reference tells of it. */
export const field = <S extends Schema.Top>(
  schema: S,
  description: string,
  example: S["Type"] & S["Encoded"]
): S["Rebuild"] =>
  schema.ast.encoding === undefined
    ? schema.annotate({ description, examples: [example] })
    : schema.pipe(Schema.annotateEncoded({ description, examples: [example] }))

/** Likewise, of one that may be null. */
export const nullable = <S extends Schema.Top>(schema: S, description: string, example: S["Type"] & S["Encoded"]) =>
  field(Schema.NullOr(schema), description, example)

/** A member that may be left out. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(schema)

/** Trimmed, and each tag once whatever its case; the first spelling and the order stay. */
export const tags = (description: string, example: ReadonlyArray<string>) =>
  field(listOf(trimmed(255), 250), description, example).pipe(
    Schema.decodeTo(
      Schema.Array(Schema.String),
      SchemaTransformation.transform<ReadonlyArray<string>, ReadonlyArray<string>>({
        decode: (tags) => {
          const kept = new Map<string, string>()
          for (const tag of tags) if (!kept.has(fold(tag))) kept.set(fold(tag), tag)
          return [...kept.values()]
        },
        encode: (tags) => tags
      })
    )
  )

/** A number that is kept as its text is an object to a schema, and none to a client. */
const isNoNumber = (value: object) => !wasNumber(value)

/** An object that may hold more than is named here; the rest is kept as sent. */
export const open = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, JsonValue)]).check(
    Schema.makeFilter(isNoNumber, { message: "must be an object", toJsonSchema: () => ({}) })
  )

const AnyObject = recordOf(JsonValue)

/** A JSON object or a list of them, kept as sent. */
export const Opaque = Schema.Union([AnyObject, listOf(AnyObject)]).annotate({
  message: "must be an object or a list of objects"
})

/** RFC 3339 in UTC with milliseconds, by the database's clock. */
export const Timestamp = Schema.String.annotate({
  description: "RFC 3339 in UTC with milliseconds",
  format: "date-time",
  examples: ["2026-01-31T09:30:00.000Z"]
})

export const Version = Schema.Int.check(documented({ minimum: 1 })).annotate({
  description: "1 at first, one more with every change",
  examples: [1]
})
