import { Record, Schema } from "effect"
import type { OpenApi } from "effect/http-api"
import { AccessRule } from "../../domain/access/AccessRule.ts"
import { canonical, isObject, type JsonObject } from "../../domain/json/Json.ts"
import { STATUS_DESCRIPTIONS } from "../ErrorTable.ts"
import { sampleEvents, samples } from "./Examples.ts"
import { commonErrorExamples, errorExamplesFor } from "./ErrorExamples.ts"
import { headers, parameters, requestHeaders, responseHeaders } from "./Headers.ts"
import { JSON_SCHEMA } from "./Shapes.ts"
import { webhooksOf } from "./Webhooks.ts"

const rest = [Schema.Record(Schema.String, Schema.Unknown)] as const

const Content = Schema.Struct({ "application/json": Schema.Struct({ schema: Schema.Unknown }) })

/** Content of an upload. Clients send it with any type, or in a form. */
const BytesContent = Schema.Struct({ "application/octet-stream": Schema.Struct({ schema: Schema.Unknown }) })

const bytes = { type: "string", format: "binary" }
const uploads = {
  "application/octet-stream": { schema: bytes },
  "multipart/form-data": {
    schema: {
      type: "object",
      properties: { file: bytes, name: { type: "string" }, alt: { type: "string" } },
      required: ["file"]
    }
  }
}

const Parameter = Schema.StructWithRest(
  Schema.Struct({
    schema: Schema.StructWithRest(Schema.Struct({ description: Schema.optionalKey(Schema.String) }), rest)
  }),
  rest
)
type Parameter = typeof Parameter.Type

const Operation = Schema.StructWithRest(
  Schema.Struct({
    operationId: Schema.String,
    description: Schema.String,
    parameters: Schema.Array(Parameter),
    "x-access": AccessRule,
    requestBody: Schema.optional(
      Schema.StructWithRest(Schema.Struct({ content: Schema.Union([Content, BytesContent]) }), rest)
    ),
    responses: Schema.Record(Schema.String, Schema.Struct({ description: Schema.String, content: Content }))
  }),
  rest
)
type Operation = typeof Operation.Type

/** The parts of the generated document that this module completes. */
const Generated = Schema.StructWithRest(
  Schema.Struct({
    info: rest[0],
    paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Operation)),
    components: Schema.StructWithRest(Schema.Struct({ schemas: rest[0] }), rest)
  }),
  rest
)

const decodeGenerated = Schema.decodeUnknownSync(Generated)

/** Tests for keywords without information, which the generator adds to every object and integer. */
const isNoise = (key: string, value: unknown) =>
  (key === "additionalProperties" && value === false) ||
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

const OPEN_OBJECT = canonical([{ type: "object", additionalProperties: {} }])

/** Moves `additionalProperties` next to the properties. The generator puts it into `allOf`. */
const mergeAllOf = (schema: JsonObject): JsonObject => {
  const { allOf, ...named } = schema
  return canonical(allOf ?? null) === OPEN_OBJECT ? { ...named, additionalProperties: {} } : schema
}

const tidyMember = (key: string, member: unknown): unknown => {
  if (key === "$ref") return plainName(String(member))
  return key === "examples" ? member : tidy(member)
}

/**
 * Removes the number that the generator adds to the name of an encoded schema. Decoded and encoded schemas of a name are
 * equal here.
 */
const plainName = (name: string) => name.replace(/_\d+$/, "")

const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (!isObject(value)) return value
  if (JSON_SCHEMA in value) return value[JSON_SCHEMA]
  const members = Object.entries(mergeAllOf(value)).filter(([key, member]) => !isNoise(key, member))
  return Object.fromEntries(members.map(([key, member]) => [key, tidyMember(key, member)]))
}

const json = (schema: unknown, examples: Readonly<Record<string, unknown>>) => ({
  "application/json": { schema, examples: Record.map(examples, (value) => ({ value })) }
})

