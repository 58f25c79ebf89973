import { assert, describe, it } from "@effect/vitest"
import { parseUrl } from "../../src/domain/Url.ts"

describe("parseUrl", () => {
  it("parseUrl returns the same result after V8 optimizes it", () => {
    // After about 4,000 calls V8 compiles the function and calls Node in another way.
    const texts = ["https://b\u00fccher.example.com/\u00e9", "https://example.com/?q=\u00e4"]
    const refused = Array.from({ length: 20_000 }, (_, n) => texts[n % 2] ?? "").filter((text) => !parseUrl(text))
    assert.deepStrictEqual(refused, [])
  })

  it("parseUrl returns undefined for text that is not an absolute URL", () => {
    for (const text of ["", "example.com", "https://", "https://127.0.0.256/"]) assert.isUndefined(parseUrl(text))
  })
})
