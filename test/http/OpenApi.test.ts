import { HttpApi } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck, Schema } from "effect"
import { Collection, CreateCollection, UpdateCollection } from "../../src/domain/catalog/Collection.ts"
import { CreateProduct, Product, UpdateProduct } from "../../src/domain/catalog/Product.ts"
import { PartnerApi } from "../../src/http/api/PartnerApi.ts"
import {
  ajv,
  document,
  generated,
  operationOf,
  operations,
  parametersOf,
  problemsAt,
  schemaOf
} from "../support/OpenApi.ts"

/** Any request may be unreadable, unknown, refused, too many, or meet a failure. */
const always = [400, 401, 403, 404, 429, 500, 503]

const statuses: Record<string, ReadonlyArray<number>> = {
  "GET /products": [200, ...always],
  "POST /products": [201, 409, 422, ...always],
  "PATCH /products/{id}": [200, 409, 412, 422, ...always],
  "DELETE /products/{id}": [200, 409, 412, ...always],
  "GET /collections": [200, ...always],
  "GET /collections/{id}": [200, ...always],
  "POST /collections": [201, 409, 422, ...always],
  "PATCH /collections/{id}": [200, 409, 412, 422, ...always],
  "DELETE /collections/{id}": [200, 409, 412, ...always]
}

const sorted = <A>(items: Iterable<A>) => [...items].toSorted()

const declared = () => {
  const found: Array<string> = []
  HttpApi.reflect(PartnerApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      found.push(`${endpoint.method} ${endpoint.path.replace("/api/platform/v1", "").replace(/:(\w+)/g, "{$1}")}`)
    }
  })
  return found
}

/** Every schema that carries examples, with its pointer. */
const illustrated = (value: unknown, pointer: string): ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === "examples" && Array.isArray(member)
      ? [[pointer, member] as const]
      : illustrated(member, `${pointer}/${key.replaceAll("/", "~1")}`)
  )
}

describe("The OpenAPI document", () => {
  it("names every route of the definitions, and no other", () => {
    assert.deepStrictEqual(sorted(operations.map(({ name }) => name)), sorted(declared()))
    assert.deepStrictEqual(sorted(operations.map(({ name }) => name)), sorted(Object.keys(statuses)))
  })

  it("declares every status that a route may answer with, and what it means", () => {
    for (const { name, responses } of operations) {
      assert.deepStrictEqual(sorted(Object.keys(responses).map(Number)), sorted(statuses[name] ?? []), name)
      for (const { description } of Object.values(responses)) assert.notInclude(["Success", "Error"], description)
    }
  })

  it("calls operations by their plain names, each once", () => {
    assert.deepStrictEqual(
      sorted(operations.map(({ operationId }) => operationId)),
      sorted([
        ...["listProducts", "createProduct", "updateProduct", "deleteProduct"],
        ...["listCollections", "getCollection", "createCollection", "updateCollection", "deleteCollection"]
      ])
    )
  })

  it("names the headers that a request of each method may carry", () => {
    const headers = (name: string) => parametersOf(operationOf(name)).filter((parameter) => /[A-Z]/.test(parameter))
    assert.deepStrictEqual(headers("GET /products"), [])
    assert.deepStrictEqual(headers("GET /collections/{id}"), [])
    for (const noun of ["products", "collections"]) {
      assert.deepStrictEqual(headers(`POST /${noun}`), ["Idempotency-Key", "Prefer"])
      assert.deepStrictEqual(headers(`PATCH /${noun}/{id}`), ["Idempotency-Key", "If-Match", "Prefer"])
      assert.deepStrictEqual(headers(`DELETE /${noun}/{id}`), ["Idempotency-Key", "If-Match"])
    }
    assert.propertyVal(document.components.parameters["IdempotencyKey"], "required", true)
  })

  it("names the scope of each operation", () => {
    for (const { "x-scope": scope, description, method, name, path } of operations) {
      assert.strictEqual(scope, `${method === "GET" ? "read" : "write"}_${path.split("/")[1]}`, name)
      assert.include(description, `Needs the scope \`${scope}\``, name)
    }
  })

  it("has one schema for errors, which every refusal and failure answers with", () => {
    assert.deepStrictEqual(
      sorted(Object.keys(document.components.schemas)),
      sorted([
        ...["Product", "CreateProduct", "UpdateProduct", "ProductId", "Medium", "Option", "Variant", "Faq"],
        ...["Dimensions", "Collection", "CreateCollection", "UpdateCollection", "CollectionId", "Rule", "Error"]
      ])
    )
    for (const { name, responses } of operations) {
      for (const [status, { content }] of Object.entries(responses).filter(([code]) => Number(code) >= 400)) {
        const { schema } = content["application/json"]
        assert.deepStrictEqual(schema, { $ref: "#/components/schemas/Error" }, `${name} ${status}`)
      }
    }
  })

  it("is made of valid schemas of JSON Schema 2020-12, none of which closes an object", () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      assert.isObject(schema)
      assert.strictEqual(ajv.validateSchema(Object(schema)), true, `${name}: ${ajv.errorsText()}`)
    }
    assert.notMatch(JSON.stringify(generated), /"additionalProperties":false|"\$id"/)
  })

  it("shows the bounds of the fields", () => {
    const at = (pointer: string) => ajv.getSchema(`openapi#/components/schemas/${pointer}`)?.schema
    assert.deepInclude(at("CreateProduct/properties/name"), { minLength: 1, maxLength: 255 })
    assert.deepInclude(at("CreateProduct/properties/price"), { type: "number", minimum: 0 })
    assert.deepInclude(at("Variant/properties/stock"), { type: "number", minimum: 0 })
    assert.deepInclude(at("Collection/properties/type"), { enum: ["manual", "automated"] })
    assert.deepInclude(at("CreateCollection/properties/rules"), { maxItems: 60 })
    assert.deepInclude(at("ProductId"), { type: "string", format: "uuid" })
    assert.deepInclude(at("CollectionId"), { type: "string", format: "uuid" })
    for (const name of ["Product", "CreateProduct", "UpdateProduct", "Collection", "CreateCollection"]) {
      const properties = Schema.decodeUnknownSync(
        Schema.Struct({ properties: Schema.Record({ key: Schema.String, value: Schema.Object }) })
      )(document.components.schemas[name])
      for (const [field, schema] of Object.entries(properties.properties)) {
        if (!("$ref" in schema)) assert.property(schema, "description", `${name}.${field}`)
      }
    }
  })
})

