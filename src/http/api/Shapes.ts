import { Effect, Option, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { BadRequest } from "../../domain/BadRequest.ts"
import { Amount, withDescription, optional } from "../../domain/catalog/Fields.ts"
import { EventLoop } from "../../domain/Events.ts"
import { StoredResponsesFull, KeyReused } from "../../domain/Idempotency.ts"
import { DEFAULT_LIMIT, MAX_LIMIT, PAGE_BYTES, PageLimit } from "../../domain/Page.ts"
import { dryRunFields } from "../../domain/DryRun.ts"
import { parseUntrusted } from "../../domain/json/UntrustedJson.ts"
import { QueryCursor, QueryTooSlow, Total } from "../../domain/Query.ts"
import { publicError } from "../ErrorTable.ts"

/* Schemas that the endpoints of all resources share: list queries, responses and errors of writes. */

/** The annotation that replaces a schema in the OpenAPI document. */
export const JSON_SCHEMA = "jsonSchema"

/** Query parameters of every list (contract, section 8). */
export const pageQuery = <A, I>(cursor: Schema.Codec<A, I>) => ({
  cursor: optional(withDescription(cursor, "The `nextCursor` of the previous page: the id of its last row")),
  limit: Schema.String.annotate({
    // A query value is text unless the parameter is repeated.
    message: "must be given once",
    [JSON_SCHEMA]: {
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      default: DEFAULT_LIMIT,
      description: `The maximum number of rows. ${DEFAULT_LIMIT} if absent; more than ${MAX_LIMIT} is treated as ${MAX_LIMIT}. A page can have fewer rows and still a \`nextCursor\`: it ends early, after at least one row, when it exceeds ${PAGE_BYTES / 1024 / 1024} MiB`
    }
  }).pipe(Schema.decodeTo(PageLimit), Schema.withDecodingDefaultTypeKey(Effect.succeed(DEFAULT_LIMIT)))
})

/** Query parameter that is JSON text. */
export const jsonQuery = <S extends Schema.Top>(schema: S, description: string, example: string) =>
  Schema.String.annotate({
    message: "must be given once",
    [JSON_SCHEMA]: { type: "string", description, examples: [example] }
  }).pipe(
    Schema.decodeTo(Schema.Unknown, {
      decode: SchemaGetter.transformEffect((text: string, options) => {
        const parsed = parseUntrusted(text)
        if (Result.isSuccess(parsed)) return Effect.succeed(parsed.success)
        const [message = "must be JSON text"] = parsed.failure.issues
        return Effect.fail(new SchemaIssue.InvalidValue({ message }, text, options))
      }),
      encode: SchemaGetter.transform((value) => JSON.stringify(value))
    }),
    Schema.decodeTo(schema.annotate({ message: `must be JSON text, as in ${example}` }))
  )

/** Query parameter that is `true` or `false`. */
export const booleanQuery = (description: string) =>
  Schema.Literals(["true", "false"])
    .annotate({ message: "must be true or false", [JSON_SCHEMA]: { type: "boolean", description } })
    .pipe(
      Schema.decodeTo(Schema.Boolean, {
        decode: SchemaGetter.transform((text) => text === "true"),
        encode: SchemaGetter.transform((value) => (value ? ("true" as const) : ("false" as const)))
      })
    )

/** Query parameter that is an amount of at least 0. */
export const amountQuery = (description: string) =>
  Schema.String.annotate({
    message: "must be given once",
    [JSON_SCHEMA]: { type: "number", minimum: 0, description }
  }).pipe(
    Schema.decodeTo(Amount, {
      decode: SchemaGetter.transform((text) => (/^\d{1,20}(?:\.\d{1,20})?$/.test(text) ? Number(text) : -1)),
      encode: SchemaGetter.transform(String)
    })
  )

/** Query parameters of the page of a query. */
export const searchQuery = {
  ...pageQuery(QueryCursor),
  cursor: optional(
    withDescription(
      QueryCursor,
      "The `nextCursor` of the previous page. Keep all other parameters but `limit` the same"
    )
  )
}

/** Makes the schema of a page of a query. */
export const SearchPage = <const Rows extends Readonly<Record<string, Schema.Top>>>(rows: Rows) =>
  Page({ ...rows, total: Total }, QueryCursor)

/** Errors of every query. */
export const SearchErrors = [publicError(BadRequest), publicError(QueryTooSlow)] as const

/** Makes the schema of a query parameter with values between commas. */
export const commaSeparated = <A>(item: Schema.Codec<A, string>, max: number, message: string, description: string) => {
  const decode = Schema.decodeUnknownOption(Schema.Array(item).check(Schema.isMaxLength(max)))
  return Schema.String.annotate({ message, [JSON_SCHEMA]: { type: "string", description } }).pipe(
    Schema.decodeTo(Schema.Array(Schema.toType(item)), {
      decode: SchemaGetter.transformEffect((text: string, options) =>
        Option.match(decode(text.split(",")), {
          onNone: () => Effect.fail(new SchemaIssue.InvalidValue({ message }, text, options)),
          onSome: Effect.succeed
        })
      ),
      encode: SchemaGetter.transform((items: ReadonlyArray<A>) => items.join(","))
    })
  )
}

/** Makes the schema of a page: its items and the cursor of the next page. */
export const Page = <const Rows extends Readonly<Record<string, Schema.Top>>, Id extends Schema.Top>(
  rows: Rows,
  id: Id
) =>
  Schema.Struct({
    ...rows,
    nextCursor: Schema.NullOr(id).annotate({
      description: "The `cursor` of the next page; null only on the last page"
    })
  }).annotate({ description: `A page of ${Object.keys(rows).join()}` })

/** Makes the schema of a response with a resource. */
export const DataResponse = <S extends Schema.Top>(data: S, description: string) =>
  Schema.Struct({ data }).annotate({ description })

/** Makes the success schemas of a write: the result of a dry run, or the resource. */
export const WriteResponses = <S extends Schema.Top>(data: S, description: string, status = 200) =>
  [
    Schema.Struct({ data, ...dryRunFields })
      .annotate({ description: "The result of a dry run" })
      .pipe(HttpApiSchema.status(status)),
    DataResponse(data, description).pipe(HttpApiSchema.status(status))
  ] as const

/** Makes the success schemas of a deletion. */
export const DeleteResponses = <S extends Schema.Top>(id: S) =>
  WriteResponses(Schema.Struct({ id, deleted: Schema.Literal(true) }), "The deleted resource")

/** Errors of every write. */
export const WriteErrors = [publicError(KeyReused), publicError(BadRequest)] as const

/** Errors of creates and updates. Deletions have no event loops and no large responses. */
export const ChangeErrors = [...WriteErrors, publicError(EventLoop), publicError(StoredResponsesFull)] as const
