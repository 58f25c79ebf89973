import { type JsonSchema, Schema, SchemaTransformation } from "effect"
import { boundedArray, boundedRecord } from "../json/Bounded.ts"
import { NUL } from "../json/Json.ts"
import { MAX_NUMBER } from "../json/Numbers.ts"
import { asciiUpperCase, foldCase, formatInteger } from "../Text.ts"
import { parseUrl } from "../Url.ts"
import { CURRENCIES, FORMER_CURRENCIES } from "./Currencies.ts"

/*
 * Value types of products and collections. The message of each schema is one sentence on the accepted values; clients
 * read it in `issues`.
 */

/** Check that always passes. Adds to the JSON Schema of a value that is validated elsewhere. */
export const withJsonSchema = (jsonSchema: JsonSchema.JsonSchema) =>
  Schema.makeFilter(() => true, { toJsonSchema: () => jsonSchema })

/** Tests the length in code points, so that an emoji counts once. Text with few enough code units is not counted. */
const isAtMost = (max: number) => (text: string) => text.length <= max || [...text].length <= max

/** Text of at most `max` characters, kept as sent. */
export const text = (max: number) =>
  Schema.String.check(
    Schema.makeFilter(isAtMost(max), {
      message: `must be text of at most ${formatInteger(max)} characters`,
      toJsonSchema: () => ({ maxLength: max })
    })
  )

/** Anything but white space, control characters and characters without a shape, as U+200B. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}]/u

/** Text of 1 to `max` characters after trimming, at least one of them visible. It is stored trimmed. */
export const trimmed = (max: number) =>
  Schema.String.check(withJsonSchema({ minLength: 1, maxLength: max, pattern: "\\S" })).pipe(
    Schema.decodeTo(
      Schema.String.check(
        Schema.makeFilter((text) => text !== "" && isAtMost(max)(text), {
          message: `must be text of 1 to ${max} characters`,
          toJsonSchema: () => ({ minLength: 1, maxLength: max })
        }),
        Schema.makeFilter((text) => text === "" || VISIBLE.test(text), {
          message: `must be text of 1 to ${max} characters, not only invisible ones`
        })
      ),
      SchemaTransformation.transform({ decode: (text) => text.trim(), encode: (text) => text })
    )
  )

/** Check of text that comes in a URL or in a form: it can contain NUL, which the database refuses. */
export const WITHOUT_NUL = Schema.makeFilter((text: string) => !text.includes(NUL), {
  message: "must not contain the NUL character"
})

/** Any JSON value. The codecs do not look into it, because the parser of the body has. */
export const JsonValue = Schema.declare((_: unknown): _ is unknown => true, { toCodecJson: () => undefined })

/** Number with any number of decimals. */
export const numberFrom = (minimum: number, maximum = MAX_NUMBER) =>
  Schema.Finite.check(
    Schema.isBetween({ minimum, maximum }, { message: `must be a number from ${minimum} to ${maximum}` })
  )

/** Amount of money, goods or weight, at least 0. */
export const Amount = numberFrom(0)

/** Difference between two amounts. */
export const AmountDelta = numberFrom(-MAX_NUMBER)

export const Bool = Schema.Boolean.annotate({ message: "must be true or false" })

/**
 * White space, control characters and backslashes. URL parsers skip or replace them, so that a URL with one would be
 * read differently by different programs.
 */
const NOT_IN_URL = String.raw`\s\u0000-\u001f\u007f-\u009f\\`

const HTTP_URL = new RegExp(`^[Hh][Tt][Tt][Pp][Ss]?://[^${NOT_IN_URL}/?#]+[^${NOT_IN_URL}]*$`)

export const isHttpUrl = (url: string): boolean =>
  isAtMost(2048)(url) && HTTP_URL.test(url) && parseUrl(url) !== undefined

