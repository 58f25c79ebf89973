import { Record, Schema } from "effect"
import { AccessRule } from "../../domain/access/AccessRule.ts"
import { canonical, isObject } from "../../domain/Json.ts"
import { MEANING } from "../ErrorTable.ts"
import { sampleEvents, samples } from "./Examples.ts"
import { failures, refusalsOf } from "./Refusals.ts"
import { headers, parameters, requestHeaders, responseHeaders } from "./Headers.ts"
import { webhooksOf } from "./Webhooks.ts"

const rest = { key: Schema.String, value: Schema.Unknown }

const Content = Schema.Struct({ "application/json": Schema.Struct({ schema: Schema.Unknown }) })

const Operation = Schema.Struct(
  {
    operationId: Schema.String,
    description: Schema.String,
    parameters: Schema.Array(Schema.Unknown),
    "x-access": AccessRule,
    requestBody: Schema.optional(Schema.Struct({ content: Content }, rest)),
    responses: Schema.Record({
      key: Schema.String,
      value: Schema.Struct({ description: Schema.String, content: Content })
    })
  },
  rest
)
type Operation = typeof Operation.Type

/** What the generator is known to make, as far as it is completed here. */
const Generated = Schema.Struct(
  {
    info: Schema.Record(rest),
    paths: Schema.Record({ key: Schema.String, value: Schema.Record({ key: Schema.String, value: Operation }) }),
    components: Schema.Struct({ schemas: Schema.Record(rest) }, rest)
  },
  rest
)

const decodeGenerated = Schema.decodeUnknownSync(Generated)

/** Marks of the generator that tell a reader nothing, and the closing of objects that may gain members one day. */
const isNoise = (key: string, value: unknown) =>
  key === "$id" ||
  (key === "title" && typeof value === "string") ||
  (key === "required" && Array.isArray(value) && value.length === 0) ||
  (key === "additionalProperties" && value === false)

const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key, member]) => !isNoise(key, member))
  return Object.fromEntries(kept.map(([key, member]) => [key, key === "examples" ? member : tidy(member)]))
}

const json = (schema: unknown, examples: Readonly<Record<string, unknown>>) => ({
  "application/json": { schema, examples: Record.map(examples, (value) => ({ value })) }
})

/** The names of the errors that a response was declared with. */
const errorsIn = (schema: unknown) =>
  [...canonical(schema).matchAll(/#\/components\/schemas\/(\w+)/g)].flatMap(([, name]) => name ?? [])

const meaningOf = new Map(Object.entries(MEANING))

/** What a rule asks for, in words and for programs. */
const accessOf = (rule: AccessRule) => {
  switch (rule._tag) {
    case "AnyToken":
      return { needs: "any valid token", extension: {} }
    case "AnyScope":
      return { needs: `the scope \`${rule.scopes.join("` or `")}\``, extension: { "x-scope": rule.scopes.join(" ") } }
    case "NeedsCapability":
      return { needs: `the capability \`${rule.capability}\``, extension: { "x-capability": rule.capability } }
  }
}

/** An operation with its plain name, its rule, its headers, every status it may answer with, and examples. */
const completeOperation = ({ "x-access": rule, ...operation }: Operation, method: string) => {
  const { content, ...request } = operation.requestBody ?? {}
  const { extension, needs } = accessOf(rule)
  const name = operation.operationId.replace(/^.*\./, "")
  const sample = samples[name] ?? { answer: null, malformed: {} }
  const { others = {}, requests = {} } = sample
  const refusals = refusalsOf(rule)

  /** What takes nothing cannot be malformed. */
  const answers = Record.filter(
    operation.responses,
    (_, status) => status !== "400" || Object.keys(sample.malformed).length > 0
  )

  const success = (status: string, { content, description }: Operation["responses"][string]) => ({
    description,
    headers: responseHeaders(method, status, sample.answer),
    content: json(content["application/json"].schema, { Answer: sample.answer, ...others })
  })

  const failure = (status: string, examples: Readonly<Record<string, unknown>>) => ({
    description: meaningOf.get(status),
    headers: responseHeaders(method, status, undefined),
    content: json({ $ref: "#/components/schemas/Error" }, examples)
  })

  const refusal = (status: string, schema: unknown) => {
    const declared = errorsIn(schema).filter((error) => error in refusals)
    const examples = Object.fromEntries(declared.map((error) => [error, refusals[error]]))
    return failure(status, { ...examples, ...(status === "400" ? sample.malformed : failures[status]) })
  }

  return {
    ...operation,
    ...extension,
    operationId: name,
    description: `${operation.description}\n\nNeeds ${needs}.`,
    parameters: [
      ...operation.parameters,
      ...requestHeaders(method, name, Object.keys(requests), "412" in operation.responses)
    ],
    ...(content === undefined
      ? {}
      : { requestBody: { ...request, content: json(content["application/json"].schema, requests) } }),
    responses: {
      ...Record.map(failures, (examples, status) => failure(status, examples)),
      ...Record.map(answers, (response, status) =>
        Number(status) < 400 ? success(status, response) : refusal(status, response.content["application/json"].schema)
      )
    }
  }
}

/**
 * Makes the generated document say what no definition says: the headers, the failures that any request may meet, the
 * one shape of errors, and examples of it all.
 */
export const complete = (spec: Record<string, unknown>): Record<string, unknown> => {
  const document = decodeGenerated({ ...spec, components: tidy(spec["components"]), paths: tidy(spec["paths"]) })
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
        ...Object.entries(schemas).filter(([, schema]) => !isError(schema)),
        ["Error", error]
      ]),
      parameters,
      headers
    }
  }
}
