import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { makeClient } from "../../support/http/Api.ts"
import { setOf } from "../../support/http/ChangeSets.ts"
import { temporaryFolder, makeMigratedDatabase, startServer, waitUntil } from "../../support/process/Process.ts"

const Values = Schema.Record(Schema.String, Schema.Struct({ value: Schema.Unknown }))
const Parameter = Schema.Struct({
  name: Schema.optional(Schema.String),
  required: Schema.optional(Schema.Boolean),
  in: Schema.optional(Schema.String),
  schema: Schema.optional(Schema.Struct({ examples: Schema.optional(Schema.Array(Schema.Unknown)) })),
  example: Schema.optional(Schema.String),
  examples: Schema.optional(Schema.Record(Schema.String, Schema.Struct({ value: Schema.String })))
})
const Operation = Schema.Struct({
  operationId: Schema.String,
  parameters: Schema.Array(Parameter),
  requestBody: Schema.optional(
    Schema.Struct({
      content: Schema.Struct({
        "application/json": Schema.optional(Schema.Struct({ examples: Values })),
        "application/octet-stream": Schema.optional(Schema.Struct({}))
      })
    })
  ),
  responses: Schema.Record(Schema.String, Schema.Unknown)
})
type Operation = typeof Operation.Type
const Document = Schema.Struct({
  paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Operation))
})
const toDocument = Schema.decodeUnknownSync(Document)
const toCredentials = Schema.decodeSync(
  Schema.fromJsonString(Schema.Struct({ baseUrl: Schema.String, accessToken: Schema.String }))
)
const isResource = Schema.is(Schema.Struct({ data: Schema.Struct({ id: Schema.String }) }))

/** The path with the id and the first example of each other required parameter. */
const addressOf = (path: string, { parameters }: Operation, id: string) => {
  const requiredParameters = parameters.filter(({ in: place, required }) => required === true && place !== "header")
  let address = path
  for (const { in: place, name = "", schema } of requiredParameters) {
    const value = name === "id" ? id : String(schema?.examples?.[0])
    address = place === "path" ? address.replace(`{${name}}`, value) : `${address}?${name}=${value}`
  }
  return address
}

/** A picture for operations that upload one. */
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"/>'

/** Example bodies of an operation, each with the key of the same name. Without bodies, only its key. */
const examplesOf = ({ parameters, requestBody }: Operation) => {
  const key = parameters.find(({ name }) => name === "Idempotency-Key")
  if (requestBody?.content["application/octet-stream"] !== undefined) {
    return [{ key: key?.example ?? null, body: PICTURE }]
  }
  const bodies = Object.entries(requestBody?.content["application/json"]?.examples ?? {})
  return bodies.length === 0
    ? [{ key: key?.example ?? null }]
    : bodies.map(([name, { value: body }]) => ({ key: key?.examples?.[name]?.value ?? null, body }))
}

it.live("all examples of the OpenAPI document succeed on the demo store in document order", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const dataDir = yield* temporaryFolder
    const server = yield* startServer({ DATABASE_URL: url, DATA_DIR: dataDir, DEMO: "true" })
    yield* server.greeted
    const { accessToken, baseUrl } = toCredentials(readFileSync(join(dataDir, "demo.json"), "utf8"))
    const client = makeClient(baseUrl, accessToken)
    const { paths } = toDocument((yield* client.get(`${baseUrl}/openapi.json`)).json)

    const keys: Array<string> = []
    // Ids of the resources that examples created, by noun. The first one replaces the id in paths.
    const ids = new Map<string, ReadonlyArray<string>>()
    for (const [path, operations] of Object.entries(paths)) {
      const noun = path.split("/")[4] ?? ""
      for (const [method, operation] of Object.entries(operations)) {
        const expected = Object.keys(operation.responses).find((status) => status.startsWith("2"))
        // A set that is canceled cannot be undone.
        const id = ids.get(noun)?.at(operation.operationId === "cancelChangeSet" ? 1 : 0) ?? ""
        if (noun === "change-sets" && method === "post" && id !== "") {
          yield* waitUntil(
            Effect.map(client.get(`${baseUrl}/api/platform/v1/change-sets/${id}`), setOf),
            ({ state }) => state !== "previewing" && state !== "applying"
          )
        }
        for (const { key, ...sent } of examplesOf(operation)) {
          if (key !== null) keys.push(key)
          const address = `${baseUrl}${addressOf(path, operation, id)}`
          const answer = yield* client.send(method.toUpperCase(), address, { ...sent, key })
          const details = `${operation.operationId} ${key ?? ""}: ${answer.text.slice(0, 300)}`
          assert.strictEqual(String(answer.status), expected, details)
          assert.isFalse(answer.headers.has("idempotent-replayed"), details)
          if (method === "post" && isResource(answer.json))
            ids.set(noun, [...(ids.get(noun) ?? []), answer.json.data.id])
        }
      }
    }
    assert.lengthOf(keys, 22)
    assert.lengthOf(new Set(keys), keys.length)
  })
)