describe("Examples of the document", () => {
  it("stand with every body, and are valid", () => {
    for (const operation of operations) {
      const { name, pointer, requestBody, responses } = operation
      const bodies = [
        ...(requestBody === undefined
          ? []
          : [[`${pointer}/requestBody/content/application~1json/schema`, requestBody.content] as const]),
        ...Object.entries(responses).map(([status, { content }]) => [schemaOf(operation, status), content] as const)
      ]
      assert.strictEqual(requestBody === undefined, ["GET", "DELETE"].includes(operation.method), name)
      for (const [
        at,
        {
          "application/json": { examples }
        }
      ] of bodies) {
        assert.isNotEmpty(examples, at)
        for (const { value } of Object.values(examples)) assert.deepStrictEqual(problemsAt(at, value), [], at)
      }
    }
  })

  it("stand with fields, and are valid", () => {
    const found = illustrated(document.components.schemas, "#/components/schemas")
    assert.isAbove(found.length, 100)
    for (const [pointer, examples] of found) {
      for (const example of examples) assert.deepStrictEqual(problemsAt(pointer, example), [], pointer)
    }
  })

  it("are what the service takes, to the letter", () => {
    const bodies = { "POST /products": CreateProduct, "PATCH /products/{id}": UpdateProduct }
    const others = { "POST /collections": CreateCollection, "PATCH /collections/{id}": UpdateCollection }
    for (const [name, schema] of Object.entries({ ...bodies, ...others })) {
      const { requestBody } = operationOf(name)
      for (const { value } of Object.values(requestBody?.content["application/json"].examples ?? {})) {
        Schema.decodeUnknownSync<unknown, unknown>(schema, { onExcessProperty: "error" })(value)
      }
    }
  })

  it("show resources with every field and no other", () => {
    const answer = (name: string, status: number) =>
      operationOf(name).responses[status]?.content["application/json"].examples["Answer"]?.value
    const read = <A, I>(data: Schema.Schema<A, I>) =>
      Schema.decodeUnknownSync(Schema.Struct({ data }), { onExcessProperty: "error" })
    read(Product)(answer("POST /products", 201))
    read(Product)(answer("PATCH /products/{id}", 200))
    read(Collection)(answer("POST /collections", 201))
    read(Collection)(answer("GET /collections/{id}", 200))
    read(Collection)(answer("PATCH /collections/{id}", 200))
  })
})

describe("The schema of a body", () => {
  const edges = [
    null,
    0,
    -1,
    1e15,
    "",
    " ",
    "a",
    "EUR",
    "a".repeat(256),
    true,
    [],
    {},
    [[]],
    [{}],
    ["a"],
    [" "],
    [1],
    { a: 1 }
  ]
  const value = FastCheck.oneof(FastCheck.constantFrom(...edges), FastCheck.jsonValue({ maxDepth: 3 }))

  const agree = (
    name: string,
    schema: Schema.Schema<unknown, unknown>,
    required: object,
    unlike: ReadonlySet<string>
  ) => {
    const decode = Schema.decodeUnknownEither(schema)
    const fields = Object.keys(Object(ajv.getSchema(`openapi#/components/schemas/${name}/properties`)?.schema))
    assert.isAbove(fields.length, 10)
    FastCheck.assert(
      FastCheck.property(FastCheck.constantFrom(...fields), value, (field, given) => {
        const body = { ...required, [field]: given }
        const isTaken = Either.isRight(decode(body))
        const isValid = problemsAt(`#/components/schemas/${name}`, body).length === 0
        return isTaken ? isValid : !isValid || unlike.has(field)
      }),
      { numRuns: 2000 }
    )
  }

  // What a schema cannot say: which codes ISO 4217 has, which text is a URL, which values suit a rule's field.
  it("of a product is valid by the document exactly when the service takes it", () => {
    const unlike = new Set(["currencyCode", "imageUrl", "media"])
    agree("CreateProduct", Schema.asSchema(CreateProduct), { name: "Cup" }, unlike)
    agree("UpdateProduct", Schema.asSchema(UpdateProduct), {}, unlike)
  })

  it("of a collection is valid by the document exactly when the service takes it", () => {
    const unlike = new Set(["imageUrl", "rules", "productIds"])
    agree("CreateCollection", Schema.asSchema(CreateCollection), { title: "Cups" }, unlike)
    agree("UpdateCollection", Schema.asSchema(UpdateCollection), {}, unlike)
  })
})
