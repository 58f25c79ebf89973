import { Struct } from "effect"
import { isObject, type JsonObject } from "../../domain/json/Json.ts"

/* Arguments of tools: the schemas that clients see, and null in place of an absent argument. */

const objectsOf = (value: unknown): ReadonlyArray<JsonObject> => (Array.isArray(value) ? value.filter(isObject) : [])

const textsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : []

const propertiesOf = ({ properties }: JsonObject): ReadonlyArray<readonly [name: string, schema: JsonObject]> =>
  isObject(properties)
    ? Object.entries(properties).flatMap(([name, schema]) => (isObject(schema) ? [[name, schema] as const] : []))
    : []

/** A value of any kind. Its real type depends on other arguments, and decoding checks it. */
const ANY = {
  anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }, { type: "array", items: { type: "string" } }]
}

/** Describes alternatives of required properties. */
const describeAlternatives = (schemas: ReadonlyArray<JsonObject>) =>
  `Exactly one of ${schemas.map(({ required }) => textsOf(required).join(" with ")).join(", ")}`

/** Returns the description of a schema, with those of its `allOf`. */
const descriptionOf = ({ allOf, description }: JsonObject) => {
  if (description !== undefined) return { description }
  const texts = objectsOf(allOf).flatMap(({ description: text, oneOf }) => [
    ...(typeof text === "string" ? [text] : []),
    ...(oneOf === undefined ? [] : [describeAlternatives(objectsOf(oneOf))])
  ])
  return texts.length === 0 ? {} : { description: texts.join(". ") }
}

/** Returns the range of an enum of numbers, with its values in the description. */
const rangeOf = (numbers: ReadonlyArray<number>, description: unknown) => ({
  minimum: Math.min(...numbers),
  maximum: Math.max(...numbers),
  description: [...(typeof description === "string" ? [description] : []), `One of ${numbers.join(", ")}`].join(". ")
})

/**
 * Simplifies the schema of arguments for the list of tools: every value has a type, only texts have an enum, and schemas are
 * combined by `anyOf` only. Clients of some models refuse all tools if one schema has more. Decoding stays exact.
 */
export const toListedSchema = (schema: JsonObject): JsonObject => {
  const { additionalProperties, anyOf, enum: values, items, properties, ...others } = schema
  // Descriptions replace these keywords.
  const rest: JsonObject = Struct.omit(others, ["allOf", "maxProperties", "minProperties"])
  const numbers = (Array.isArray(values) ? values : []).filter((value) => typeof value === "number")
  const texts = textsOf(values)
  return {
    ...rest,
    ...descriptionOf(schema),
    ...(numbers.length === 0 ? {} : rangeOf(numbers, rest["description"])),
    ...(texts.length === 0 ? {} : { enum: texts }),
    ...(anyOf === undefined ? {} : { anyOf: objectsOf(anyOf).map(toListedSchema) }),
    ...(anyOf === undefined && rest["type"] === undefined ? ANY : {}),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(propertiesOf(schema).map(([name, member]) => [name, toListedSchema(member)]))
        }),
    ...(isObject(items) ? { items: toListedSchema(items) } : {}),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties: isObject(additionalProperties)
            ? toListedSchema(additionalProperties)
            : additionalProperties
        })
  }
}

/** Returns the schemas of which a value needs to satisfy one. */
const alternativesOf = (schema: JsonObject): ReadonlyArray<JsonObject> =>
  schema["anyOf"] === undefined ? [schema] : objectsOf(schema["anyOf"]).flatMap(alternativesOf)

const acceptsNull = (schema: JsonObject) =>
  alternativesOf(schema).some(({ type }) => type === undefined || type === "null")

/** Tests if an object can have the schema: a property with one value, such as `op`, has that value. */
const isCandidate = (schema: JsonObject, object: JsonObject) =>
  propertiesOf(schema).every(([name, { enum: values }]) => {
    const texts = textsOf(values)
    return texts.length !== 1 || texts[0] === object[name]
  })

/** Member of arguments that is a merge patch, in which null clears a field. */
const PATCH = "patch"

const omitIn = (value: unknown, schemas: ReadonlyArray<JsonObject>): unknown => {
  if (schemas.length === 0) return value
  const alternatives = schemas.flatMap(alternativesOf)
  if (Array.isArray(value)) {
    const items = alternatives.flatMap(({ items: schema }) => (isObject(schema) ? [schema] : []))
    return value.map((item) => omitIn(item, items))
  }
  return isObject(value) ? omitNullMembers(value, alternatives) : value
}

const omitNullMembers = (object: JsonObject, alternatives: ReadonlyArray<JsonObject>): JsonObject => {
  const candidates = alternatives.filter((schema) => isCandidate(schema, object))
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      const schemas = candidates.flatMap((candidate) => {
        const { properties, required } = candidate
        const schema = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
        return isObject(schema) ? [{ schema, isRequired: textsOf(required).includes(name) }] : []
      })
      if (value !== null) {
        return [
          [
            name,
            name === PATCH
              ? value
              : omitIn(
                  value,
                  schemas.map(({ schema }) => schema)
                )
          ]
        ]
      }
      const isAbsent =
        schemas.length > 0 && schemas.every(({ isRequired, schema }) => !isRequired && !acceptsNull(schema))
      return isAbsent ? [] : [[name, value]]
    })
  )
}

/**
 * Leaves out optional arguments that are null, at every level, because strict modes of clients send all arguments. Keeps null
 * where the schema accepts it, and in patches.
 */
export const omitNulls = (args: JsonObject, schema: JsonObject): JsonObject => omitNullMembers(args, [schema])
