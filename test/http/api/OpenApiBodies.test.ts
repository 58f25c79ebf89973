import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as FastCheck from "fast-check"
import { CreateCollection, UpdateCollection } from "../../../src/domain/catalog/Collection.ts"
import { SetInventory } from "../../../src/domain/catalog/Inventory.ts"
import { CreateProduct, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import { fieldsOf, validationErrors } from "../../support/http/OpenApi.ts"

const edges = [null, 0, -1, 1e15, "", " ", "a", "EUR", "a".repeat(256), true, [], {}, [[]], [{}], ["a"], [" "], [1]]
const anyValue = FastCheck.oneof(FastCheck.constantFrom(...edges), FastCheck.jsonValue({ maxDepth: 3 }))

/** Finds a body on which service and document disagree. The document may accept more values of `widerFields`. */
const findDisagreement = <A, I>(
  component: string,
  schema: Schema.Codec<A, I>,
  required: object,
  widerFields: ReadonlySet<string>
) => {
  const decode = Schema.decodeUnknownResult(schema)
  const property = FastCheck.property(
    FastCheck.constantFrom(...Object.keys(fieldsOf(component))),
    anyValue,
    (field, value) => {
      const body = { ...required, [field]: value }
      const isValid = validationErrors(`#/components/schemas/${component}`, body).length === 0
      return Result.isSuccess(decode(body)) ? isValid : !isValid || widerFields.has(field)
    }
  )
  return FastCheck.check(property, { numRuns: 2000 }).counterexample
}

describe("Request body schemas of the document", () => {
  // JSON Schema cannot express ISO 4217 codes, URL syntax, or which values fit the field of a rule.
  it("the document and the service accept the same product bodies", () => {
    const widerFields = new Set(["currencyCode", "imageUrl", "media"])
    assert.isNull(findDisagreement("CreateProduct", CreateProduct, { name: "Cup" }, widerFields))
    assert.isNull(findDisagreement("UpdateProduct", UpdateProduct, {}, widerFields))
  })

  it("the document and the service accept the same inventory bodies", () => {
    assert.isNull(findDisagreement("SetInventory", SetInventory, { stock: 1 }, new Set(["variantId"])))
    assert.isNull(findDisagreement("SetInventory", SetInventory, { adjust: -1 }, new Set(["variantId"])))
  })

  it("the document and the service accept the same collection bodies", () => {
    const widerFields = new Set(["imageUrl", "rules", "productIds"])
    assert.isNull(findDisagreement("CreateCollection", CreateCollection, { title: "Cups" }, widerFields))
    assert.isNull(findDisagreement("UpdateCollection", UpdateCollection, {}, widerFields))
  })
})
