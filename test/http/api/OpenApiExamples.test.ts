import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { Collection, CreateCollection, UpdateCollection } from "../../../src/domain/catalog/Collection.ts"
import { SetInventory } from "../../../src/domain/catalog/Inventory.ts"
import { CreateProduct, Product, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import { ApplyChangeSet } from "../../../src/http/api/ChangeSets.ts"
import { ChangeSet, NewChangeSet } from "../../../src/domain/changeSets/ChangeSet.ts"
import { MediaFile } from "../../../src/domain/media/File.ts"
import { AppDataEntry } from "../../../src/domain/records/AppData.ts"
import { StoreOfApp } from "../../../src/http/api/Stores.ts"
import {
  document,
  type Documented,
  exampleOf,
  jsonContentOf,
  operations,
  requestsOf,
  schemaOf,
  schemasWithExamples,
  validationErrors
} from "../../support/http/OpenApi.ts"

/** Decodes each request example with `schema` and rejects excess properties. */
const decodesRequests = <A, I>(name: string, schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return requestsOf(name).map((body) => Result.isSuccess(decode(body)))
}

/** Decodes the response example as exactly one whole resource. */
const decodesResponse = <A, I>(name: string, status: number, data: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownResult(Schema.Struct({ data }), { onExcessProperty: "error" })
  return Result.isSuccess(decode(exampleOf(name, status, "Answer")))
}

/** True for reads, deletions and the POSTs that only name a change set. */
const hasNoBody = ({ method, path }: Documented) =>
  method === "GET" || method === "DELETE" || /\/(?:cancel|undo)$/.test(path)

describe("OpenAPI examples", () => {
  it("every body has examples, which match its schema", () => {
    for (const operation of operations) {
      const { name, pointer, requestBody, responses } = operation
      const request = jsonContentOf(operation)
      const bodies = [
        ...(request === undefined
          ? []
          : [[`${pointer}/requestBody/content/application~1json/schema`, request] as const]),
        ...Object.entries(responses).map(([status, { content }]) => [schemaOf(operation, status), content] as const)
      ]
      assert.strictEqual(requestBody === undefined, hasNoBody(operation), name)
      for (const [
        at,
        {
          "application/json": { examples }
        }
      ] of bodies) {
        assert.isNotEmpty(examples, at)
        for (const { value } of Object.values(examples)) assert.deepStrictEqual(validationErrors(at, value), [], at)
      }
    }
  })

  it("examples of fields match their schemas", () => {
    const found = schemasWithExamples(document.components.schemas, "#/components/schemas")
    assert.isAbove(found.length, 100)
    for (const [pointer, examples] of found) {
      for (const example of examples) assert.deepStrictEqual(validationErrors(pointer, example), [], pointer)
    }
  })

  it("request examples decode without excess properties", () => {
    assert.deepStrictEqual(decodesRequests("POST /products", CreateProduct), [true, true])
    assert.deepStrictEqual(decodesRequests("PATCH /products/{id}", UpdateProduct), [true, true])
    assert.deepStrictEqual(decodesRequests("PATCH /products/{id}/inventory", SetInventory), [true, true])
    assert.deepStrictEqual(decodesRequests("POST /collections", CreateCollection), [true, true])
    assert.deepStrictEqual(decodesRequests("PATCH /collections/{id}", UpdateCollection), [true, true])
    assert.deepStrictEqual(decodesRequests("POST /change-sets", NewChangeSet), [true, true])
    assert.deepStrictEqual(decodesRequests("POST /change-sets/{id}/apply", ApplyChangeSet), [true])
  })

  it("response examples contain every field of the resource and no other", () => {
    assert.isTrue(decodesResponse("GET /store", 200, StoreOfApp))
    assert.isTrue(decodesResponse("POST /products", 201, Product))
    assert.isTrue(decodesResponse("PATCH /products/{id}", 200, Product))
    assert.isTrue(decodesResponse("PATCH /products/{id}/inventory", 200, Product))
    assert.isTrue(decodesResponse("PUT /app-data/{namespace}", 200, AppDataEntry))
    assert.isTrue(decodesResponse("POST /collections", 201, Collection))
    assert.isTrue(decodesResponse("GET /collections/{id}", 200, Collection))
    assert.isTrue(decodesResponse("PATCH /collections/{id}", 200, Collection))
    assert.isTrue(decodesResponse("POST /change-sets", 201, ChangeSet))
    assert.isTrue(decodesResponse("POST /change-sets/{id}/apply", 200, ChangeSet))
    assert.isTrue(decodesResponse("POST /change-sets/{id}/cancel", 200, ChangeSet))
    assert.isTrue(decodesResponse("POST /change-sets/{id}/undo", 201, ChangeSet))
    assert.isTrue(decodesResponse("GET /change-sets/{id}", 200, ChangeSet))
    assert.isTrue(decodesResponse("POST /files", 201, MediaFile))
    assert.isTrue(decodesResponse("GET /files/{id}", 200, MediaFile))
  })
})
