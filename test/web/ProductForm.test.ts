import { assert, describe, it } from "@effect/vitest"
import { Result, Struct } from "effect"
import { newProduct, type Product, ProductId } from "../../src/domain/catalog/Product.ts"
import { uuidV7 } from "../../src/domain/Uuid.ts"
import { parseJson } from "../../src/web/features/products/editor/jsonInput.ts"
import { isCardNeeded } from "../../src/web/features/products/editor/productFields.ts"
import {
  NO_PROBLEMS,
  patchOf,
  parseIssues,
  productInput,
  parseStockChange
} from "../../src/web/features/products/editor/productInput.ts"
import { copyOf, type Draft, draftOf, newDraft } from "../../src/web/features/products/editor/productDraft.ts"
import { newVariant } from "../../src/web/features/products/editor/variantTable.ts"
import { merge, withFields } from "../../src/web/shared/data/differences.ts"
import { parseNumber } from "../../src/web/shared/data/typedNumbers.ts"

const PRECISE = "0.12345678901234568"

const desk: Product = {
  ...newProduct(
    {
      name: "Desk",
      price: Number(PRECISE),
      tags: ["oak"],
      media: [{ url: "https://images.example.com/desk.jpg", alt: "A desk", lens: "35 mm" }],
      options: [{ name: "Width", values: ["120", "160"] }],
      variants: [
        { title: "120", price: 10, stock: 3, options: { Width: "120" } },
        { title: "160", price: 20, options: { Width: "160" } }
      ],
      metafields: { care: { oil: "yearly", weight: Number(PRECISE) } },
      dimensions: { length: 160, unit: "cm", depth: 4 }
    },
    { id: ProductId.make(uuidV7(0)), slug: "desk", at: new Date(0), currencyCode: "EUR" }
  )
}
const base = draftOf(desk)
const [narrow, wide] = base.variants

/** The patch of a form, as JSON on the wire. */
const patchJson = (draft: Draft) => Result.map(patchOf(base, draft), (patch) => JSON.parse(JSON.stringify(patch)))

const problemsOf = (draft: Draft) =>
  Result.match(patchOf(base, draft), { onFailure: (map) => [...map], onSuccess: () => [] })

const isOpen = (fields: Parameters<typeof isCardNeeded>[0], draft: Partial<Draft>, problems = NO_PROBLEMS) =>
  isCardNeeded(fields, { draft: { ...newDraft, ...draft }, problems, edit: () => undefined })

