import { assert, describe, it } from "@effect/vitest"
import { addPictures, removePicture, replacePicture } from "../../src/web/features/products/editor/pictures.ts"
import type { Draft, MediumDraft } from "../../src/web/features/products/editor/productDraft.ts"
import { newVariant } from "../../src/web/features/products/editor/variantTable.ts"

const medium = (key: string): MediumDraft => ({ key, url: `https://images.example.com/${key}.jpg`, alt: key, type: "" })
const [a, b] = [medium("a"), medium("b")]
type Pictures = Pick<Draft, "imageUrl" | "media" | "variants">
const pictures = (imageUrl: string, ...media: ReadonlyArray<MediumDraft>): Pictures => ({
  imageUrl,
  media,
  variants: [a.url, "", b.url].map((url) => ({ ...newVariant(), imageUrl: url }))
})
const ofVariants = ({ variants }: Pictures) => variants.map(({ imageUrl }) => imageUrl)
const urlsOf = ({ imageUrl, media }: { readonly imageUrl: string; readonly media: ReadonlyArray<MediumDraft> }) => [
  imageUrl,
  ...media.map(({ url }) => url)
]

describe("Pictures of a product form", () => {
  it("added pictures follow the others, and the first one becomes a missing main image", () => {
    assert.deepStrictEqual(urlsOf(addPictures(pictures(""), [{ url: "x" }, { url: "y" }])), ["x", "x", "y"])
    assert.deepStrictEqual(urlsOf(addPictures(pictures("z", a), [{ url: "x" }])), ["z", a.url, "x"])
  })

  it("a replaced picture keeps its text and place, also as main image; a removed one is added again", () => {
    const replaced = replacePicture(pictures(a.url, a, b), "a", "x")
    assert.deepStrictEqual(urlsOf(replaced), ["x", "x", b.url])
    assert.strictEqual(replaced.media[0]?.alt, "a")
    assert.deepStrictEqual(ofVariants(replaced), ["x", "", b.url])
    assert.deepStrictEqual(urlsOf(replacePicture(pictures(a.url, b), "a", "x")), [a.url, b.url, "x"])
  })

  it("after the removal of the main image, the first picture that is left becomes it", () => {
    assert.deepStrictEqual(urlsOf(removePicture(pictures(a.url, a, b), "a")), [b.url, b.url])
    assert.deepStrictEqual(urlsOf(removePicture(pictures(b.url, a, b), "a")), [b.url, b.url])
    assert.deepStrictEqual(urlsOf(removePicture(pictures(a.url, a), "a")), [""])
    assert.deepStrictEqual(urlsOf(removePicture(pictures("z", a), "a")), ["z"])
    assert.deepStrictEqual(urlsOf(removePicture(pictures(a.url, a, { ...a, key: "c" }), "a")), [a.url, a.url])
  })

  it("a variant keeps its picture until the product's last one with the same address is removed", () => {
    const twice = pictures(a.url, a, { ...a, key: "c" })
    const once = removePicture(twice, "a")
    assert.deepStrictEqual(ofVariants(once), [a.url, "", b.url])
    assert.deepStrictEqual(ofVariants(removePicture({ ...twice, ...once }, "c")), ["", "", b.url])
  })
})
