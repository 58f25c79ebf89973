import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { redirectsOf } from "../../../src/domain/oauth/Redirects.ts"
import { isRegistered, MAX_REDIRECT_LENGTH } from "../../../src/domain/oauth/RedirectUri.ts"

const errorFor = (uri: string, isPublic = false) =>
  Result.match(redirectsOf([uri], isPublic), { onFailure: ({ reason }) => reason, onSuccess: () => undefined })

/** URIs that every app can register. */
const validUris = [
  "https://app.example.com/callback",
  "https://app.example.com",
  "https://app.example.com:8443/callback?from=shop&x=%20",
  "https://203.0.114.1/callback",
  "http://127.0.0.1/callback",
  "http://127.0.0.1:3000/callback",
  "http://[::1]:3000/callback",
  "http://localhost/callback?x=1"
]

const customSchemeUris = ["com.example.app:/callback", "com.example.app://callback", "org.example-2.app:/a?b=c"]

const invalidUris: ReadonlyArray<readonly [string, RegExp]> = [
  ["", /absolute URL/],
  ["/callback", /absolute URL/],
  ["app.example.com/callback", /absolute URL/],
  ["http://app.example.com/callback", /must begin with https/],
  ["http://localhost.example.com/", /must begin with https/],
  ["http://127.0.0.1.example.com/", /must begin with https/],
  ["http://127.0.0.2/callback", /must begin with https/],
  ["http://localhost:80@evil.example/", /user name/],
  ["HTTP://localhost/", /must begin with https/],
  ["HTTPS://app.example.com/", /must begin with https/],
  ["https://user@app.example.com/", /user name/],
  ["https://user:pass@app.example.com/", /user name/],
  ["https://app.example.com/#part", /fragment/],
  ["https://app.example.com/#", /fragment/],
  ["https://app.example.com/call back", /ASCII/],
  ["https://app.example.com\\@evil.example/", /ASCII/],
  ["https://app.example.com/\ncallback", /ASCII/],
  [" https://app.example.com/", /ASCII/],
  ["https://b\u00fccher.example/", /ASCII/],
  ["https://10.0.0.1/callback", /has the address 10\.0\.0\.1/],
  ["https://127.0.0.1/callback", /has the address 127\.0\.0\.1/],
  ["https://2130706433/", /has the address 127\.0\.0\.1/],
  ["https://[::ffff:192.168.0.1]/", /has the address/],
  ["https://localhost/", /private networks/],
  ["https://intranet/", /private networks/],
  ["https://app.internal./", /private networks/],
  ["javascript:alert(1)", /must begin with https/],
  ["data:text/html,x", /must begin with https/],
  ["myapp:/callback", /must begin with https/],
  ["file:///etc/passwd", /must begin with https/],
  [`https://app.example.com/${"a".repeat(MAX_REDIRECT_LENGTH)}`, /at most 2048/]
]

describe("Redirect URIs", () => {
  for (const uri of validUris) {
    it(`accepts ${uri} for every app`, () => {
      for (const isPublic of [true, false]) assert.isUndefined(errorFor(uri, isPublic))
    })
  }

  for (const uri of customSchemeUris) {
    it(`accepts ${uri} for public apps only`, () => {
      assert.isUndefined(errorFor(uri, true))
      assert.match(String(errorFor(uri, false)), /public apps/)
    })
  }

  for (const [uri, message] of invalidUris) {
    it(`rejects ${JSON.stringify(uri.slice(0, 60))}`, () => {
      for (const isPublic of [true, false]) assert.match(String(errorFor(uri, isPublic)), message)
    })
  }

  it("redirect URIs are stored as sent, without duplicates, and match themselves", () => {
    const uris = [validUris[1], validUris[0], validUris[1]].map(String)
    assert.deepStrictEqual(redirectsOf(uris, false), Result.succeed(uris.slice(0, 2)))
    for (const uri of validUris) assert.isTrue(isRegistered([uri], uri))
  })

  it("a loopback URI matches with any valid port and not with an invalid one", () => {
    const registered = ["http://127.0.0.1/callback", "http://[::1]:3000/callback", "http://localhost/callback?x=1"]
    for (const port of ["", ":0", ":80", ":4711", ":65535"]) {
      assert.isTrue(isRegistered(registered, `http://127.0.0.1${port}/callback`), port)
      assert.isTrue(isRegistered(registered, `http://[::1]${port}/callback`), port)
    }
    for (const port of [":65536", ":99999", ":-1", ":", ":1:1", ":000080"]) {
      assert.isFalse(isRegistered(registered, `http://127.0.0.1${port}/callback`), port)
      assert.isFalse(isRegistered(registered, `http://localhost${port}/callback?x=1`), port)
    }
  })

  it("an accepted redirect URI has https, a loopback host or a custom scheme", () => {
    const candidates = FastCheck.oneof(
      FastCheck.webUrl(),
      FastCheck.string(),
      FastCheck.constantFrom(...validUris, ...customSchemeUris)
    )
    FastCheck.assert(
      FastCheck.property(candidates, FastCheck.string({ maxLength: 3 }), FastCheck.nat(40), (uri, more, place) => {
        const changed = uri.slice(0, place) + more + uri.slice(place)
        if (errorFor(changed, true) !== undefined) return
        const { hash, hostname, protocol, username } = new URL(changed)
        assert.deepStrictEqual([hash, username], ["", ""])
        if (protocol === "http:") assert.include(["127.0.0.1", "[::1]", "localhost"], hostname)
        else if (protocol !== "https:") assert.include(protocol, ".")
      }),
      { numRuns: 2000 }
    )
  })
})
