import { Effect, Schema } from "effect"

const Member = Schema.Record(Schema.String, Schema.Unknown)

const ObjectSchema = Schema.StructWithRest(
  Schema.Struct({
    type: Schema.Literal("object"),
    properties: Schema.Record(Schema.String, Member),
    // Left out where nothing is required.
    required: Schema.Array(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

const isUnion = Schema.is(Schema.Struct({ anyOf: Schema.Array(ObjectSchema) }))

/** The JSON Schema of an object, as tools have them at their root. */
export type ObjectSchema = typeof ObjectSchema.Type

const decodeObject = Schema.decodeUnknownSync(ObjectSchema)

/** Keywords that restrict nothing: the bounds of a JavaScript integer, and other members that may hold anything. */
const isEmpty = (key: string, value: unknown) =>
  ((key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) ||
  (key === "allOf" && JSON.stringify(value) === '[{"type":"object","additionalProperties":{}}]')

/** The JSON Schema (2020-12) of what is sent for a schema, all in one piece: not every client follows references. */
const toJsonSchema = (
  schema: Schema.Constraint,
  onExcessProperty: "error" | "ignore",
  ...without: ReadonlyArray<string>
): unknown => {
  const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty, referencePolicy: () => undefined })
  return JSON.parse(
    JSON.stringify(document.schema, (key, value: unknown) =>
      without.includes(key) || isEmpty(key, value) ? undefined : value
    )
  )
}

/** What a procedure is asked with, but for its store, which is the agent's own. */
export const toInputSchema = (payload: Schema.Constraint): ObjectSchema => {
  const { properties, required, ...rest } = decodeObject(toJsonSchema(payload, "error"))
  const { storeId: _, ...asked } = properties
  return { ...rest, properties: asked, required: required.filter((name) => name !== "storeId") }
}

/**
 * What a tool answers with: what its procedure does, or why it was refused, which some clients read by the same schema.
 * Both may hold more than is named: who has kept the schema goes on when there comes a new member.
 */
export const toOutputSchema = (success: Schema.Constraint, refusal: Schema.Constraint) => {
  const schema = toJsonSchema(success, "ignore", "examples")
  const ways = isUnion(schema) ? schema.anyOf : [decodeObject(schema)]
  return { type: "object", anyOf: [...ways, decodeObject(toJsonSchema(refusal, "ignore"))] }
}