describe("Product form", () => {
  it("the patch contains only changed fields, with all digits", () => {
    assert.deepStrictEqual(patchJson(base), Result.succeed({}))
    assert.deepStrictEqual(
      patchJson({
        ...base,
        name: " Desk of oak ",
        description: "",
        weight: PRECISE,
        tags: ["oak", "Oak", "new"]
      }),
      Result.succeed({ name: "Desk of oak", weight: Number(PRECISE), tags: ["oak", "new"] })
    )
    assert.strictEqual(base.price, PRECISE)
  })

  it("unknown fields of media and dimensions are kept", () => {
    const media = base.media.map((medium) => ({ ...medium, alt: "", type: "image" }))
    const dimensions = { ...base.dimensions, length: "", width: "80.50" }
    assert.deepStrictEqual(
      patchJson({ ...base, media, dimensions }),
      Result.succeed({
        media: [{ url: "https://images.example.com/desk.jpg", lens: "35 mm", type: "image" }],
        dimensions: { depth: 4, width: 80.5, unit: "cm" }
      })
    )
  })

  it("names of options, and values of one, that differ only in case are refused at their fields", () => {
    const added = { key: "new 1", name: " width", values: ["Oak", "oak"] }
    assert.deepStrictEqual(problemsOf({ ...base, options: [...base.options, added] }), [
      ["options.1.name", "Enter a name that no other option has, also in upper or lower case"],
      ["options.1.values.1", "Remove oak. The option has this value already, also in upper or lower case."]
    ])
  })

  it("existing variants are sent by id with changed fields and without stock", () => {
    const variants = [
      ...base.variants.map((variant) => (variant === wide ? { ...variant, price: "21.5" } : variant)),
      { ...newVariant(), title: "200", stock: "4" }
    ]
    assert.deepStrictEqual(
      patchJson({ ...base, variants }),
      Result.succeed({ variants: [{ id: narrow?.key }, { id: wide?.key, price: 21.5 }, { title: "200", stock: 4 }] })
    )
  })

  it("a variant gets a picture by its URL, and loses it by null", () => {
    const url = "https://images.example.com/desk-120.jpg"
    const withPicture = { ...base, variants: base.variants.map((variant) => ({ ...variant, imageUrl: url })) }
    const without = { ...withPicture, variants: base.variants }
    const ids = base.variants.map(({ key }) => key)
    assert.deepStrictEqual(
      patchJson(withPicture),
      Result.succeed({ variants: ids.map((id) => ({ id, imageUrl: url })) })
    )
    assert.deepStrictEqual(
      Result.map(patchOf(withPicture, without), ({ variants }) => JSON.parse(JSON.stringify(variants))),
      Result.succeed(ids.map((id) => ({ id, imageUrl: null })))
    )
    const relative = problemsOf({ ...base, variants: [{ ...newVariant(), imageUrl: "desk.jpg" }] })
    assert.deepStrictEqual(
      relative.map(([path]) => path),
      ["variants.0.imageUrl"]
    )
  })

  it("renaming an option renames it in the variants", () => {
    const options = base.options.map((option) => ({ ...option, name: "Breadth" }))
    assert.deepStrictEqual(
      patchJson({ ...base, options }),
      Result.succeed({
        options: [{ name: "Breadth", values: ["120", "160"] }],
        variants: [
          { id: narrow?.key, options: { Breadth: "120" } },
          { id: wide?.key, options: { Breadth: "160" } }
        ]
      })
    )
  })

  it("invalid fields have an error by path, and no patch is sent", () => {
    const variants = base.variants.map((variant) => ({ ...variant, price: variant === narrow ? "" : "12,5" }))
    assert.deepStrictEqual(
      problemsOf({ ...base, name: " ", price: "-1", metafields: "{", imageUrl: "desk.jpg", variants })
        .map(([path]) => path)
        .toSorted(),
      ["imageUrl", "metafields", "name", "price", "variants.0.price", "variants.1.price"]
    )
  })

  it("a changed price is above its sale price, an option has a name, and new stock is whole", () => {
    const advice = "Enter a sale price below the price, or clear it"
    assert.deepStrictEqual(problemsOf({ ...base, price: "20", discountedPrice: "99" }), [["discountedPrice", advice]])
    assert.deepStrictEqual(problemsOf({ ...base, price: "20", discountedPrice: "20" }), [["discountedPrice", advice]])
    const odd = draftOf({ ...desk, price: 20, discountedPrice: 99 })
    assert.deepStrictEqual(patchOf(odd, { ...odd, name: "Other" }), Result.succeed({ name: "Other" }))
    const variants = base.variants.map((variant) => ({ ...variant, discountedPrice: "10" }))
    assert.deepStrictEqual(problemsOf({ ...base, variants }), [["variants.0.discountedPrice", advice]])
    const options = [...base.options, { key: "new", name: " ", values: [] }]
    assert.deepStrictEqual(problemsOf({ ...base, options }), [
      ["options.1.name", "Enter a name, such as Size, or remove the option"]
    ])
    assert.deepStrictEqual(
      productInput({ ...newDraft, name: "Lamp", stock: "1.5" }),
      Result.fail(new Map([["stock", "Write a whole number, such as 1234 or 1,234"]]))
    )
    const typed = { ...newDraft, name: "Lamp", stock: "80", variants: [{ ...newVariant(), stock: "3" }] }
    assert.deepStrictEqual(productInput(typed), Result.succeed({ name: "Lamp", variants: [{ stock: 3 }] }))
  })

  it("a new product has the name and the other entered fields; the name is required", () => {
    assert.deepStrictEqual(
      productInput({ ...newDraft, name: "Lamp", price: "12.50", isActive: false }),
      Result.succeed({ name: "Lamp", price: 12.5, isActive: false })
    )
    assert.isTrue(Result.isFailure(productInput(newDraft)))
  })

  it("a copy has all values except codes and stock, and variants without ids", () => {
    const stored = { ...desk, sku: "D", barcode: "1", stock: 5, category: "Desks" }
    const copy = copyOf({ ...stored, variants: desk.variants.map((one) => ({ ...one, sku: "V" })) })
    const input = productInput(copy, copy)
    assert.deepStrictEqual(
      Result.map(input, (product) => JSON.parse(JSON.stringify(product))),
      Result.succeed({
        ...Struct.pick(desk, ["price", "currencyCode", "tags", "media", "options", "metafields", "dimensions"]),
        name: "Desk copy",
        category: "Desks",
        variants: [
          { title: "120", price: 10, options: { Width: "120" } },
          { title: "160", price: 20, options: { Width: "160" } }
        ]
      })
    )
    assert.strictEqual(copyOf({ ...desk, name: "x".repeat(255) }).name, `${"x".repeat(250)} copy`)
  })

  it("a card opens for a value of its own or a problem, but not for a slug, which the service supplies", () => {
    assert.isFalse(isOpen(["seoTitle", "slug"], { slug: "desk", name: "Desk" }))
    assert.isTrue(isOpen(["seoTitle", "slug"], { seoTitle: "Desk" }))
    assert.isTrue(isOpen(["seoTitle", "slug"], {}, new Map([["slug", "is taken"]])))
    assert.isTrue(isOpen(["faqs"], {}, new Map([["faqs.0.answer", "is missing"]])))
  })

  it("issues of the service are mapped to the fields of the form", () => {
    assert.deepStrictEqual(
      [...parseIssues(["patch.variants.2.price: must be a number", "product.name: must be text", "all is wrong"])],
      [
        ["variants.2.price", "must be a number"],
        ["name", "must be text"],
        ["", "all is wrong"]
      ]
    )
  })
})

