import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { MAX_URL_LENGTH } from "../../../src/domain/Url.ts"
import { checkUrl } from "../../../src/domain/webhooks/Destination.ts"

const NONE: ReadonlySet<string> = new Set()

/** The normalized URL, or the error message. */
const check = (text: string) =>
  Result.match(checkUrl(text, NONE), { onFailure: ({ message }) => message, onSuccess: ({ url }): string => url })

const ofLength = (length: number) => "https://example.com/".padEnd(length, "x")

/** Public addresses next to the special ranges. */
const PUBLIC =
  "1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15 " +
  "169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 " +
  "198.20.0.0 223.255.255.255 [2000::1] [2001:200::1] [2003::1] [2a00:1450:4001:81b::200e] [3ffe:ffff::1]"

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
    for (const host of PUBLIC.split(" ")) assert.strictEqual(check(`https://${host}/`), `https://${host}/`)
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
})
