import { assert, describe, it } from "@effect/vitest"
import { parseUrl } from "../../src/domain/Url.ts"

describe("parseUrl", () => {
  it("takes the same text for a URL however often it is asked", () => {
    // From some 4,000 calls on V8 has compiled what is asked, and asks Node otherwise than before.
    const texts = ["https://b\u00fccher.example.com/\u00e9", "https://example.com/?q=\u00e4"]
    const refused = Array.from({ length: 20_000 }, (_, n) => texts[n % 2] ?? "").filter((text) => !parseUrl(text))
    assert.deepStrictEqual(refused, [])
  })

  it("has none for what is no URL", () => {
    for (const text of ["", "example.com", "https://", "https://127.0.0.256/"]) assert.isUndefined(parseUrl(text))
  })
})
