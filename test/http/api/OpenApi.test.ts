import { assert, describe, it } from "@effect/vitest"
import { Predicate, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { EventKind } from "../../../src/domain/Events.ts"
import { PartnerApi } from "../../../src/http/api/PartnerApi.ts"
import {
  ajv,
  document,
  fieldsOf,
  generated,
  operationOf,
  operations,
  parametersOf,
  validationErrors
} from "../../support/http/OpenApi.ts"

/** Statuses that any request may return. */
const commonStatuses = [400, 401, 403, 404, 429, 500, 503]

const SEARCHED = ["Collections", "Customers", "Orders", "Products"]

const routesOf = (paths: ReadonlyArray<string>, statuses: ReadonlyArray<number>) =>
  Object.fromEntries(paths.map((path) => [`GET ${path}`, [...statuses, ...commonStatuses]]))

const statuses: Record<string, ReadonlyArray<number>> = {
  "GET /store": [200, ...commonStatuses],
  ...routesOf(
    [
      "/products",
      "/orders",
      "/customers",
      "/files",
      "/files/{id}",
      "/digest",
      "/app-data/{namespace}",
      "/change-sets",
      "/change-sets/{id}",
      "/change-sets/{id}/results"
    ],
    [200]
  ),
  ...routesOf(
    ["/collections", "/collections/{id}", ...SEARCHED.map((noun) => `/${noun.toLowerCase()}/search`)],
    [200, 422]
  ),
  "POST /products": [201, 409, 422, ...commonStatuses],
  "PATCH /products/{id}/inventory": [200, 409, 412, 422, ...commonStatuses],
  "PATCH /products/{id}": [200, 409, 412, 422, ...commonStatuses],
  "DELETE /products/{id}": [200, 409, 412, ...commonStatuses],
  "GET /changes": [200, 410, 422, ...commonStatuses],
  "POST /change-sets": [201, 409, 422, ...commonStatuses],
  "POST /change-sets/{id}/apply": [200, 409, 422, ...commonStatuses],
  "POST /change-sets/{id}/cancel": [200, 409, 422, ...commonStatuses],
  "POST /change-sets/{id}/undo": [201, 409, 422, ...commonStatuses],
  "PUT /app-data/{namespace}": [200, 409, 422, ...commonStatuses],
  "DELETE /app-data/{namespace}": [200, 409, ...commonStatuses],
  "POST /files": [201, 409, 413, 415, 422, ...commonStatuses],
  "DELETE /files/{id}": [200, 409, ...commonStatuses],
  "POST /collections": [201, 409, 422, ...commonStatuses],
  "PATCH /collections/{id}": [200, 409, 412, 422, ...commonStatuses],
  "DELETE /collections/{id}": [200, 409, 412, ...commonStatuses]
}

const sorted = <A>(items: Iterable<A>) => [...items].toSorted()

const declaredRoutes = () => {
  const found: Array<string> = []
  HttpApi.reflect(PartnerApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      found.push(`${endpoint.method} ${endpoint.path.replace("/api/platform/v1", "").replace(/:(\w+)/g, "{$1}")}`)
    }
  })
  return found
}

const headersOf = (name: string) =>
  parametersOf(operationOf(name)).flatMap(({ in: place, name }) => (place === "header" ? [name] : []))

const isErrorSchema = Schema.is(
  Schema.Struct({
    properties: Schema.Struct({ error: Schema.ObjectKeyword }),
    required: Schema.Tuple([Schema.Literal("error")])
  })
)

