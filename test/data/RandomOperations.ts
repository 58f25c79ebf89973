import * as fc from "fast-check"

/*
 * Random operations of change sets for the test against single writes. Few SKUs, slugs and products make operations depend
 * on each other.
 */

export const SKUS = ["A-1", "A-2", "B-1", "b-1"]
const SLUGS = ["cup", "bowl", "plate"]
/** Products that both stores have. */
export const PRODUCTS = 4

const sku = fc.constantFrom(...SKUS)
const slug = fc.constantFrom(...SLUGS)
const price = fc.constantFrom(0, 1.5, 20, 99.99)
const stock = fc.integer({ min: 0, max: 5 })

const optional = { requiredKeys: [] }

const product = fc.record(
  {
    name: fc.constantFrom("Cup", "Bowl", "Ümlaut"),
    slug,
    price,
    stock,
    sku,
    tags: fc.subarray(["new", "sale"]),
    variants: fc.array(fc.record({ title: fc.constantFrom("S", "M"), sku, stock }), { maxLength: 2 })
  },
  { requiredKeys: ["name"] }
)
const patch = fc.record({ name: fc.constantFrom("Cup", "Mug"), slug, price, stock, sku: fc.option(sku) }, optional)
const index = fc.integer({ min: 0, max: PRODUCTS - 1 })
const version = fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2 })
const change = fc.oneof(
  fc.record({ adjust: fc.integer({ min: -3, max: 3 }) }),
  fc.record({ stock, expectedStock: stock }, { requiredKeys: ["stock"] })
)
const members = fc.uniqueArray(index, { maxLength: 3 })

/** Random operation. Numbers name the products and collections that both stores have. */
export const operation = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant("product.create" as const), product }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("product.update" as const), target: index, version, patch }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("product.update" as const), sku, version, patch }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("inventory.change" as const), target: index, change }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("inventory.change" as const), sku, change }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("product.delete" as const), target: index, version }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("collection.create" as const),
      collection: fc.record({ title: fc.constantFrom("All", "None"), slug }, { requiredKeys: ["title"] })
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("collection.update" as const),
      patch: fc.record({ title: fc.constantFrom("All", "Some"), slug }, optional)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant("collection.members" as const), add: members, remove: members })
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("collection.delete" as const) }) }
)
export type RandomOperation = typeof operation extends fc.Arbitrary<infer A> ? A : never
