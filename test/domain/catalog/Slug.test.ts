import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { Slug } from "../../../src/domain/catalog/Fields.ts"
import { slugify } from "../../../src/layers/catalog/Slugify.ts"
import { numbered, SlugTaken } from "../../../src/domain/catalog/Slug.ts"

const isSlug = Schema.is(Slug)
const runs = { numRuns: 2000 }

const anyName = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: "grapheme-ascii", maxLength: 600 })
)

describe("slugOf", () => {
  it("makes a slug of any name, or nothing at all", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const slug = slugify(name)
        assert.isTrue(slug === "" || isSlug(slug), slug)
      }),
      runs
    )
  })

  it("leaves room for the number of any product that a plan allows", () => {
    fc.assert(
      fc.property(anyName, fc.integer({ min: 1, max: 1_000_000 }), (name, n) => {
        const slug = slugify(name)
        assert.isTrue(slug === "" || isSlug(numbered(slug, n)), numbered(slug, n))
      }),
      runs
    )
  })

  it("leaves a slug of its own making as it is", () => {
    fc.assert(
      fc.property(anyName, (name) => assert.strictEqual(slugify(slugify(name)), slugify(name))),
      runs
    )
  })

  it("transliterates letters of any script", () => {
    const examples = {
      "Walnut desk": "walnut-desk",
      "  --Walnut   desk!--  ": "walnut-desk",
      "Crème Brûlée": "creme-brulee",
      "Gumbär Gummibärchen": "gumbar-gummibarchen",
      Ærøskøbing: "aeroskobing",
      "Straße 5": "strasse-5",
      Москва: "moskva",
      Αθήνα: "athina",
      東京: "dong-jing",
      "100% wool & silk": "100-wool-silk"
    }
    assert.deepStrictEqual(Object.fromEntries(Object.keys(examples).map((name) => [name, slugify(name)])), examples)
  })

  it("has nothing left of a name without letters and digits", () => {
    for (const name of ["", " ", "!!!", "---", "\u200b", "…"]) assert.strictEqual(slugify(name), "", name)
  })
})

describe("numbered", () => {
  it("counts from the second choice on", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 10].map((n) => numbered("desk", n)),
      ["desk", "desk-2", "desk-3", "desk-10"]
    )
  })
})

describe("SlugTaken", () => {
  it("names the field and the slug", () => {
    const taken = new SlugTaken({ slug: "desk" })
    assert.include(taken.message, "desk")
    assert.strictEqual(taken.issues.length, 1)
    assert.match(taken.issues[0] ?? "", /^slug: desk is taken/)
  })
})
