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

it.effect("a verifier is 256 random bits, and its challenge their SHA-256", () =>
  Effect.gen(function* () {
    const pairs = yield* Effect.promise(() => Promise.all(Array.from({ length: 100 }, generatePkce)))
    for (const { challenge, verifier } of pairs) {
      assert.match(verifier, /^[\w-]{43}$/)
      assert.strictEqual(challenge, createHash("sha256").update(verifier).digest("base64url"))
    }
    assert.lengthOf(new Set(pairs.map(({ verifier }) => verifier)), 100)
  })
)

it("an authorization is asked for with all that it takes, and nothing else", () => {
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
  const some = new URL(authorizationUrl({ ...APP, url: "https://h.example/" }, { challenge: "c", state: "s", scopes }))
  assert.strictEqual(some.searchParams.get("scope"), "read_products write_products")
  assert.strictEqual(some.pathname, "/oauth/authorize")
})

const callback = (params: Record<string, string>) => `/callback?${new URLSearchParams(params)}`

const good = { state: "the-state", iss: APP.url, code: "the-code" }

/** Callbacks that are not to be trusted, and what is said of each. */
const UNTRUSTED: ReadonlyArray<readonly [code: string, params: Record<string, string>]> = [
  ["state_mismatch", { ...good, state: "another" }],
  ["state_mismatch", { iss: APP.url, code: "the-code" }],
  ["issuer_mismatch", { ...good, iss: "https://platform.example.evil" }],
  ["issuer_mismatch", { state: "the-state", code: "the-code" }],
  ["code_missing", { state: "the-state", iss: APP.url }],
  ["access_denied", { ...good, error: "access_denied", error_description: "The merchant denied access" }]
]

it.effect("a callback that is not the answer to this authorization brings no code anywhere", () =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const fetch = (url: string) => {
      asked.push(url)
      return Promise.reject(new Error("Nothing is to be asked"))
    }
    for (const [code, params] of UNTRUSTED) {
      const forms = [callback(params), new URL(callback(params), APP.redirectUri), new URLSearchParams(params)]
      for (const form of forms) {
        const exchanged = exchangeCode(APP, { callback: form, state: "the-state", verifier: "v" }, { fetch })
        const error = yield* rejectionOf(OAuthError, exchanged)
        assert.deepStrictEqual([error.code, error.status], [code, undefined])
        assert.notInclude(error.message, "the-code")
      }
    }
    assert.deepStrictEqual(asked, [])
  })
)

it.live("a code is sent once, whatever becomes of it", () =>
  Effect.gen(function* () {
    const server = yield* receiver(() => ({ status: 503, body: "" }))
    const app = { ...APP, url: server.url }
    const proof = { callback: callback({ ...good, iss: server.url }), state: "the-state", verifier: "v" }
    const away = yield* rejectionOf(OAuthError, exchangeCode(app, proof, { wait }))
    assert.strictEqual(away.status, 503)
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
    yield* rejectionOf(ConnectionError, exchangeCode(app, proof, { wait, fetch: broken }))
  })
)

it.live("refusals tell code, description, status and the name of the request", () =>
  Effect.gen(function* () {
    const refusal = { error: "invalid_grant", error_description: "The refresh token is not good" }
    const server = yield* receiver(() => ({
      status: 400,
      headers: { "x-request-id": "request-1" },
      body: JSON.stringify(refusal)
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
