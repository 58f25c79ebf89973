import { Schema } from "effect"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Capability } from "../../../src/domain/access/Capability.ts"
import { openApi } from "../../../src/http/api/Document.ts"
import type { Answer } from "./Api.ts"

const rest = Schema.Record(Schema.String, Schema.Unknown)
const Named = Schema.Record(Schema.String, Schema.Struct({ value: Schema.Unknown }))
const Content = Schema.Struct({ "application/json": Schema.Struct({ schema: Schema.Unknown, examples: Named }) })
const Bytes = Schema.Struct({ schema: rest })
const UploadContent = Schema.Struct({ "application/octet-stream": Bytes, "multipart/form-data": Bytes })
const Reference = Schema.Struct({ $ref: Schema.String })

const Response = Schema.Struct({
  description: Schema.NonEmptyString,
  headers: Schema.optional(Schema.Record(Schema.String, Reference)),
  content: Content
})

const Operation = Schema.Struct({
  operationId: Schema.String,
  summary: Schema.NonEmptyString,
  description: Schema.NonEmptyString,
  tags: Schema.Tuple([Schema.String]),
  security: Schema.Tuple([Schema.Struct({ bearer: Schema.Tuple([]) })]),
  "x-scope": Schema.optional(Schema.String),
  "x-capability": Schema.optional(Capability),
  parameters: Schema.Array(
    Schema.Union([Reference, Schema.StructWithRest(Schema.Struct({ name: Schema.String }), [rest])])
  ),
  requestBody: Schema.optional(
    Schema.Struct({ required: Schema.Literal(true), content: Schema.Union([Content, UploadContent]) })
  ),
  responses: Schema.Record(Schema.String, Response)
})

const Webhook = Schema.StructWithRest(
  Schema.Struct({
    parameters: Schema.Array(Schema.StructWithRest(Schema.Struct({ name: Schema.String }), [rest])),
    requestBody: Schema.Struct({ required: Schema.Literal(true), content: Content })
  }),
  [rest]
)

const Document = Schema.StructWithRest(
  Schema.Struct({
    openapi: Schema.Literal("3.1.0"),
    paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Operation)),
    webhooks: Schema.Record(Schema.String, Schema.Struct({ post: Webhook })),
    components: Schema.StructWithRest(Schema.Struct({ schemas: rest, parameters: rest }), [rest])
  }),
  [rest]
)

/** The document as sent to clients. */
export const generated: unknown = JSON.parse(JSON.stringify(openApi()))

/** The document, decoded strictly: members without a schema above are rejected. */
export const document = Schema.decodeUnknownSync(Document, { onExcessProperty: "error" })(generated)

const PREFIX = "/api/platform/v1"

/** All operations with their JSON pointers, by method and path, for example `GET /products/{id}`. */
export const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path: path.replace(PREFIX, ""),
    name: `${method.toUpperCase()} ${path.replace(PREFIX, "")}`,
    pointer: `#/paths/${path.replaceAll("/", "~1")}/${method}`
  }))
)
export type Documented = (typeof operations)[number]

export const operationOf = (name: string): Documented => {
  const found = operations.find((operation) => operation.name === name)
  if (found === undefined) throw new Error(`${name} is not documented`)
  return found
}

const Parameter = Schema.Struct({
  name: Schema.String,
  in: Schema.Literals(["path", "query", "header"]),
  required: Schema.optional(Schema.Boolean)
})
const decodeParameter = Schema.decodeUnknownSync(Parameter)

const resolved = (parameter: Documented["parameters"][number]) =>
  "$ref" in parameter
    ? document.components.parameters[String(parameter["$ref"]).replace("#/components/parameters/", "")]
    : parameter

/** Returns all parameters of an operation, including those of components. */
export const parametersOf = ({ parameters }: Documented) =>
  parameters.map((parameter) => decodeParameter(resolved(parameter)))

const propertiesIn = Schema.decodeUnknownSync(Schema.Struct({ properties: rest }))

/** Returns the schemas of the fields of a component. */
export const fieldsOf = (component: string) => propertiesIn(document.components.schemas[component]).properties

export const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
if (typeof generated === "object" && generated !== null) ajv.addSchema(generated, "openapi")

/** Validates a value against the schema at a JSON pointer of the document, and returns the problems. */
export const validationErrors = (pointer: string, value: unknown): ReadonlyArray<string> => {
  const address = `openapi${pointer.replaceAll("{", "%7B").replaceAll("}", "%7D")}`
  const validate = ajv.getSchema(address)
  if (validate === undefined) return [`there is no schema at ${pointer}`]
  return validate(value) === true
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

export const schemaOf = ({ pointer }: Documented, status: number | string) =>
  `${pointer}/responses/${status}/content/application~1json/schema`

/** Returns the JSON content of a request body. An upload has none. */
export const jsonContentOf = ({ requestBody }: Documented) =>
  requestBody !== undefined && "application/json" in requestBody.content ? requestBody.content : undefined

/** Returns the example request bodies of an operation. */
export const requestsOf = (name: string): ReadonlyArray<unknown> =>
  Object.values(jsonContentOf(operationOf(name))?.["application/json"].examples ?? {}).map(({ value }) => value)

/** Returns the value of a response example. */
export const exampleOf = (name: string, status: number, example: string): unknown =>
  operationOf(name).responses[status]?.content["application/json"].examples[example]?.value

/** Returns the parts of a response that the document does not describe. */
export const undocumentedParts = (name: string, answer: Answer): ReadonlyArray<string> => {
  const operation = operationOf(name)
  const response = operation.responses[answer.status]
  if (response === undefined) return [`${name} answers ${answer.status}`]
  const headers = ["etag", "idempotent-replayed", "preference-applied", "www-authenticate", "x-request-id"]
  const known = new Set(Object.keys(response.headers ?? {}).map((header) => header.toLowerCase()))
  return [
    ...headers.filter((header) => answer.headers.has(header) && !known.has(header)).map((h) => `header ${h}`),
    ...validationErrors(schemaOf(operation, answer.status), answer.json)
  ]
}

/** Every schema with examples, and its pointer. */
export const schemasWithExamples = (
  value: unknown,
  pointer: string
): ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === "examples" && Array.isArray(member)
      ? [[pointer, member] as const]
      : schemasWithExamples(member, `${pointer}/${key.replaceAll("/", "~1")}`)
  )
}
