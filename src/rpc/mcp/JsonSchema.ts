import { JSONSchema, Schema, type SchemaAST } from "effect"

const Member = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const rest = { key: Schema.String, value: Schema.Unknown }

const ObjectSchema = Schema.Struct(
  {
    type: Schema.Literal("object"),
    properties: Schema.Record({ key: Schema.String, value: Member }),
    required: Schema.Array(Schema.String)
  },
  rest
)

const isUnion = Schema.is(Schema.Struct({ anyOf: Schema.Array(ObjectSchema) }))

/** The JSON Schema of an object, as tools have them at their root. */
export type ObjectSchema = typeof ObjectSchema.Type

const decodeObject = Schema.decodeUnknownSync(ObjectSchema)

/**
 * The JSON Schema (2020-12) of what is sent for a schema, all in one piece: not every client follows references. It does
 * without some annotations; the library gives what may be anything an `$id`, the same each time, and clients refuse a
 * document that has one twice.
 */
const jsonSchemaOf = (
  ast: SchemaAST.AST,
  additionalPropertiesStrategy: "allow" | "strict",
  ...without: ReadonlyArray<string>
): unknown => {
  const schema = JSONSchema.fromAST(ast, {
    definitions: {},
    target: "jsonSchema2020-12",
    topLevelReferenceStrategy: "skip",
    additionalPropertiesStrategy
  })
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (without.includes(key) ? undefined : value)))
}

/** What a procedure is asked with, but for its store, which is the agent's own. */
export const inputOf = (ast: SchemaAST.AST): ObjectSchema => {
  const { properties, required, ...rest } = decodeObject(jsonSchemaOf(ast, "strict", "$id"))
  const { storeId: _, ...asked } = properties
  return { ...rest, properties: asked, required: required.filter((name) => name !== "storeId") }
}

/**
 * What a tool answers with: what its procedure does, or why it was refused, which some clients read by the same schema.
 * Both may hold more than is named: who has kept the schema goes on when there comes a new member.
 */
export const outputOf = (success: SchemaAST.AST, refusal: SchemaAST.AST) => {
  const found = jsonSchemaOf(success, "allow", "$id", "examples")
  const ways = isUnion(found) ? found.anyOf : [decodeObject(found)]
  return { type: "object", anyOf: [...ways, decodeObject(jsonSchemaOf(refusal, "allow", "$id"))] }
}
