import { type Effect, Either, Option, ParseResult, Predicate, Schema, SchemaAST } from "effect"
import { BadRequest, INVALID, linesOf } from "./BadRequest.ts"
import { boundsOf } from "./Bounded.ts"
import { isObject } from "./Json.ts"

/*
 * Schemas made into plain functions. Schema's own decoder answers at each member with an `Either` and lists of what is
 * wrong, an eighth of what a create took the process (docs/performance.md, Decoding). Here only what is right is decoded;
 * whatever is not, or is of a kind that is seldom, is left to Schema, which has the words for it.
 */

/** Said of a value that is not as its schema wants it. */
const NOT_READ = Symbol("not read")

type Read = (given: unknown, options: SchemaAST.ParseOptions) => unknown

const readIf =
  (holds: (given: unknown) => boolean): Read =>
  (given) =>
    holds(given) ? given : NOT_READ

const valueOf = (result: Effect.Effect<unknown, unknown, unknown>): unknown =>
  Either.isEither(result) && Either.isRight(result) ? result.right : NOT_READ

const readBySchema = (ast: SchemaAST.AST): Read => {
  const decode = Schema.decodeUnknownEither(Schema.make<unknown>(ast))
  return (given, options) => valueOf(decode(given, options))
}

const readAfter =
  (first: Read, then: Read): Read =>
  (given, options) => {
    const value = first(given, options)
    return value === NOT_READ ? NOT_READ : then(value, options)
  }

const refined = (ast: SchemaAST.Refinement): Read =>
  readAfter(readOf(ast.from), (value, options) => (Option.isNone(ast.filter(value, options, ast)) ? value : NOT_READ))

const transformed = (ast: SchemaAST.Transformation): Read => {
  const { from, to, transformation } = ast
  switch (transformation._tag) {
    case "ComposeTransformation":
      return readAfter(readOf(from), readOf(to))
    case "FinalTransformation": {
      const [readFrom, readTo] = [readOf(from), readOf(to)]
      return (given, options) => {
        const encoded = readFrom(given, options)
        if (encoded === NOT_READ) return NOT_READ
        const changed = valueOf(transformation.decode(encoded, options, ast, given))
        return changed === NOT_READ ? NOT_READ : readTo(changed, options)
      }
    }
    case "TypeLiteralTransformation":
      return readBySchema(ast)
  }
}

const declared = (ast: SchemaAST.Declaration): Read => {
  const [item] = ast.typeParameters
  const bounds = boundsOf(ast)
  if (item !== undefined && bounds !== undefined) {
    const readItem = readOf(item)
    const [holds, read] =
      bounds.shape === "list"
        ? [(given: unknown) => !Array.isArray(given) || given.length <= bounds.max, listed(readItem)]
        : [isObject, structured([], readItem)]
    return readAfter(readIf(holds), read)
  }
  const decode = ast.decodeUnknown(...ast.typeParameters)
  return (given, options) => valueOf(decode(given, options, ast))
}

// What is right as it was given is not copied: neither a list of such items, nor an object of such members in their order.

const listed =
  (item: Read): Read =>
  (given, options) => {
    if (!Array.isArray(given)) return NOT_READ
    let values: Array<unknown> | undefined
    let kept = 0
    for (const one of given) {
      const value = item(one, options)
      if (value === NOT_READ) return NOT_READ
      if (values === undefined && value === one) kept++
      else {
        values ??= given.slice(0, kept)
        values.push(value)
      }
    }
    return values ?? given
  }

const picked = (given: Readonly<Record<PropertyKey, unknown>>, keys: ReadonlyArray<PropertyKey>) => {
  const values: Record<PropertyKey, unknown> = {}
  for (const key of keys) values[key] = given[key]
  return values
}

/** An object with these members and, where there is `rest`, any others. */
const structured = (propertySignatures: ReadonlyArray<SchemaAST.PropertySignature>, rest: Read | undefined): Read => {
  const members = propertySignatures.map(({ isOptional, name, type }) => ({ isOptional, name, read: readOf(type) }))
  const names = new Set<PropertyKey>(members.map(({ name }) => name))

  return (given, options) => {
    if (!Predicate.isRecord(given)) return NOT_READ
    const keys = Object.keys(given)
    let values: Record<PropertyKey, unknown> | undefined
    let kept = 0
    for (const { isOptional, name, read } of members) {
      if (isOptional && !Object.hasOwn(given, name)) continue
      const one = given[name]
      const value = read(one, options)
      if (value === NOT_READ) return NOT_READ
      if (values === undefined && value === one && keys[kept] === name) kept++
      else {
        values ??= picked(given, keys.slice(0, kept))
        values[name] = value
      }
    }
    if (rest !== undefined) {
      for (const key of keys) {
        const one = given[key]
        const value = rest(one, options)
        if (value === NOT_READ) return NOT_READ
        if (names.has(key)) continue
        if (values === undefined && value === one && keys[kept] === key) kept++
        else {
          values ??= picked(given, keys.slice(0, kept))
          values[key] = value
        }
      }
    }
    if (values === undefined && kept === keys.length) return given
    const isStrict = rest === undefined && options.onExcessProperty === "error"
    if (isStrict && !keys.every((key) => names.has(key))) return NOT_READ
    return values ?? picked(given, keys.slice(0, kept))
  }
}

