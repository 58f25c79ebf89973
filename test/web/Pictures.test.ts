import { assert, describe, it } from "@effect/vitest"
import { addPictures, removePicture, replacePicture } from "../../src/web/features/products/editor/pictures.ts"
import type { MediumDraft } from "../../src/web/features/products/editor/productDraft.ts"

const medium = (key: string): MediumDraft => ({ key, url: `https://images.example.com/${key}.jpg`, alt: key, type: "" })
const [a, b] = [medium("a"), medium("b")]
const urlsOf = ({ imageUrl, media }: { readonly imageUrl: string; readonly media: ReadonlyArray<MediumDraft> }) => [
  imageUrl,
  ...media.map(({ url }) => url)
]

describe("Pictures of a product form", () => {
  it("added pictures follow the others, and the first one becomes a missing main image", () => {
    assert.deepStrictEqual(urlsOf(addPictures({ imageUrl: "", media: [] }, [{ url: "x" }, { url: "y" }])), [
      "x",
      "x",
      "y"
    ])
    assert.deepStrictEqual(urlsOf(addPictures({ imageUrl: "z", media: [a] }, [{ url: "x" }])), ["z", a.url, "x"])
  })

  it("a replaced picture keeps its text and place, also as main image; a removed one is added again", () => {
    const replaced = replacePicture({ imageUrl: a.url, media: [a, b] }, "a", "x")
    assert.deepStrictEqual(urlsOf(replaced), ["x", "x", b.url])
    assert.strictEqual(replaced.media[0]?.alt, "a")
    assert.deepStrictEqual(urlsOf(replacePicture({ imageUrl: a.url, media: [b] }, "a", "x")), [a.url, b.url, "x"])
  })

  it("after the removal of the main image, the first picture that is left becomes it", () => {
    assert.deepStrictEqual(urlsOf(removePicture({ imageUrl: a.url, media: [a, b] }, "a")), [b.url, b.url])
    assert.deepStrictEqual(urlsOf(removePicture({ imageUrl: b.url, media: [a, b] }, "a")), [b.url, b.url])
    assert.deepStrictEqual(urlsOf(removePicture({ imageUrl: a.url, media: [a] }, "a")), [""])
    assert.deepStrictEqual(urlsOf(removePicture({ imageUrl: "z", media: [a] }, "a")), ["z"])
    assert.deepStrictEqual(urlsOf(removePicture({ imageUrl: a.url, media: [a, { ...a, key: "c" }] }, "a")), [
      a.url,
      a.url
    ])
  })
})
