import { Array as Arr, Either, ParseResult, Schema, SchemaAST } from "effect"
import { linesOf, uncheckedMessage } from "./BadRequest.ts"
import { isObject } from "./Json.ts"
import { MAX_ISSUES } from "./Limits.ts"
import { grouped } from "./Text.ts"

/*
 * Lists and records that stop decoding once they have as many issues as an answer lists. `Schema.Array` collects an issue
 * for every wrong item first: a body of 1 MiB holds 350,000 of them, which took the process up to 11 seconds. Each schema
 * keeps the plain one as its surrogate, so its JSON Schema is that of `Schema.Array` or `Schema.Record`.
 */

/** Says to the compiled decoder what a declaration of this file is made of. */
interface Bounds {
  readonly shape: "list" | "record"
  readonly max: number
}

// By the function, as `Schema.encodedSchema` and `Schema.typeSchema` keep it and drop the annotations.
const bounds = new WeakMap<SchemaAST.Declaration["decodeUnknown"], Bounds>()

export const boundsOf = ({ decodeUnknown }: SchemaAST.Declaration): Bounds | undefined => bounds.get(decodeUnknown)

const withBounds = <S extends Schema.Schema.All>(schema: S, those: Bounds): S => {
  if (SchemaAST.isDeclaration(schema.ast)) bounds.set(schema.ast.decodeUnknown, those)
  return schema
}

type Parse<A> = (given: unknown, options: SchemaAST.ParseOptions) => Either.Either<A, ParseResult.ParseIssue>

/** The members of a value in a list or record, and how many there are. */
interface Members {
  readonly entries: Iterable<readonly [key: PropertyKey, value: unknown]>
  readonly size: number
}

/** Parses members in their order, until as many issues are found as the options want. */
const parseMembers = <A>(
  parse: Parse<A>,
  given: unknown,
  { entries, size }: Members,
  options: SchemaAST.ParseOptions,
  ast: SchemaAST.Declaration
): Either.Either<ReadonlyArray<A>, ParseResult.ParseIssue> => {
  const isForAll = options.errors === "all"
  const values: Array<A> = []
  const issues: Array<ParseResult.ParseIssue> = []
  const refuse = (key: PropertyKey, issue: ParseResult.ParseIssue) =>
    issues.push(new ParseResult.Pointer(key, given, issue))
  let found = 0
  let checked = 0
  for (const [key, value] of entries) {
    if (found >= MAX_ISSUES) {
      refuse(key, new ParseResult.Type(SchemaAST.unknownKeyword, value, uncheckedMessage(size - checked)))
      break
    }
    checked += 1
    const parsed = parse(value, options)
    if (Either.isRight(parsed)) values.push(parsed.right)
    else {
      refuse(key, parsed.left)
      if (!isForAll) break
      found += linesOf(ParseResult.ArrayFormatter.formatIssueSync(parsed.left)).length
    }
  }
  return Arr.isNonEmptyArray(issues) ? Either.left(new ParseResult.Composite(ast, given, issues)) : Either.right(values)
}

/** Message for a value of another type. Issues inside a list or record have messages of their own. */
const saysOutside = (message: string) => ({ message: () => message })

/** A list of at most `max` items. A longer one is refused before any item is looked at. */
export const listOf = <A, I>(item: Schema.Schema<A, I>, max = Number.POSITIVE_INFINITY) => {
  const plain = Schema.Array(item)
  const surrogate = Number.isFinite(max)
    ? plain.pipe(Schema.filter((items) => items.length <= max, { jsonSchema: { maxItems: max } }))
    : plain
  const tooLong = `must be a list of at most ${grouped(max)} items`

  const parseItems =
    <B>(parse: Parse<B>) =>
    (given: unknown, options: SchemaAST.ParseOptions, ast: SchemaAST.Declaration) => {
      if (!Array.isArray(given)) return Either.left(new ParseResult.Type(ast, given))
      if (given.length > max) {
        const issue = new ParseResult.Type(SchemaAST.unknownKeyword, given, tooLong)
        return Either.left(new ParseResult.Composite(ast, given, issue))
      }
      return parseMembers(parse, given, { entries: given.entries(), size: given.length }, options, ast)
    }

  const schema = Schema.declare(
    [item],
    {
      decode: (one) => parseItems(ParseResult.decodeUnknownEither(one)),
      encode: (one) => parseItems(ParseResult.encodeUnknownEither(one))
    },
    {
      ...saysOutside("must be a list"),
      arbitrary: (one) => (fc) => fc.array(one(fc), { maxLength: Math.min(max, 5) }),
      [SchemaAST.SurrogateAnnotationId]: surrogate.ast
    }
  )
  return withBounds(schema, { shape: "list", max })
}

const parseValues =
  <B>(parse: Parse<B>) =>
  (given: unknown, options: SchemaAST.ParseOptions, ast: SchemaAST.Declaration) => {
    if (!isObject(given)) return Either.left(new ParseResult.Type(ast, given))
    const entries = Object.entries(given)
    return Either.map(parseMembers(parse, given, { entries, size: entries.length }, options, ast), (values) =>
      Object.fromEntries(Arr.zip(Object.keys(given), values))
    )
  }

/** An object whose members are all alike. A number that is kept as its text is none. */
export const recordOf = <A, I>(value: Schema.Schema<A, I>) => {
  const schema = Schema.declare(
    [value],
    {
      decode: (one) => parseValues(ParseResult.decodeUnknownEither(one)),
      encode: (one) => parseValues(ParseResult.encodeUnknownEither(one))
    },
    {
      ...saysOutside("must be an object"),
      arbitrary: (one) => (fc) => fc.dictionary(fc.string(), one(fc), { maxKeys: 5, noNullPrototype: true }),
      [SchemaAST.SurrogateAnnotationId]: Schema.Record({ key: Schema.String, value }).ast
    }
  )
  return withBounds(schema, { shape: "record", max: Number.POSITIVE_INFINITY })
}
