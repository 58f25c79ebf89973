import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as FastCheck from "fast-check"
import { CreateCollection, UpdateCollection } from "../../../src/domain/catalog/Collection.ts"
import { SetInventory } from "../../../src/domain/catalog/Inventory.ts"
import { CreateProduct, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import { fieldsOf, problemsAt } from "../../support/http/OpenApi.ts"

const edges = [null, 0, -1, 1e15, "", " ", "a", "EUR", "a".repeat(256), true, [], {}, [[]], [{}], ["a"], [" "], [1]]
const anyValue = FastCheck.oneof(FastCheck.constantFrom(...edges), FastCheck.jsonValue({ maxDepth: 3 }))

/** A body on which service and document differ, if one is found. `unlike`: fields where the document may be wider. */
const disagreement = <A, I>(
  component: string,
  schema: Schema.Codec<A, I>,
  required: object,
  unlike: ReadonlySet<string>
) => {
  const decode = Schema.decodeUnknownResult(schema)
  const property = FastCheck.property(
    FastCheck.constantFrom(...Object.keys(fieldsOf(component))),
    anyValue,
    (field, value) => {
      const body = { ...required, [field]: value }
      const isValid = problemsAt(`#/components/schemas/${component}`, body).length === 0
      return Result.isSuccess(decode(body)) ? isValid : !isValid || unlike.has(field)
    }
  )
  return FastCheck.check(property, { numRuns: 2000 }).counterexample
}

describe("A body is valid by the document exactly when the service takes it", () => {
  // What a schema cannot say: which codes ISO 4217 has, which text is a URL, which values suit a rule's field.
  it("for products", () => {
    const unlike = new Set(["currencyCode", "imageUrl", "media"])
    assert.isNull(disagreement("CreateProduct", CreateProduct, { name: "Cup" }, unlike))
    assert.isNull(disagreement("UpdateProduct", UpdateProduct, {}, unlike))
  })

  it("for the inventory of products", () => {
    assert.isNull(disagreement("SetInventory", SetInventory, { stock: 1 }, new Set(["variantId"])))
    assert.isNull(disagreement("SetInventory", SetInventory, { adjust: -1 }, new Set(["variantId"])))
  })

  it("for collections", () => {
    const unlike = new Set(["imageUrl", "rules", "productIds"])
    assert.isNull(disagreement("CreateCollection", CreateCollection, { title: "Cups" }, unlike))
    assert.isNull(disagreement("UpdateCollection", UpdateCollection, {}, unlike))
  })
})
