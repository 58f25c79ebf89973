import { Result, Schema, type SchemaAST } from "effect"
import { BadRequest, INVALID, formatIssues } from "../BadRequest.ts"

/** Compiles a decoder of the schema. In strict mode it rejects unknown members. */
export const compileDecoder = <A, I>(schema: Schema.Codec<A, I>, options: SchemaAST.ParseOptions = {}) => {
  const lenient = Schema.decodeUnknownResult(schema, options)
  const strict = Schema.decodeUnknownResult(schema, { ...options, onExcessProperty: "error" })
  return (input: unknown, isStrict = false): Result.Result<A, Schema.SchemaError> =>
    isStrict ? strict(input) : lenient(input)
}

/**
 * Compiles a decoder for stored values. It returns the encoded form without running checks, because today's rules may
 * be stricter than those at the time of storage.
 */
export const compileStoredDecoder = <A, I>(schema: Schema.Codec<A, I>): ((input: unknown) => I) =>
  Schema.decodeUnknownSync(Schema.toEncoded(schema), { disableChecks: true })

/** Formats a schema error as one line for each problem. */
export const issuesOf = ({ issue }: Schema.SchemaError): ReadonlyArray<string> => formatIssues(issue)

/** Decodes a part of a request and reports all problems. In strict mode it rejects unknown fields. */
export const decodeWith = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = compileDecoder(schema, { errors: "all" })
  return (input: unknown, strict: boolean): Result.Result<A, BadRequest> =>
    Result.mapError(decode(input, strict), (error) => new BadRequest({ reason: INVALID, issues: issuesOf(error) }))
}
