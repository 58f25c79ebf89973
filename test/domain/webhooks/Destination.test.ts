import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { isPublic } from "../../../src/domain/webhooks/Address.ts"
import { checkUrl, MAX_URL_LENGTH } from "../../../src/domain/webhooks/Destination.ts"

const NONE: ReadonlySet<string> = new Set()

/** The normalized URL, or the error message. */
const check = (text: string) =>
  Result.match(checkUrl(text, NONE), { onFailure: ({ message }) => message, onSuccess: ({ url }): string => url })

const isRefused = (host: string) => Result.isFailure(checkUrl(`https://${host}/`, NONE))

const ofLength = (length: number) => "https://example.com/".padEnd(length, "x")

/** The notations of a number in an IPv4 address: decimal, hexadecimal and octal. */
const notationsOf = (n: number) => fc.constantFrom(String(n), `0x${n.toString(16)}`, `0${n.toString(8)}`)

describe("checkUrl", () => {
  it("public URLs are accepted and normalized", () => {
    const examples = {
      "https://example.com": "https://example.com/",
      "HTTPS://Example.COM./a/../Hook?x=1": "https://example.com/Hook?x=1",
      "  https://example.com:443/hook\n": "https://example.com/hook",
      "https://example.com:8443/hook?": "https://example.com:8443/hook?",
      "https://bücher.example.com/é": "https://xn--bcher-kva.example.com/%C3%A9",
      "https://my_app.example.com/": "https://my_app.example.com/",
      "https://8.8.8.8/": "https://8.8.8.8/",
      "https://0x08080808/": "https://8.8.8.8/",
      "https://[2A00:1450:4001:81B:0:0:0:200E]:8443/": "https://[2a00:1450:4001:81b::200e]:8443/"
    }
    assert.deepStrictEqual(Object.fromEntries(Object.keys(examples).map((url) => [url, check(url)])), examples)
  })

  it("the error message of a rejected URL names the required change", () => {
    const examples: Readonly<Record<string, RegExp>> = {
      "example.com/hook": /must be an absolute URL, as in https:\/\//,
      "https://": /must be an absolute URL/,
      "https://127.0.0.256/": /must be an absolute URL/,
      "http://example.com/": /must begin with https:\/\//,
      "ftp://example.com/": /must begin with https:\/\//,
      "https://me:secret@example.com/": /must not contain a user name or password/,
      "https://me@example.com/": /must not contain a user name or password/,
      "https://example.com/#top": /must not have a fragment/,
      "https://example.com/#": /must not have a fragment/,
      "https://127.1/": /has the address 127\.0\.0\.1: webhooks go to public addresses only.*WEBHOOK_ALLOW_HOSTS/,
      "https://[::ffff:7f00:1]/": /has the address ::ffff:7f00:1: webhooks go/,
      "https://LOCALHOST./": /has the host localhost, a name of private networks/,
      "https://api.LOCALHOST/": /has the host api\.localhost, a name of private networks/,
      "https://printer/": /has the host printer, a name of private networks/,
      "https://vault.internal/": /has the host vault\.internal, a name of private networks/,
      "https://a..example.com/": /has the host a\.\.example\.com, which is not a valid host name/,
      "https://*.example.com/": /has the host \*\.example\.com, which is not a valid host name/,
      [`https://${"a".repeat(64)}.example.com/`]: /which is not a valid host name/,
      [`https://${"a.".repeat(130)}com/`]: /which is not a valid host name/
    }
    for (const [url, message] of Object.entries(examples)) {
      assert.match(check(url), message)
      assert.match(check(url), /^The webhook URL /)
    }
  })

  it("the length limit applies to the URL as sent and as normalized", () => {
    assert.strictEqual(check(ofLength(MAX_URL_LENGTH)), ofLength(MAX_URL_LENGTH))
    assert.match(check(ofLength(MAX_URL_LENGTH + 1)), /at most 2048 characters/)
    assert.match(check(`https://example.com/${"é".repeat(1000)}`), /at most 2048 characters/)
    assert.match(check(`https://example.com/${"\n".repeat(3000)}`), /at most 2048 characters/)
  })

  it("origin and path add up to the normalized URL", () => {
    const target = Result.getOrThrow(checkUrl("https://example.com.:8443/a b?c", NONE))
    assert.deepStrictEqual(
      { ...target },
      {
        url: target.url,
        origin: "https://example.com:8443",
        path: "/a%20b?c",
        isAllowed: false
      }
    )
    assert.strictEqual(target.url, target.origin + target.path)
  })

  it("an IPv4 address has the same result in every notation", () => {
    const octet = fc.integer({ min: 0, max: 255 })
    const address = fc.tuple(octet, octet, octet, octet).chain(([a, b, c, d]) => {
      const [last3, last2] = [(b * 256 + c) * 256 + d, c * 256 + d]
      const parts = fc.constantFrom([a, b, c, d], [a, b, last2], [a, last3], [a * 2 ** 24 + last3])
      const text = parts.chain((numbers) => fc.tuple(...numbers.map(notationsOf))).map((texts) => texts.join("."))
      return fc.tuple(fc.constant(`${a}.${b}.${c}.${d}`), text)
    })
    fc.assert(
      fc.property(address, ([plain, text]) => {
        assert.strictEqual(isRefused(text), !isPublic(plain), text)
        assert.isTrue(isRefused(`[::ffff:${plain}]`))
      }),
      { numRuns: 500 }
    )
  })

  it("a normalized URL is accepted again without changes", () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ["https"], withQueryParameters: true }), (text) => {
        const once = checkUrl(text, NONE)
        assert.deepStrictEqual(
          Result.flatMap(once, ({ url }) => checkUrl(url, NONE)),
          once
        )
      }),
      { numRuns: 500 }
    )
  })

  it("checkUrl does not throw for any text", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: "binary" })),
        fc.constantFrom("", "https://"),
        (text, start) => {
          assert.isString(check(start + text))
        }
      ),
      { numRuns: 1000 }
    )
  })
})
