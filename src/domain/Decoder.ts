import { Result, Schema, type SchemaAST } from "effect"
import { BadRequest, INVALID, linesOf } from "./BadRequest.ts"

/** Makes a decoder of the schema once; strictly, it refuses members that the schema does not have. */
export const compileDecoder = <A, I>(schema: Schema.Codec<A, I>, options: SchemaAST.ParseOptions = {}) => {
  const lenient = Schema.decodeUnknownResult(schema, options)
  const strict = Schema.decodeUnknownResult(schema, { ...options, onExcessProperty: "error" })
  return (given: unknown, isStrict = false): Result.Result<A, Schema.SchemaError> =>
    isStrict ? strict(given) : lenient(given)
}

/** Does as `Schema.decodeUnknownSync` does: for what only a defect of ours makes wrong. */
export const compileTrustedDecoder = <A, I>(schema: Schema.Codec<A, I>): ((given: unknown) => A) =>
  Schema.decodeUnknownSync(schema)

/** Reads what was stored by the rules of its day, which today's may be stricter than: as it is encoded, without checks. */
export const compileStoredDecoder = <A, I>(schema: Schema.Codec<A, I>): ((given: unknown) => I) =>
  Schema.decodeUnknownSync(Schema.toEncoded(schema), { disableChecks: true })

/** What is wrong, a line for each. */
export const issuesOf = ({ issue }: Schema.SchemaError): ReadonlyArray<string> => linesOf(issue)

/** Decodes a part of a request, with a line for everything that is wrong with it. Strictly, an unknown field is wrong. */
export const decodeWith = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = compileDecoder(schema, { errors: "all" })
  return (given: unknown, strict: boolean): Result.Result<A, BadRequest> =>
    Result.mapError(decode(given, strict), (error) => new BadRequest({ reason: INVALID, issues: issuesOf(error) }))
}
