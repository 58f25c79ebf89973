import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { HttpUrl } from "../../src/domain/catalog/Fields.ts"
import { NOT_WEB } from "../support/http/Fields.ts"
import { problemsAt } from "../support/http/OpenApi.ts"

const isTaken = Schema.is(HttpUrl)
const isDocumented = (url: string) =>
  problemsAt("#/components/schemas/CreateProduct/properties/imageUrl", url).length === 0

/** What parsers of URLs are known to take for something else, or to pass over. */
const NASTY = [
  "\n",
  "\t",
  "\r",
  " ",
  "\u0000",
  "\u001f",
  "\u007f",
  "\u0085",
  "\u00a0",
  "\u2028",
  "\u3000",
  "\ufeff",
  "\\"
]
const PARTS = [
  "/",
  "//",
  ":",
  "@",
  "?",
  "#",
  "%",
  "%41",
  "%0a",
  "[",
  "]",
  ".",
  "..",
  "a",
  "A",
  "é",
  "😀",
  "|",
  "{",
  '"',
  "<"
]

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PARTS) },
  { weight: 1, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 2 }) }
)
const tail = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""))
const scheme = fc.constantFrom(
  "https://",
  "http://",
  "HTTPS://",
  "https:/",
  "https:",
  "//",
  "ftp://",
  " https://",
  "https:\\\\"
)
const HOSTS = [
  "example.com",
  "Example.COM",
  "127.0.0.1",
  "[::1]",
  "日本.example",
  "example.com:8080",
  "user:pass@example.com"
]
const host = fc.constantFrom(...HOSTS)

/** Text that is, or nearly is, a URL. */
const nearUrl = fc.tuple(scheme, fc.oneof(host, tail), tail).map((parts) => parts.join(""))

/** Where a reader who looks for the next `/`, `?` or `#` sees the host end. */
const split = (url: string) => {
  const [, authority = "", rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/isu.exec(url) ?? []
  return { authority, rest }
}

/** As bytes, however they are escaped. */
const bytesOf = (text: string) =>
  Buffer.from(text, "utf8")
    .toString("latin1")
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Segments that the standard resolves. */
const hasDots = (rest: string) => /(?:^|\/)(?:\.|%2e){1,2}(?=[/?#]|$)/i.test(rest)

describe("A URL that is taken", () => {
  it("is to the WHATWG standard what it is to a plain reader: the same host, and the same rest but for escapes", () => {
    let taken = 0
    const holds = fc.property(nearUrl, (url) => {
      if (!isTaken(url)) return
      taken += 1
      const parsed = new URL(url)
      const { authority, rest } = split(url)
      assert.match(parsed.protocol, /^https?:$/)
      assert.notStrictEqual(parsed.hostname, "")
      assert.strictEqual(parsed.host, new URL(`${parsed.protocol}//${authority}`).host)
      assert.notMatch(url, /[\s\p{Cc}\\]/u)
      if (hasDots(rest)) return
      const path = `${rest.startsWith("/") ? "" : "/"}${rest}`
      // An empty query or fragment at the end is kept, as `href` keeps it.
      assert.strictEqual(bytesOf(split(parsed.href).rest), bytesOf(path))
    })
    fc.assert(holds, { numRuns: 20_000 })
    assert.isAbove(taken, 1000)
  })

  it("is one by the document too, and the other way round where the host is one", () => {
    fc.assert(
      fc.property(nearUrl, (url) => assert.isTrue(isDocumented(url) || !isTaken(url), JSON.stringify(url))),
      { numRuns: 5000 }
    )
    const withHost = fc
      .tuple(host, fc.constantFrom("/", "?", "#"), tail)
      .map(([name, mark, rest]) => `https://${name}${mark}${rest}`)
    fc.assert(
      fc.property(withHost, (url) => assert.strictEqual(isDocumented(url), isTaken(url), JSON.stringify(url))),
      { numRuns: 5000 }
    )
    for (const url of NOT_WEB) assert.isFalse(isTaken(url), JSON.stringify(url))
  })
})
