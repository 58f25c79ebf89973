import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import {
  authorizationUrl,
  ConnectionError,
  exchangeCode,
  generatePkce,
  OAuthError,
  type OAuthApp,
  refreshToken,
  revokeToken
} from "../../../src/http/client/Client.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { rejectionOf } from "../../support/Rejections.ts"

const APP: OAuthApp = {
  url: "https://platform.example",
  clientId: "an-app",
  redirectUri: "https://app.example/callback?from=platform"
}

const wait = async () => undefined

const broken = () => Promise.reject(new TypeError("terminated"))

it.effect("generatePkce returns a random 256-bit verifier and its SHA-256 challenge", () =>
  Effect.gen(function* () {
    const pairs = yield* Effect.promise(() => Promise.all(Array.from({ length: 100 }, generatePkce)))
    for (const { challenge, verifier } of pairs) {
      assert.match(verifier, /^[\w-]{43}$/)
      assert.strictEqual(challenge, createHash("sha256").update(verifier).digest("base64url"))
    }
    assert.lengthOf(new Set(pairs.map(({ verifier }) => verifier)), 100)
  })
)

it("authorizationUrl contains exactly the required parameters, and scope if it is given", () => {
  const url = new URL(authorizationUrl(APP, { challenge: "a-challenge", state: "a state&" }))
  assert.strictEqual(`${url.origin}${url.pathname}`, "https://platform.example/oauth/authorize")
  assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
    response_type: "code",
    client_id: "an-app",
    redirect_uri: APP.redirectUri,
    state: "a state&",
    code_challenge: "a-challenge",
    code_challenge_method: "S256"
  })
  const scopes = ["read_products", "write_products"]
  const withScopes = new URL(
    authorizationUrl({ ...APP, url: "https://h.example/" }, { challenge: "c", state: "s", scopes })
  )
  assert.strictEqual(withScopes.searchParams.get("scope"), "read_products write_products")
  assert.strictEqual(withScopes.pathname, "/oauth/authorize")
})

const callback = (params: Record<string, string>) => `/callback?${new URLSearchParams(params)}`

const validParams = { state: "the-state", iss: APP.url, code: "the-code" }

/** Untrusted callbacks, with the error code of each. */
const UNTRUSTED: ReadonlyArray<readonly [code: string, params: Record<string, string>]> = [
  ["state_mismatch", { ...validParams, state: "another" }],
  ["state_mismatch", { iss: APP.url, code: "the-code" }],
  ["issuer_mismatch", { ...validParams, iss: "https://platform.example.evil" }],
  ["issuer_mismatch", { state: "the-state", code: "the-code" }],
  ["code_missing", { state: "the-state", iss: APP.url }],
  ["access_denied", { ...validParams, error: "access_denied", error_description: "The merchant denied access" }]
]

it.effect("exchangeCode rejects an untrusted callback without sending a request", () =>
  Effect.gen(function* () {
    const requests: Array<string> = []
    const fetch = (url: string) => {
      requests.push(url)
      return Promise.reject(new Error("No request is expected"))
    }
    for (const [code, params] of UNTRUSTED) {
      const forms = [callback(params), new URL(callback(params), APP.redirectUri), new URLSearchParams(params)]
      for (const form of forms) {
        const exchange = exchangeCode(APP, { callback: form, state: "the-state", verifier: "v" }, { fetch })
        const error = yield* rejectionOf(OAuthError, exchange)
        assert.deepStrictEqual([error.code, error.status], [code, undefined])
        assert.notInclude(error.message, "the-code")
      }
    }
    assert.deepStrictEqual(requests, [])
  })
)

it.live("exchangeCode sends the code once, and fails with the status or a ConnectionError", () =>
  Effect.gen(function* () {
    const server = yield* receiver(() => ({ status: 503, body: "" }))
    const app = { ...APP, url: server.url }
    const callbackInput = { callback: callback({ ...validParams, iss: server.url }), state: "the-state", verifier: "v" }
    const unavailable = yield* rejectionOf(OAuthError, exchangeCode(app, callbackInput, { wait }))
    assert.strictEqual(unavailable.status, 503)
    assert.lengthOf(server.received, 1)
    const [{ body, headers } = { body: "", headers: {} }] = server.received
    assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(body)), {
      client_id: "an-app",
      grant_type: "authorization_code",
      code: "the-code",
      redirect_uri: APP.redirectUri,
      code_verifier: "v"
    })
    assert.notProperty(headers, "authorization")
    let requestCount = 0
    const countBroken = () => {
      requestCount += 1
      return broken()
    }
    yield* rejectionOf(ConnectionError, exchangeCode(app, callbackInput, { wait, fetch: countBroken }))
    assert.strictEqual(requestCount, 1)
  })
)

it.live("an OAuthError has code, description, status and request id; an incomplete response is a ConnectionError", () =>
  Effect.gen(function* () {
    const errorBody = { error: "invalid_grant", error_description: "The refresh token is not good" }
    const server = yield* receiver(() => ({
      status: 400,
      headers: { "x-request-id": "request-1" },
      body: JSON.stringify(errorBody)
    }))
    const error = yield* rejectionOf(OAuthError, refreshToken({ ...APP, url: server.url }, "a-token", { wait }))
    assert.deepInclude(error, {
      code: "invalid_grant",
      description: "The refresh token is not good",
      status: 400,
      requestId: "request-1",
      message: "invalid_grant: The refresh token is not good"
    })
    assert.lengthOf(server.received, 1)
    yield* rejectionOf(OAuthError, revokeToken({ ...APP, url: server.url }, "a-token"))
    server.answerWith(() => ({ status: 200, body: '{"access_token":"a"}' }))
    yield* rejectionOf(ConnectionError, refreshToken({ ...APP, url: server.url }, "a-token"))
  })
)
