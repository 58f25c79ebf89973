import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { Slug } from "../../../src/domain/catalog/Fields.ts"
import { numbered } from "../../../src/domain/catalog/Slug.ts"
import { slugify } from "../../../src/layers/catalog/Slugify.ts"

const isSlug = Schema.is(Slug)
const runs = { numRuns: 2000 }

const anyName = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: "grapheme-ascii", maxLength: 600 })
)

describe("slugify", () => {
  it("slugify returns a valid slug or an empty string for any name", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const slug = slugify(name)
        assert.isTrue(slug === "" || isSlug(slug), slug)
      }),
      runs
    )
  })

  it("a slug has room for a number up to 1,000,000", () => {
    fc.assert(
      fc.property(anyName, fc.integer({ min: 1, max: 1_000_000 }), (name, n) => {
        const slug = slugify(name)
        assert.isTrue(slug === "" || isSlug(numbered(slug, n)), numbered(slug, n))
      }),
      runs
    )
  })

  it("slugify does not change its own result", () => {
    fc.assert(
      fc.property(anyName, (name) => assert.strictEqual(slugify(slugify(name)), slugify(name))),
      runs
    )
  })

  it("slugify transliterates letters of any script", () => {
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

  it("slugify returns an empty string for a name without letters and digits", () => {
    for (const name of ["", " ", "!!!", "---", "\u200b", "…"]) assert.strictEqual(slugify(name), "", name)
  })
})