describe("Merge of a product form with a concurrent save", () => {
  const mine = { ...base, name: "Mine", vendorName: "Me", sku: "A" }
  const theirs = draftOf({ ...desk, name: "Theirs", category: "Desks", sku: "A" })

  it("a merge takes their changes, keeps mine, and reports conflicting fields", () => {
    const { changedByThem, conflicts, draft } = merge(base, mine, theirs)
    assert.deepStrictEqual({ changedByThem, conflicts }, { changedByThem: ["category"], conflicts: ["name"] })
    assert.deepStrictEqual([draft.name, draft.vendorName, draft.category, draft.sku], ["Mine", "Me", "Desks", "A"])
    assert.strictEqual(withFields(draft, theirs, conflicts).name, "Theirs")
  })

  it("a change of stock is not a conflict", () => {
    const sold = { ...desk, stock: 1, variants: desk.variants.map((variant) => ({ ...variant, stock: 1 })) }
    const variants = base.variants.map((variant) => ({ ...variant, title: "Wide" }))
    assert.deepStrictEqual(merge(base, { ...base, variants }, draftOf(sold)).conflicts, [])
  })
})

describe("Input parsing", () => {
  it("a number keeps all digits; invalid numbers and JSON are rejected", () => {
    assert.deepStrictEqual(parseNumber(` ${PRECISE} `), Result.succeed(Number(PRECISE)))
    assert.deepStrictEqual(parseNumber("+3"), Result.succeed(3))
    for (const text of ["", "12,5", "1.", "0x1", '"1"', "1 000", "NaN"]) {
      assert.isTrue(Result.isFailure(parseNumber(text)), text)
    }
    assert.isTrue(Result.isFailure(parseJson("{,}")))
  })

  it("a count is sent with the expected stock, and an adjustment without it", () => {
    const change = { input: "5", reason: " Counted ", shown: 7, mode: "count" } as const
    assert.deepStrictEqual(parseStockChange(change), Result.succeed({ stock: 5, expectedStock: 7, reason: "Counted" }))
    assert.deepStrictEqual(
      parseStockChange({ ...change, mode: "adjust", input: "-2", reason: "" }),
      Result.succeed({ adjust: -2 })
    )
    assert.isTrue(Result.isFailure(parseStockChange({ ...change, input: "-2" })))
    assert.isTrue(Result.isFailure(parseStockChange({ ...change, input: "1.5" })))
    assert.isTrue(Result.isSuccess(parseStockChange({ ...change, shown: 2.5, input: "1.5" })))
  })
})