/** The first choice that takes the value. */
const firstRight =
  (choices: ReadonlyArray<Read>): Read =>
  (given, options) => {
    for (const choice of choices) {
      const value = choice(given, options)
      if (value !== NOT_READ) return value
    }
    return NOT_READ
  }

/** Schema tells objects apart by those of their members that are constants, and asks those that match first. */
const mayBeTold = (ast: SchemaAST.AST): boolean => {
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return mayBeTold(ast.from)
    case "TypeLiteral":
      return ast.propertySignatures.length > 0
    case "TupleType":
      return ast.elements.length > 0
    case "Declaration":
      return boundsOf(ast) === undefined
    case "Suspend":
    case "Union":
      return true
    default:
      return false
  }
}

/** Whether annotations say that a schema is decoded in a way of its own. */
const hasOwnWay = ({ annotations }: SchemaAST.AST) =>
  SchemaAST.ParseOptionsAnnotationId in annotations || SchemaAST.DecodingFallbackAnnotationId in annotations

const readOf = (ast: SchemaAST.AST): Read => {
  if (hasOwnWay(ast)) return readBySchema(ast)
  switch (ast._tag) {
    case "StringKeyword":
      return readIf(Predicate.isString)
    case "NumberKeyword":
      return readIf(Predicate.isNumber)
    case "BooleanKeyword":
      return readIf(Predicate.isBoolean)
    case "UnknownKeyword":
      return (given) => given
    case "Literal":
      return readIf((given) => given === ast.literal)
    case "Refinement":
      return refined(ast)
    case "Transformation":
      return transformed(ast)
    case "Declaration":
      return declared(ast)
    case "Union":
      return ast.types.filter(mayBeTold).length > 1 ? readBySchema(ast) : firstRight(ast.types.map(readOf))
    case "TupleType": {
      const [item, ...others] = ast.rest
      const isList = item !== undefined && others.length === 0 && ast.elements.length === 0
      return isList ? listed(readOf(item.type)) : readBySchema(ast)
    }
    case "TypeLiteral": {
      const [rest, ...others] = ast.indexSignatures
      const isPlain = rest === undefined ? ast.propertySignatures.length > 0 : rest.parameter._tag === "StringKeyword"
      return isPlain && others.length === 0
        ? structured(ast.propertySignatures, rest && readOf(rest.type))
        : readBySchema(ast)
    }
    default:
      return readBySchema(ast)
  }
}

/** What was read by a schema is what the schema says. */
const isRead = <A>(value: unknown): value is A => value !== NOT_READ

/** Does as `Schema.decodeUnknownEither` does; strictly, it refuses members that the schema does not have. */
export const compileDecoder = <A, I>(schema: Schema.Schema<A, I>, options: SchemaAST.ParseOptions = {}) => {
  const read = readOf(schema.ast)
  const lenient: SchemaAST.ParseOptions = { ...options, onExcessProperty: "ignore" }
  const strict: SchemaAST.ParseOptions = { ...options, onExcessProperty: "error" }
  return (given: unknown, isStrict = false): Either.Either<A, ParseResult.ParseError> => {
    const chosen = isStrict ? strict : lenient
    const value = read(given, chosen)
    return isRead<A>(value) ? Either.right(value) : Schema.decodeUnknownEither(schema, chosen)(given)
  }
}

/** Does as `Schema.decodeUnknownSync` does: for what only a defect of ours makes wrong. */
export const compileTrustedDecoder = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = compileDecoder(schema)
  return (given: unknown): A => Either.getOrThrowWith(decode(given), (error) => error)
}

/** What is wrong, a line for each. */
export const issuesOf = (error: ParseResult.ParseError): ReadonlyArray<string> =>
  linesOf(ParseResult.ArrayFormatter.formatErrorSync(error))

/** Decodes a part of a request, with a line for everything that is wrong with it. Strictly, an unknown field is wrong. */
export const decodeWith = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = compileDecoder(schema, { errors: "all" })
  return (given: unknown, strict: boolean): Either.Either<A, BadRequest> =>
    Either.mapLeft(decode(given, strict), (error) => new BadRequest({ reason: INVALID, issues: issuesOf(error) }))
}
