import { Array as Arr, Effect, type JsonSchema, Result, Schema, SchemaAST, SchemaIssue, SchemaParser } from "effect"
import { formatIssues, uncheckedMessage } from "../BadRequest.ts"
import { isObject } from "./Json.ts"
import { MAX_ISSUES } from "../Limits.ts"
import { formatInteger } from "../Text.ts"

/*
 * Lists and records that stop decoding after `MAX_ISSUES` issues. `Schema.Array` first collects an issue for every
 * wrong item: a body of 1 MiB holds 350,000 of them, which took up to 11 seconds. The JSON Schema is the same as for
 * `Schema.Array` and `Schema.Record`.
 */

/** Members of a list or record, and their number. */
interface Members {
  readonly entries: Iterable<readonly [key: PropertyKey, value: unknown]>
  readonly size: number
}

type Decode<A> = (input: unknown, options: SchemaAST.ParseOptions) => Result.Result<A, SchemaIssue.Issue>

/** Decodes members in order, up to the first issue or, with `errors: "all"`, up to {@link MAX_ISSUES} issues. */
const decodeMembers = <A>(
  decode: Decode<A>,
  input: unknown,
  { entries, size }: Members,
  ast: SchemaAST.Declaration,
  options: SchemaAST.ParseOptions
): Effect.Effect<ReadonlyArray<A>, SchemaIssue.Issue> => {
  const isForAll = options.errors === "all"
  const values: Array<A> = []
  const issues: Array<SchemaIssue.Issue> = []
  let issueCount = 0
  let checked = 0
  for (const [key, value] of entries) {
    if (issueCount >= MAX_ISSUES) {
      const unchecked = new SchemaIssue.InvalidValue({ message: uncheckedMessage(size - checked) })
      issues.push(new SchemaIssue.Pointer([key], unchecked))
      break
    }
    checked += 1
    const decoded = decode(value, options)
    if (Result.isSuccess(decoded)) values.push(decoded.success)
    else {
      issues.push(new SchemaIssue.Pointer([key], decoded.failure))
      if (!isForAll) break
      issueCount += formatIssues(decoded.failure).length
    }
  }
  return Arr.isArrayNonEmpty(issues)
    ? Effect.fail(new SchemaIssue.Composite(ast, issues, input, options))
    : Effect.succeed(values)
}

/**
 * Returns the encoded schema of a member. Restores the description and identifier of an object, which
 * `Schema.toEncoded` drops.
 */
const sentFor = (member: Schema.Constraint): SchemaAST.AST => {
  const sent = Schema.toEncoded(Schema.toCodecJson(member))
  const { description, identifier } = Schema.resolveAnnotations(member) ?? {}
  return SchemaAST.isObjects(sent.ast) ? sent.annotate({ description, identifier }).ast : sent.ast
}

/**
 * Attaches a message and a JSON Schema to a declaration. The library takes both from checks only. Decoding has
 * validated the value already, so this check always passes.
 */
const documented = (
  message: string,
  member: Schema.Constraint,
  toJsonSchema: (member: JsonSchema.JsonSchema) => JsonSchema.JsonSchema
) =>
  Schema.makeFilter(() => true, {
    message,
    representation: {
      id: "partner-api/Bounded",
      payload: null,
      schemas: [sentFor(member)]
    },
    toJsonSchema: ({ schemas: [shown = {}] }) => toJsonSchema(shown),
    // `Schema.toEncoded` drops other checks. The library reserves this key; `Bounded.test.ts` fails if it changes.
    "~structural": true
  })

/** List of at most `max` items. A longer list is rejected before any item is decoded. */
export const boundedArray = <Item extends Schema.Constraint>(
  item: Item,
  max = Number.POSITIVE_INFINITY,
  items = "items"
) =>
  Schema.declareConstructor<ReadonlyArray<Item["Type"]>, ReadonlyArray<Item["Encoded"]>>()(
    [item],
    ([codec]) => {
      const decode = SchemaParser.decodeUnknownResult(codec)
      return (input, ast, options) => {
        if (!Array.isArray(input)) return Effect.fail(new SchemaIssue.InvalidType(ast, input, options))
        if (input.length > max) {
          const message = `must be a list of at most ${formatInteger(max)} ${items}`
          return Effect.fail(new SchemaIssue.InvalidValue({ message }, input, options))
        }
        return decodeMembers(decode, input, { entries: input.entries(), size: input.length }, ast, options)
      }
    },
    { expected: "array", toCodecJson: () => undefined }
  ).check(
    documented("must be a list", item, (items) => ({
      type: "array",
      items,
      ...(Number.isFinite(max) ? { maxItems: max } : {})
    }))
  )

/** Object whose values share one schema. */
export const boundedRecord = <Value extends Schema.Constraint>(value: Value) =>
  Schema.declareConstructor<{ readonly [key: string]: Value["Type"] }, { readonly [key: string]: Value["Encoded"] }>()(
    [value],
    ([codec]) => {
      const decode = SchemaParser.decodeUnknownResult(codec)
      return (input, ast, options) => {
        if (!isObject(input)) return Effect.fail(new SchemaIssue.InvalidType(ast, input, options))
        const entries = Object.entries(input)
        return Effect.mapEager(
          decodeMembers(decode, input, { entries, size: entries.length }, ast, options),
          (values) => Object.fromEntries(Arr.zip(Object.keys(input), values))
        )
      }
    },
    { expected: "object", toCodecJson: () => undefined }
  ).check(documented("must be an object", value, (values) => ({ type: "object", additionalProperties: values })))
