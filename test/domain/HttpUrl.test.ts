import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { HttpUrl } from "../../src/domain/catalog/Fields.ts"

const isAccepted = Schema.is(HttpUrl)

/** Characters that URL parsers replace or ignore. */
const IGNORED_CHARACTERS = [
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
  { weight: 1, arbitrary: fc.constantFrom(...IGNORED_CHARACTERS) },
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

/** Splits a URL at the first `/`, `?` or `#` after the scheme, like a simple parser. */
const split = (url: string) => {
  const [, authority = "", rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/isu.exec(url) ?? []
  return { authority, rest }
}

/** The bytes of a text, with percent-encoding decoded. */
const bytesOf = (text: string) =>
  Buffer.from(text, "utf8")
    .toString("latin1")
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Finds dot segments, which the WHATWG standard resolves. */
const hasDots = (rest: string) => /(?:^|\/)(?:\.|%2e){1,2}(?=[/?#]|$)/i.test(rest)

describe("HttpUrl", () => {
  it("the WHATWG parser and a simple parser find the same host and path in an accepted URL", () => {
    let accepted = 0
    const property = fc.property(nearUrl, (url) => {
      if (!isAccepted(url)) return
      accepted += 1
      const parsed = new URL(url)
      const { authority, rest } = split(url)
      assert.match(parsed.protocol, /^https?:$/)
      assert.notStrictEqual(parsed.hostname, "")
      assert.strictEqual(parsed.host, new URL(`${parsed.protocol}//${authority}`).host)
      assert.notMatch(url, /[\s\p{Cc}\\]/u)
      if (hasDots(rest)) return
      const path = `${rest.startsWith("/") ? "" : "/"}${rest}`
      // `href` keeps an empty query or fragment at the end.
      assert.strictEqual(bytesOf(split(parsed.href).rest), bytesOf(path))
    })
    fc.assert(property, { numRuns: 20_000 })
    assert.isAbove(accepted, 1000)
  })
})
