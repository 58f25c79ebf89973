import { comment } from "./words.mjs"

/* Types of requests and responses, from the schemas of the OpenAPI document. */

/** Makes the description of a schema, with its first example if that adds to the type. */
const described = ({ description, examples: [example] = [], type }) =>
  description === undefined || example === undefined || type === "boolean"
    ? description
    : `${description}, as in \`${JSON.stringify(example)}\``

const nameOf = (ref) => ref.split("/").at(-1)

/** Makes the types. Each component that is an object becomes an interface. */
export const typesOf = ({ schemas }) => {
  const declared = new Map()

  /** Makes the TypeScript type of a schema. Components that are not objects are inlined. */
  const typeOf = (schema) => {
    if (schema.$ref !== undefined) {
      const name = nameOf(schema.$ref)
      const target = schemas[name]
      if (target.properties === undefined) return typeOf(target)
      if (!declared.has(name)) declare(name, target)
      return name
    }
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
    if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(" | ")
    switch (schema.type) {
      case "string":
      case "boolean":
      case "null":
        return schema.type
      case "integer":
      case "number":
        return "number"
      case "array":
        return `ReadonlyArray<${typeOf(schema.items)}>`
      case "object":
        return `{ ${membersOf(schema)} }`
      default:
        return "unknown"
    }
  }

  const member = (name, schema, isRequired, type = typeOf(schema)) =>
    `${comment([described(schema)])}readonly ${name}${isRequired ? "" : "?"}: ${type}\n`

  const membersOf = ({ additionalProperties, properties = {}, required = [] }) => {
    const named = Object.entries(properties).map(([name, schema]) => member(name, schema, required.includes(name)))
    const others =
      additionalProperties === undefined ? "" : `readonly [name: string]: ${typeOf(additionalProperties)}\n`
    return named.join("") + others
  }

  /** Declares an interface. The interfaces that it mentions follow it. */
  const declare = (name, schema) => {
    declared.set(name, "")
    declared.set(name, `${comment([schema.description])}export interface ${name} { ${membersOf(schema)} }\n`)
    return name
  }

  /** Likewise, of what a query may hold. */
  const declareQuery = (name, parameters) => {
    const members = parameters.map(({ description, name, schema }) =>
      member(name, { ...schema, description }, false, `${typeOf(schema)} | null | undefined`)
    )
    const words = comment(["Options of a list: its filters, and where and how long a page is."])
    declared.set(name, `${words}export interface ${name} { ${members.join("")} }\n`)
    return name
  }

  /** Returns the schema, or the component that it refers to. */
  const resolve = (schema) => (schema.$ref === undefined ? schema : schemas[nameOf(schema.$ref)])

  return { declare, declareQuery, declared, resolve, typeOf }
}