describe("OpenAPI document", () => {
  it("lists exactly the routes of the API definition", () => {
    assert.deepStrictEqual(sorted(operations.map(({ name }) => name)), sorted(declaredRoutes()))
    assert.deepStrictEqual(sorted(operations.map(({ name }) => name)), sorted(Object.keys(statuses)))
  })

  it("declares and describes every status that a route may return", () => {
    for (const { name, responses } of operations) {
      assert.deepStrictEqual(sorted(Object.keys(responses).map(Number)), sorted(statuses[name] ?? []), name)
      for (const { description } of Object.values(responses)) assert.notInclude(["Success", "Error"], description)
    }
  })

  it("gives each operation a unique operationId", () => {
    assert.deepStrictEqual(sorted(operations.map(({ operationId }) => operationId)), [
      "applyChangeSet",
      "cancelChangeSet",
      "createChangeSet",
      "createCollection",
      "createFile",
      "createProduct",
      "deleteAppData",
      "deleteCollection",
      "deleteFile",
      "deleteProduct",
      "getAppData",
      "getChangeSet",
      "getCollection",
      "getDigest",
      "getFile",
      "getStore",
      "listChangeSetResults",
      "listChangeSets",
      "listChanges",
      "listCollections",
      "listCustomers",
      "listFiles",
      "listOrders",
      "listProducts",
      "putAppData",
      ...SEARCHED.map((noun) => `search${noun}`),
      "setInventory",
      "undoChangeSet",
      "updateCollection",
      "updateProduct"
    ])
  })

  it("declares the request headers of each method", () => {
    assert.deepStrictEqual(headersOf("GET /products"), ["X-Request-Id"])
    assert.deepStrictEqual(headersOf("GET /collections/{id}"), ["X-Request-Id"])
    for (const noun of ["products", "collections"]) {
      assert.deepStrictEqual(headersOf(`POST /${noun}`), [
        "Idempotency-Key",
        "Prefer",
        "X-Service-Event-Id",
        "X-Request-Id"
      ])
      assert.deepStrictEqual(headersOf(`PATCH /${noun}/{id}`), [
        "Idempotency-Key",
        "If-Match",
        "Prefer",
        "X-Service-Event-Id",
        "X-Request-Id"
      ])
      assert.deepStrictEqual(headersOf(`DELETE /${noun}/{id}`), [
        "Idempotency-Key",
        "If-Match",
        "Prefer",
        "X-Request-Id"
      ])
    }
    const written = ["Idempotency-Key", "Prefer", "X-Service-Event-Id", "X-Request-Id"]
    assert.deepStrictEqual(headersOf("PUT /app-data/{namespace}"), written)
    assert.deepStrictEqual(headersOf("DELETE /app-data/{namespace}"), ["Idempotency-Key", "Prefer", "X-Request-Id"])
    for (const { method, parameters } of operations) {
      const keys = parameters.filter((parameter) => "name" in parameter && parameter.name === "Idempotency-Key")
      assert.lengthOf(keys, method === "GET" ? 0 : 1)
      for (const key of keys) assert.propertyVal(key, "required", true)
    }
  })

  it("declares a webhook for each event kind, with an example that matches its schema", () => {
    assert.deepStrictEqual(Object.keys(document.webhooks), [...EventKind.literals])
    for (const [kind, { post }] of Object.entries(document.webhooks)) {
      const { examples } = post.requestBody.content["application/json"]
      const pointer = `#/webhooks/${kind}/post/requestBody/content/application~1json/schema`
      assert.deepStrictEqual(validationErrors(pointer, examples["Event"]?.value), [])
      assert.isNotEmpty(validationErrors(pointer, {}))
    }
  })

  it("mentions only existing event kinds and states that deletions emit no event", () => {
    const named = JSON.stringify(document).matchAll(/\b[a-z]+\.[a-z]+\.[a-z]+\.v\d+\b/g)
    const kinds: ReadonlyArray<string> = EventKind.literals
    assert.deepStrictEqual(sorted(new Set(Array.from(named, ([kind]) => kind))), sorted(kinds))
    assert.include(JSON.stringify(document.info), "Deletions emit no event")
    assert.notInclude(JSON.stringify(document), "told of every write")
  })

  it("describes the scope or capability that each operation needs", () => {
    const exceptions: Record<string, string> = {
      "GET /store": "any valid token",
      "GET /changes": "the scope `read_products` or `read_collections`",
      "GET /digest": "the scope `read_products` or `read_collections`",
      "PATCH /products/{id}/inventory": "the scope `write_inventory` or `write_products`",
      ...Object.fromEntries(
        Object.keys(statuses)
          .filter((name) => name.includes("/change-sets"))
          .map((name) => [name, "the scope `write_products` or `write_collections` or `write_inventory`"])
      ),
      ...Object.fromEntries(
        ["GET", "PUT", "DELETE"].map((method) => [`${method} /app-data/{namespace}`, "the capability `app_storage`"])
      )
    }
    for (const { description, method, name, path } of operations) {
      const scope = `the scope \`${method === "GET" ? "read" : "write"}_${path.split("/")[1]}\``
      assert.match(description, new RegExp(`\n\nNeeds ${exceptions[name] ?? scope}\\.$`), name)
    }
  })

  it("all error responses share one schema", () => {
    const errors = Object.entries(document.components.schemas).filter(([, schema]) => isErrorSchema(schema))
    assert.deepStrictEqual(
      errors.map(([name]) => name),
      ["Error"]
    )
    for (const { name, responses } of operations) {
      for (const [status, { content }] of Object.entries(responses).filter(([code]) => Number(code) >= 400)) {
        const { schema } = content["application/json"]
        assert.deepStrictEqual(schema, { $ref: "#/components/schemas/Error" }, `${name} ${status}`)
      }
    }
  })

  it("contains only valid JSON Schema 2020-12 schemas, none of which closes an object", () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      assert.isObject(schema)
      assert.strictEqual(ajv.validateSchema(Object(schema)), true, `${name}: ${ajv.errorsText()}`)
    }
    assert.notMatch(JSON.stringify(generated), /"additionalProperties":false|"\$id"/)
  })

  it("declares the bounds of fields and describes every field", () => {
    assert.deepInclude(fieldsOf("CreateProduct")["name"], { minLength: 1, maxLength: 255 })
    assert.deepInclude(fieldsOf("CreateProduct")["price"], { type: "number", minimum: 0 })
    assert.deepInclude(fieldsOf("Variant")["stock"], { type: "number", minimum: 0 })
    assert.deepInclude(fieldsOf("Collection")["type"], { enum: ["manual", "automated"] })
    assert.deepInclude(fieldsOf("CreateCollection")["rules"], { maxItems: 60 })
    assert.deepInclude(document.components.schemas["ProductId"], { type: "string", format: "uuid" })
    assert.deepInclude(document.components.schemas["CollectionId"], { type: "string", format: "uuid" })
    // Generators read an object without members as one that must be empty.
    for (const component of ["PutAppData", "AppDataEntry"]) {
      assert.hasAllKeys(fieldsOf(component)["value"], ["description"], component)
    }
    for (const component of [
      "Store",
      "Installation",
      "Subscription",
      "Product",
      "CreateProduct",
      "UpdateProduct",
      "SetInventory",
      "PutAppData",
      "AppDataEntry",
      "Variant",
      "Collection",
      "Rule",
      "Error"
    ]) {
      const undescribed = Object.entries(fieldsOf(component)).filter(
        ([, schema]) => !Predicate.hasProperty(schema, "description") && !Predicate.hasProperty(schema, "$ref")
      )
      assert.deepStrictEqual(undescribed, [], component)
    }
  })
})