/** Finds the names of the errors of a response. */
const findErrors = (schema: unknown) =>
  [...canonical(schema).matchAll(/#\/components\/schemas\/(\w+)/g)].flatMap(([, name]) => name ?? [])

const statusDescriptions = new Map(Object.entries(STATUS_DESCRIPTIONS))

/** Describes the access rule of an endpoint as text and as extensions of the document. */
const describeAccess = (rule: AccessRule) => {
  switch (rule._tag) {
    case "AnyToken":
      return { needs: "any valid token", extension: {} }
    case "AnyScope":
      return { needs: `the scope \`${rule.scopes.join("` or `")}\``, extension: { "x-scope": rule.scopes.join(" ") } }
    case "NeedsCapability":
      return { needs: `the capability \`${rule.capability}\``, extension: { "x-capability": rule.capability } }
  }
}

/** Copies the description of a parameter's schema to the parameter. */
const describeParameter = (parameter: Parameter) => {
  const { description } = parameter.schema
  return description === undefined ? parameter : { ...parameter, description }
}

/** Adds name, access rule, headers, statuses and examples to an operation. */
const completeOperation = ({ "x-access": rule, ...operation }: Operation, method: string) => {
  const { content, ...request } = operation.requestBody ?? {}
  const { extension, needs } = describeAccess(rule)
  const name = operation.operationId.replace(/^.*\./, "")
  const sample = samples[name] ?? { response: null, malformed: {} }
  const { otherResponses = {}, requests = {} } = sample
  const errorExamples = errorExamplesFor(rule)

  const success = (status: string, { content, description }: Operation["responses"][string]) => ({
    // The generator joins the descriptions of all schemas of the response. The first is enough.
    description: description.split(" | ")[0],
    headers: responseHeaders(method, status, sample.response),
    content: json(content["application/json"].schema, { Answer: sample.response, ...otherResponses })
  })

  const failure = (status: string, examples: Readonly<Record<string, unknown>>) => ({
    description: statusDescriptions.get(status),
    headers: responseHeaders(method, status, undefined),
    content: json({ $ref: "#/components/schemas/Error" }, examples)
  })

  const refusal = (status: string, schema: unknown) => {
    const named = findErrors(schema)
    const declared = Object.keys(errorExamples).filter((error) => named.includes(error))
    const examples = Object.fromEntries(declared.map((error) => [error, errorExamples[error]]))
    return failure(status, {
      ...examples,
      ...commonErrorExamples[status],
      ...(status === "400" ? sample.malformed : {})
    })
  }

  return {
    ...operation,
    ...extension,
    operationId: name,
    description: `${operation.description}\n\nNeeds ${needs}.`,
    parameters: [
      ...operation.parameters.map(describeParameter),
      ...requestHeaders(method, name, Object.keys(requests), "412" in operation.responses)
    ],
    ...(content === undefined
      ? {}
      : {
          requestBody: {
            ...request,
            content: "application/json" in content ? json(content["application/json"].schema, requests) : uploads
          }
        }),
    responses: {
      ...Record.map(commonErrorExamples, (examples, status) => failure(status, examples)),
      ...Record.map(operation.responses, (response, status) =>
        Number(status) < 400 ? success(status, response) : refusal(status, response.content["application/json"].schema)
      )
    }
  }
}

/**
 * Completes the generated document with headers, common errors, the error schema and examples, which the definitions do
 * not have.
 */
export const completeDocument = (spec: OpenApi.OpenAPISpec): Record<string, unknown> => {
  const document = decodeGenerated({ ...spec, components: tidy(spec.components), paths: tidy(spec.paths) })
  const { Error: error, ...schemas } = document.components.schemas
  const isError = (schema: unknown) => canonical(schema) === canonical(error)
  return {
    ...spec,
    info: { ...document.info, contact: { name: "Partner API" } },
    paths: Record.map(document.paths, (operations) => Record.map(operations, completeOperation)),
    webhooks: webhooksOf(sampleEvents),
    components: {
      ...document.components,
      schemas: Object.fromEntries([
        ...Object.entries(schemas).filter(([name, schema]) => name === plainName(name) && !isError(schema)),
        ["Error", error]
      ]),
      parameters,
      headers
    }
  }
}
