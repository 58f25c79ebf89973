import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { facetsOf } from "../../src/domain/catalog/Facets.ts"
import { newProduct, ProductId } from "../../src/domain/catalog/Product.ts"
import type { RuleField } from "../../src/domain/catalog/Rule.ts"
import { codesOf } from "../../src/layers/catalog/ProductRepo.ts"
import { indexOf, isIndexed, makeIndex, term } from "../../src/layers/catalog/Terms.ts"
import { knowEntered } from "../../src/layers/catalog/Vocabulary.ts"
import { phrase, randomProduct } from "../data/RandomProducts.ts"

const STORE = "01890a5d-ac96-774b-bcce-b302099a8058"
const OTHER = "01890a5d-ac96-774b-bcce-b302099a8059"
const given = {
  id: ProductId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  slug: "desk",
  at: new Date("2026-01-31T09:30:00.123Z"),
  currencyCode: "EUR"
}

const facets = randomProduct.map((input) => facetsOf(newProduct(input, given)))

const named = (name: string) => facetsOf(newProduct({ name }, given))

describe("Terms", () => {
  const indexed: ReadonlyArray<RuleField> = [
    "tags",
    "vendorName",
    "productType",
    "category",
    "categoryId",
    "categoryName"
  ]

  it("are UUIDs, the same for the same fact", () => {
    fc.assert(
      fc.property(fc.constantFrom(...indexed), phrase, (field, value) => {
        const found = term(STORE, field, value)
        assert.match(found, /^[0-9a-f]{32}$/)
        assert.strictEqual(term(STORE, field, value), found)
      })
    )
  })

  it("differ with the store, the field and the value, and with where one ends and the next begins", () => {
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
    assert.strictEqual(new Set(facts.map(([store, field, value]) => term(store, field, value))).size, facts.length)
  })

  it("of a product are those of each of its values in the fields that have an index, and of what it is found by", () => {
    fc.assert(
      fc.property(facets, (facets) => {
        const { terms, unentered } = indexOf(STORE, facets)
        const ofRules = indexed.flatMap((field) =>
          [facets[field]].flat().flatMap((value) => (typeof value === "string" ? [term(STORE, field, value)] : []))
        )
        const ofSearch = unentered.map(({ term }) => term)
        assert.sameMembers([...terms], [...new Set([...ofRules, ...ofSearch])])
      })
    )
    for (const field of indexed) assert.isTrue(isIndexed(field))
  })

  it("a product is found by the words of its name, vendor, category and tags, and by its codes as a whole", () => {
    const product = newProduct(
      {
        name: "Café-Tisch, 160 cm",
        vendorName: "Oak & Sons",
        tags: ["Oak", "Home office"],
        sku: "DESK-1",
        barcode: "400 6"
      },
      given
    )
    const { unentered } = indexOf(STORE, facetsOf(product))
    assert.deepStrictEqual(
      unentered.flatMap(({ entries }) => entries.map(({ word }) => word)),
      ["oak", "home", "office", "oak", "sons", "cafe-tisch", "cafe", "tisch", "160", "cm"]
    )
    assert.deepStrictEqual(codesOf(product), ["desk-1", "400 6"])
  })

  it("are the same where they are remembered, and those of which the words are entered are told until that is forgotten", () => {
    fc.assert(
      fc.property(fc.array(facets, { minLength: 1, maxLength: 4 }), (products) => {
        const remembered = makeIndex()
        const entered = new Set<string>()
        for (const facets of [...products, ...products]) {
          const fresh = indexOf(STORE, facets)
          const { terms, unentered } = remembered.indexOf(STORE, facets)
          assert.deepStrictEqual(terms, fresh.terms)
          const isNew = ({ term }: { readonly term: string }) => !entered.has(term)
          assert.sameMembers(
            [...new Set(unentered.map(({ term }) => term))],
            [...new Set(fresh.unentered.filter(isNew).map(({ term }) => term))]
          )
          knowEntered(unentered)
          for (const { term } of unentered) entered.add(term)
          assert.isEmpty(remembered.indexOf(STORE, facets).unentered)
          assert.deepStrictEqual(
            remembered.indexOf(OTHER, facets).unentered.length,
            indexOf(OTHER, facets).unentered.length
          )
        }
        remembered.forget()
        for (const facets of products) {
          assert.strictEqual(
            remembered.indexOf(STORE, facets).unentered.length > 0,
            indexOf(STORE, facets).unentered.length > 0
          )
        }
      })
    )
  })

  it("are remembered of the last values alone, so that what never comes again takes no room", () => {
    const { indexOf } = makeIndex()
    const isKnown = (name: string) => indexOf(STORE, named(name)).unentered.length === 0
    const enter = (name: string) => knowEntered(indexOf(STORE, named(name)).unentered)
    enter("often")
    enter("once")
    for (let n = 0; n < 20_000; n++) {
      enter(`new${n}`)
      assert.isTrue(isKnown("often"))
    }
    assert.isFalse(isKnown("once"))
  })
})
