import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { facetsOf } from "../../../src/domain/catalog/Facets.ts"
import { newProduct, ProductId } from "../../../src/domain/catalog/Product.ts"
import type { RuleField } from "../../../src/domain/catalog/Rule.ts"
import { codesOf } from "../../../src/layers/catalog/ProductRepository.ts"
import { indexFacets, isIndexed, makeIndexCache, termOf } from "../../../src/layers/catalog/Terms.ts"
import { markStored } from "../../../src/layers/catalog/Vocabulary.ts"
import { phrase, randomProduct } from "../../data/RandomProducts.ts"

const STORE = "01890a5d-ac96-774b-bcce-b302099a8058"
const OTHER = "01890a5d-ac96-774b-bcce-b302099a8059"
const options = {
  id: ProductId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  slug: "desk",
  at: new Date("2026-01-31T09:30:00.123Z"),
  currencyCode: "EUR"
}

const facets = randomProduct.map((input) => facetsOf(newProduct(input, options)))

const named = (name: string) => facetsOf(newProduct({ name }, options))

describe("Terms", () => {
  const indexed: ReadonlyArray<RuleField> = [
    "tags",
    "vendorName",
    "productType",
    "category",
    "categoryId",
    "categoryName"
  ]

  it("a term is a UUID and depends only on store, field and value", () => {
    fc.assert(
      fc.property(fc.constantFrom(...indexed), phrase, (field, value) => {
        const found = termOf(STORE, field, value)
        assert.match(found, /^[0-9a-f]{32}$/)
        assert.strictEqual(termOf(STORE, field, value), found)
      })
    )
  })

  it("terms differ by store, field, value and the boundaries between them", () => {
    const facts = [
      [STORE, "tags", "oak"],
      [`${STORE}t`, "tags", "oak"],
      [STORE, "category", "oak"],
      [STORE, "categoryId", "oak"],
      [STORE, "category", "Idoak"],
      [STORE, "tags", "oaks"],
      [STORE, "tags", "kao"],
      [STORE, "tags", ""]
    ] as const
    assert.strictEqual(new Set(facts.map(([store, field, value]) => termOf(store, field, value))).size, facts.length)
  })

  it("a product has the terms of its indexed fields and of its searched words", () => {
    fc.assert(
      fc.property(facets, (facets) => {
        const { terms, unstored } = indexFacets(STORE, facets)
        const ofRules = indexed.flatMap((field) =>
          [facets[field]].flat().flatMap((value) => (typeof value === "string" ? [termOf(STORE, field, value)] : []))
        )
        const ofSearch = unstored.map(({ term }) => term)
        assert.sameMembers([...terms], [...new Set([...ofRules, ...ofSearch])])
      })
    )
    for (const field of indexed) assert.isTrue(isIndexed(field))
  })

  it("searched words come from name, vendor, category and tags; codes are searched as a whole", () => {
    const product = newProduct(
      {
        name: "Café-Tisch, 160 cm",
        vendorName: "Oak & Sons",
        tags: ["Oak", "Home office"],
        sku: "DESK-1",
        barcode: "400 6"
      },
      options
    )
    const { unstored } = indexFacets(STORE, facetsOf(product))
    assert.deepStrictEqual(
      unstored.flatMap(({ entries }) => entries.map(({ word }) => word)),
      ["oak", "home", "office", "oak", "sons", "cafe-tisch", "cafe", "tisch", "160", "cm"]
    )
    assert.deepStrictEqual(codesOf(product), ["desk-1", "400 6"])
  })

  it("the cache returns the same terms, and omits stored words until it is cleared", () => {
    fc.assert(
      fc.property(fc.array(facets, { minLength: 1, maxLength: 4 }), (products) => {
        const cache = makeIndexCache()
        const stored = new Set<string>()
        for (const facets of [...products, ...products]) {
          const fresh = indexFacets(STORE, facets)
          const { terms, unstored } = cache.indexFacets(STORE, facets)
          assert.deepStrictEqual(terms, fresh.terms)
          const isNew = ({ term }: { readonly term: string }) => !stored.has(term)
          assert.sameMembers(
            [...new Set(unstored.map(({ term }) => term))],
            [...new Set(fresh.unstored.filter(isNew).map(({ term }) => term))]
          )
          markStored(unstored)
          for (const { term } of unstored) stored.add(term)
          assert.isEmpty(cache.indexFacets(STORE, facets).unstored)
          assert.deepStrictEqual(
            cache.indexFacets(OTHER, facets).unstored.length,
            indexFacets(OTHER, facets).unstored.length
          )
        }
        cache.clear()
        for (const facets of products) {
          assert.strictEqual(
            cache.indexFacets(STORE, facets).unstored.length > 0,
            indexFacets(STORE, facets).unstored.length > 0
          )
        }
      })
    )
  })

  it("the cache keeps only recently used values", () => {
    const { indexFacets } = makeIndexCache()
    const isKnown = (name: string) => indexFacets(STORE, named(name)).unstored.length === 0
    const enter = (name: string) => markStored(indexFacets(STORE, named(name)).unstored)
    enter("often")
    enter("once")
    for (let n = 0; n < 20_000; n++) {
      enter(`new${n}`)
      assert.isTrue(isKnown("often"))
    }
    assert.isFalse(isKnown("once"))
  })
})
