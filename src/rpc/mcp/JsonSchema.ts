import { Effect, Schema } from "effect"

const Member = Schema.Record(Schema.String, Schema.Unknown)

const ObjectSchema = Schema.StructWithRest(
  Schema.Struct({
    type: Schema.Literal("object"),
    properties: Schema.Record(Schema.String, Member),
    // Absent if no property is required.
    required: Schema.Array(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

const isUnion = Schema.is(Schema.Struct({ anyOf: Schema.Array(ObjectSchema) }))

/** The JSON Schema of an object, which the root of a tool schema must be. */
export type ObjectSchema = typeof ObjectSchema.Type

const decodeObject = Schema.decodeUnknownSync(ObjectSchema)

/** Tests for keywords without effect: the bounds of safe integers, and unrestricted additional properties, the default. */
const isEmpty = (key: string, value: unknown) =>
  ((key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) ||
  (key === "allOf" && JSON.stringify(value) === '[{"type":"object","additionalProperties":{}}]') ||
  (key === "additionalProperties" && (value === true || JSON.stringify(value) === "{}"))

/** Returns the JSON Schema (2020-12) of an encoded value, without references, because some clients do not resolve them. */
const toJsonSchema = (
  schema: Schema.Constraint,
  onExcessProperty: "error" | "ignore",
  ...omitted: ReadonlyArray<string>
): unknown => {
  const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty, referencePolicy: () => undefined })
  return JSON.parse(
    JSON.stringify(document.schema, (key, value: unknown) =>
      omitted.includes(key) || isEmpty(key, value) ? undefined : value
    )
  )
}

/** Returns the schema of arguments: the payload without `storeId`, which the agent's token determines. */
export const toInputSchema = (payload: Schema.Constraint): ObjectSchema => {
  const { properties, required, ...rest } = decodeObject(toJsonSchema(payload, "error"))
  const { storeId: _, ...args } = properties
  return { ...rest, properties: args, required: required.filter((name) => name !== "storeId") }
}

/** Name of the member of each result that marks it as data. */
export const NOTICE = "notice"

/**
 * Returns the schema of results: success or error, because some clients validate errors with it too. Additional properties
 * are allowed, so that a new field does not break clients with a cached schema.
 */
export const toOutputSchema = (success: Schema.Constraint, error: Schema.Constraint) => {
  const schema = toJsonSchema(success, "ignore", "examples")
  const alternatives = isUnion(schema) ? schema.anyOf : [decodeObject(schema)]
  return {
    type: "object",
    properties: { [NOTICE]: { type: "string" } },
    anyOf: [...alternatives, decodeObject(toJsonSchema(error, "ignore"))]
  }
}
