import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { newProduct, patchProduct, Product, ProductId } from "../../../src/domain/catalog/Product.ts"
import { randomPatch, randomProduct } from "../../data/RandomProducts.ts"

const toProduct = Schema.decodeUnknownSync(Product, { onExcessProperty: "error" })

const generated = {
  id: ProductId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  slug: "desk",
  at: new Date("2026-01-31T09:30:00.123Z"),
  currencyCode: "EUR"
}
const later = new Date("2026-02-01T00:00:00.000Z")

it("a product does not change when it is serialized and parsed", () => {
  fc.assert(
    fc.property(randomProduct, (input) => {
      const product = newProduct(input, generated)
      const read = toProduct(JSON.parse(JSON.stringify(product)))
      assert.strictEqual(patchProduct(product, read, later), product)
    })
  )
})

it("a patch without changes returns the same product", () => {
  fc.assert(
    fc.property(randomProduct, randomPatch, (input, changes) => {
      const product = newProduct(input, generated)
      const once = patchProduct(product, changes, later)
      assert.strictEqual(once.version, once === product ? 1 : 2)
      // New variants get new ids each time, so they are left out of the second patch.
      const { variants: _, ...again } = changes
      assert.strictEqual(patchProduct(once, again, later), once)
    })
  )
})