/** HTTP or HTTPS URL of at most 2,048 characters, stored as sent. The service does not fetch it. */
export const HttpUrl = Schema.String.check(
  Schema.makeFilter(isHttpUrl, {
    message: "must be an absolute http or https URL of at most 2,048 characters, without spaces or backslashes",
    // No format `uri`: it allows only ASCII, and URLs may contain letters of any script.
    toJsonSchema: () => ({ pattern: HTTP_URL.source, maxLength: 2048 })
  })
)

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Part of a URL that names a product or collection. */
export const Slug = Schema.String.check(
  Schema.makeFilter((slug) => slug.length <= 255 && SLUG.test(slug), {
    message: "must be 1 to 255 of a-z, 0-9 and single hyphens between them",
    toJsonSchema: () => ({ pattern: SLUG.source, minLength: 1, maxLength: 255 })
  })
)

const ISO_4217 = withJsonSchema({ pattern: "^[A-Za-z]{3}$" })

const currencyCode = (isAccepted: (code: string) => boolean, message: string) =>
  Schema.String.check(ISO_4217).pipe(
    Schema.decodeTo(
      Schema.String.check(
        Schema.makeFilter(isAccepted, { message, toJsonSchema: () => ({ pattern: "^[A-Za-z]{3}$" }) })
      ),
      SchemaTransformation.transform({ decode: asciiUpperCase, encode: (code) => code })
    )
  )

/** Current currency code of ISO 4217, in any case; stored in upper case. */
export const CurrencyCode = currencyCode(
  (code) => CURRENCIES.has(code),
  "must be a current currency code of ISO 4217, as in EUR"
)

/** Currency code of something in the past, which may be a former one. */
export const PastCurrencyCode = currencyCode(
  (code) => CURRENCIES.has(code) || FORMER_CURRENCIES.has(code),
  "must be a currency code of ISO 4217, as in EUR"
)

/** Currency code of a stored value. It was current when it was written. */
export const StoredCurrencyCode = Schema.String.check(withJsonSchema({ pattern: "^[A-Z]{3}$" }))

/** Describes a schema on its encoded side, which JSON Schema shows. */
export const withDescription = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] =>
  schema.ast.encoding === undefined
    ? schema.annotate({ description })
    : schema.pipe(Schema.annotateEncoded({ description }))

/** Describes a field with an example, for the API reference. */
export const field = <S extends Schema.Top>(
  schema: S,
  description: string,
  example: S["Type"] & S["Encoded"]
): S["Rebuild"] =>
  schema.ast.encoding === undefined
    ? schema.annotate({ description, examples: [example] })
    : schema.pipe(Schema.annotateEncoded({ description, examples: [example] }))

/** Describes a nullable field with an example. */
export const nullable = <S extends Schema.Top>(schema: S, description: string, example: S["Type"] & S["Encoded"]) =>
  field(Schema.NullOr(schema), description, example)

/** Field that may be absent. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(schema)

/** Trimmed tags without duplicates that differ only in case. Keeps the first spelling and the order. */
export const tags = (description: string, example: ReadonlyArray<string>) =>
  field(boundedArray(trimmed(255), 250), description, example).pipe(
    Schema.decodeTo(
      Schema.Array(Schema.String),
      SchemaTransformation.transform<ReadonlyArray<string>, ReadonlyArray<string>>({
        decode: (tags) => {
          const unique = new Map<string, string>()
          for (const tag of tags) if (!unique.has(foldCase(tag))) unique.set(foldCase(tag), tag)
          return [...unique.values()]
        },
        encode: (tags) => tags
      })
    )
  )

/** Object with the given fields and any others, which are kept as sent. */
export const openStruct = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, JsonValue)]).annotate({
    message: "must be an object"
  })

const AnyObject = boundedRecord(JsonValue)

/** JSON object or list of objects, kept as sent. */
export const OpaqueJson = Schema.Union([AnyObject, boundedArray(AnyObject)]).annotate({
  message: "must be an object or a list of objects"
})

/** RFC 3339 time in UTC with milliseconds, by the clock of the database. */
export const Timestamp = Schema.String.annotate({
  description: "RFC 3339 in UTC with milliseconds",
  format: "date-time",
  examples: ["2026-01-31T09:30:00.000Z"]
})

export const Version = Schema.Int.check(withJsonSchema({ minimum: 1 })).annotate({
  description: "Version number, starting at 1 and increased by 1 with every change",
  examples: [1]
})
