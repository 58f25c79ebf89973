import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type AllowedHosts, parseAllowedHosts } from "../../../src/domain/webhooks/AllowedHosts.ts"
import { checkUrl } from "../../../src/domain/webhooks/Destination.ts"

/** The normalized URL, or the error message. */
const check = (text: string, allowed: AllowedHosts) =>
  Result.match(checkUrl(text, allowed), { onFailure: ({ message }) => message, onSuccess: ({ url }): string => url })

const parseHosts = (text: string) => Result.getOrThrow(parseAllowedHosts(text))

describe("Allowed hosts", () => {
  it("every notation of a host is parsed to its normalized form", () => {
    const allowed = parseHosts(" LocalHost , hooks.test.:80,127.1:3000,[0:0::1]:8080,[::2],10.0.0.1:443,, postgres ")
    assert.sameMembers(
      [...allowed],
      ["localhost", "hooks.test:80", "127.0.0.1:3000", "[::1]:8080", "[::2]", "10.0.0.1:443", "postgres"]
    )
    assert.strictEqual(parseHosts("").size, 0)
  })

  it("allowed hosts accept http and private addresses, only on their ports", () => {
    const allowed = parseHosts("localhost, hooks.test:80, 127.0.0.1:3000, [::1]:8080, 10.0.0.1:443")
    const accepted = [
      "http://localhost/",
      "http://localhost:1234/hook",
      "https://localhost:1234/hook",
      "http://hooks.test/",
      "https://hooks.test:80/",
      "http://127.0.0.1:3000/",
      "http://[::1]:8080/",
      "https://10.0.0.1/"
    ]
    assert.deepStrictEqual(
      accepted.map((url) => check(url, allowed)),
      accepted
    )
    assert.isTrue(Result.getOrThrow(checkUrl("http://LOCALHOST.:1/", allowed)).isAllowed)
    assert.isFalse(Result.getOrThrow(checkUrl("https://example.com/", allowed)).isAllowed)
    const rejected = [
      "http://hooks.test:81/",
      "http://127.0.0.1/",
      "http://127.0.0.1:3001/",
      "http://127.0.0.2:3000/",
      "http://a.localhost/",
      "http://10.0.0.1/",
      "http://[::1]/",
      "ftp://localhost/",
      "http://user@localhost/",
      "http://localhost/#x",
      "http://example.com/"
    ]
    for (const url of rejected) assert.match(check(url, allowed), /^The webhook URL (?:must|has)/, url)
  })

  it("an invalid host is rejected, and the message names it", () => {
    const invalidHosts = [
      "http://localhost",
      "localhost/hook",
      "localhost:0",
      "localhost:65536",
      "localhost:80:90",
      "localhost:",
      ":3000",
      "user@localhost",
      "::1",
      "[::1",
      "[::g]",
      "*",
      "*.example.com",
      "local host",
      "127.0.0.256",
      "a..b",
      "localhost?x",
      "localhost#x",
      "localhost\\x"
    ]
    for (const entry of invalidHosts) {
      const message = Result.match(parseAllowedHosts(`localhost, ${entry}`), {
        onFailure: ({ message }) => message,
        onSuccess: () => "taken"
      })
      assert.match(message, / is not a valid host; use a form such as localhost, /, entry)
      assert.include(message, `"${entry}"`)
    }
  })
})
