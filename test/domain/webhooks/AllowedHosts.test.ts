import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type AllowedHosts, parseAllowedHosts } from "../../../src/domain/webhooks/AllowedHosts.ts"
import { checkUrl } from "../../../src/domain/webhooks/Destination.ts"

/** The URL as it would be called, or why it is refused. */
const check = (text: string, allowed: AllowedHosts) =>
  Result.match(checkUrl(text, allowed), { onFailure: ({ message }) => message, onSuccess: ({ url }): string => url })

const allowing = (text: string) => Result.getOrThrow(parseAllowedHosts(text))

describe("hosts that the operator allows", () => {
  it("are read in every form, and are the same host however they are written", () => {
    const allowed = allowing(" LocalHost , hooks.test.:80,127.1:3000,[0:0::1]:8080,[::2],10.0.0.1:443,, postgres ")
    assert.sameMembers(
      [...allowed],
      ["localhost", "hooks.test:80", "127.0.0.1:3000", "[::1]:8080", "[::2]", "10.0.0.1:443", "postgres"]
    )
    assert.strictEqual(allowing("").size, 0)
  })

  it("may be called by http and at any address, on the ports that were named", () => {
    const allowed = allowing("localhost, hooks.test:80, 127.0.0.1:3000, [::1]:8080, 10.0.0.1:443")
    const passing = [
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
      passing.map((url) => check(url, allowed)),
      passing
    )
    assert.isTrue(Result.getOrThrow(checkUrl("http://LOCALHOST.:1/", allowed)).isAllowed)
    assert.isFalse(Result.getOrThrow(checkUrl("https://example.com/", allowed)).isAllowed)
    const refused = [
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
    for (const url of refused) assert.match(check(url, allowed), /^The webhook URL (?:must|has)/, url)
  })

  it("are refused by name when they are none", () => {
    const wrong = [
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
    for (const entry of wrong) {
      const message = Result.match(parseAllowedHosts(`localhost, ${entry}`), {
        onFailure: ({ message }) => message,
        onSuccess: () => "taken"
      })
      assert.match(message, / is not a valid host; use a form such as localhost, /, entry)
      assert.include(message, `"${entry}"`)
    }
  })
})
