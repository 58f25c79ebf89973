import { Hash, Schema, SchemaAST, Struct } from "effect"
import type { JsonText } from "./Document.ts"
import { isObject, type JsonObject } from "./Json.ts"

/**
 * How a kind of JSON outlives the process that wrote it. Releases read what earlier and later ones stored: a member that
 * the text lacks gets its default, a member that the schema does not know is kept.
 */
export interface StoredDocument<A> {
  /** Hash of the schema's members and their defaults. A document that another release wrote may have another one. */
  readonly schemaHash: number
  /** Members that each text must have, as paths: they have no default. */
  readonly required: ReadonlyArray<string>
  /** One line for each member: its path, and `=` with its default if it has one. */
  readonly members: ReadonlyArray<string>
  /** Completes a value and tests its types, but not its checks: those of its time may have been less strict. */
  readonly decode: (value: unknown) => A
  readonly parse: (json: JsonText) => A
  /** Completes a document or a list of documents, for a response. */
  readonly completeText: (json: JsonText) => JsonText
  /** Encodes a value with its members in the order of the schema, and those that the schema does not know after them. */
  readonly stringify: (value: A) => JsonText
}

/** Defaults of members of objects, or of the items of lists, by the member that contains them. */
type NestedDefaults<A> = { readonly [K in keyof A]?: Readonly<Record<string, unknown>> }

interface Options<A> {
  readonly defaults?: Partial<A>
  readonly nested?: NestedDefaults<A>
  /** True if the checks of the schema run: for files, which others may have edited. */
  readonly isChecked?: boolean
}

type Complete = (value: unknown) => unknown

interface Compiled {
  readonly complete: Complete
  /** One line for each member: path, and its default if it has one. */
  readonly members: ReadonlyArray<string>
  readonly required: ReadonlyArray<string>
}

interface Member {
  readonly name: string
  readonly complete: Complete | undefined
  readonly hasDefault: boolean
  readonly defaultValue: unknown
}

const isNull = (ast: SchemaAST.AST) => SchemaAST.isNull(ast) || SchemaAST.isUndefined(ast)

/** Returns the object that a schema describes, or that the items of its lists are. Unions of objects are kept as they are. */
const compile = (
  ast: SchemaAST.AST,
  path: string,
  defaults: JsonObject,
  nested: Readonly<Record<string, JsonObject | undefined>>
): Compiled | undefined => {
  if (SchemaAST.isUnion(ast)) {
    const [type, ...others] = ast.types.filter((type) => !isNull(type))
    return type === undefined || others.length > 0 ? undefined : compile(type, path, defaults, nested)
  }
  // A declaration with a parameter is a list of at most so many items (`boundedArray`), or a record, which is kept as it is.
  if (SchemaAST.isArrays(ast) || SchemaAST.isDeclaration(ast)) {
    const [type, ...others] = SchemaAST.isArrays(ast) ? [...ast.elements, ...ast.rest] : ast.typeParameters
    const items = type === undefined || others.length > 0 ? undefined : compile(type, `${path}[]`, defaults, nested)
    return (
      items && {
        ...items,
        complete: (value) => (Array.isArray(value) ? value.map((item) => items.complete(item)) : value)
      }
    )
  }
  if (!SchemaAST.isObjects(ast) || ast.propertySignatures.length === 0) return undefined
  const compiled = ast.propertySignatures.map(({ name: key, type }) => {
    const name = String(key)
    const memberPath = path === "" ? name : `${path}.${name}`
    const hasDefault = Object.hasOwn(defaults, name)
    const defaultValue = defaults[name]
    const inner = compile(type, memberPath, nested[name] ?? {}, {})
    const isRequired = !hasDefault && !SchemaAST.isOptional(type)
    return {
      member: { name, complete: inner?.complete, hasDefault, defaultValue } satisfies Member,
      members: [hasDefault ? `${memberPath}=${JSON.stringify(defaultValue)}` : memberPath, ...(inner?.members ?? [])],
      required: [...(isRequired ? [memberPath] : []), ...(inner?.required ?? [])]
    }
  })
  const members = compiled.map(({ member }) => member)
  return {
    complete: completeObject(members),
    members: compiled.flatMap((one) => one.members),
    required: compiled.flatMap((one) => one.required)
  }
}

const completeObject = (members: ReadonlyArray<Member>): Complete => {
  const names = new Set(members.map(({ name }) => name))
  return (value) => {
    if (!isObject(value)) return value
    const completed: Record<string, unknown> = {}
    let found = 0
    for (const { complete, defaultValue, hasDefault, name } of members) {
      const member = value[name]
      if (member !== undefined) {
        completed[name] = complete === undefined ? member : complete(member)
        found += 1
      } else if (hasDefault) completed[name] = defaultValue
    }
    const keys = Object.keys(value)
    // Spread, as an assignment to a member named __proto__ would change the prototype.
    return keys.length === found
      ? completed
      : {
          ...completed,
          ...Struct.pick(
            value,
            keys.filter((key) => !names.has(key))
          )
        }
  }
}

/** Returns the members of any stored resource; none if it is no object. */
export const parseMembers = (json: JsonText): JsonObject => {
  const value: unknown = JSON.parse(json)
  return isObject(value) ? value : {}
}

/** Makes the codec of stored JSON of a schema. Members without a default must be in each text. */
export const storedDocument = <A>(
  schema: Schema.Codec<A, unknown>,
  { defaults = {}, isChecked = false, nested = {} }: Options<A> = {}
): StoredDocument<A> => {
  const type = Schema.toType(schema)
  const compiled = compile(type.ast, "", { ...defaults }, { ...nested })
  const complete = compiled?.complete ?? ((value: unknown) => value)
  const validate = Schema.decodeUnknownSync(type, { disableChecks: !isChecked })
  // The decoded copy lacks the members that the schema does not know, so that the value itself is returned.
  const checkTypes: (value: unknown) => asserts value is A = (value) => void validate(value)
  const decode = (value: unknown): A => {
    const completed = complete(value)
    checkTypes(completed)
    return completed
  }
  const members = compiled?.members ?? []
  const required = compiled?.required ?? []
  return {
    schemaHash: Hash.string([...members, ...required].join("\n")),
    required,
    members,
    decode,
    parse: (json) => decode(JSON.parse(json)),
    completeText: (json) => {
      const value: unknown = JSON.parse(json)
      return JSON.stringify(Array.isArray(value) ? value.map(complete) : complete(value))
    },
    stringify: (value) => JSON.stringify(complete(value))
  }
}
