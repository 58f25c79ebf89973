import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  ApiError,
  authorizationUrl,
  createClient,
  exchangeCode,
  generatePkce,
  OAuthError,
  refreshToken,
  revokeToken
} from "../../../src/http/client/Client.ts"
import { ApiTest, baseUrl, makeStore } from "../../support/http/Api.ts"
import { register } from "../../support/oauth/Oauth.ts"
import { rejectionOf } from "../../support/Rejections.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { makeBrowser, REDIRECT } from "../../support/oauth/Browser.ts"

const STATE = "a state & more"

/** Registers an app and submits its consent page with this button. Returns the callback and the PKCE verifier. */
const submitConsent = Effect.fn(function* (intent: "allow" | "deny", isPublic = false) {
  const { clientId, secret } = yield* register({ isPublic, redirectUris: [REDIRECT] })
  const url = yield* baseUrl
  const app = { url, clientId, clientSecret: secret, redirectUri: REDIRECT }
  const { challenge, verifier } = yield* Effect.promise(generatePkce)
  const { email } = yield* makeMerchant([yield* makeStore()])
  const { press, signIn } = yield* makeBrowser
  const path = authorizationUrl(app, { challenge, state: STATE, scopes: ["read_products", "write_products"] })
  const page = yield* signIn(path.slice(url.length), email)
  const { location } = yield* press(path.slice(url.length), page, intent)
  return { app, callback: location, verifier }
})

const installApp = Effect.fn(function* (isPublic = false) {
  const { app, callback, verifier } = yield* submitConsent("allow", isPublic)
  const tokens = yield* Effect.promise(() => exchangeCode(app, { callback, state: STATE, verifier }))
  return { app, callback, tokens, verifier }
})

const statusOf = (url: string, tokens: string) =>
  Effect.promise(() =>
    createClient({ url, tokens })
      .store.get()
      .then(
        () => 200,
        (error: unknown) => (error instanceof ApiError ? error.status : error)
      )
  )

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("OAuth installation of an app", (it) => {
  it.effect("a confidential or public app exchanges its code for tokens with the granted scopes", () =>
    Effect.gen(function* () {
      for (const isPublic of [false, true]) {
        const { app, tokens } = yield* installApp(isPublic)
        assert.sameMembers([...tokens.scopes], ["read_products", "write_products"])
        const client = createClient({ url: app.url, tokens: tokens.accessToken })
        const { data } = yield* Effect.promise(() => client.store.get())
        assert.sameMembers([...data.installation.scopes], ["read_products", "write_products"])
        const lifetime = Date.parse(tokens.expiresAt) - Date.now()
        assert.isTrue(lifetime > 3_500_000 && lifetime <= 3_600_000)
      }
    })
  )

  it.effect("a denied consent fails with access_denied, and a reused code with invalid_grant", () =>
    Effect.gen(function* () {
      const denied = yield* submitConsent("deny")
      const callbackInput = { callback: denied.callback, state: STATE, verifier: denied.verifier }
      const rejected = yield* rejectionOf(OAuthError, exchangeCode(denied.app, callbackInput))
      assert.deepStrictEqual([rejected.code, rejected.status], ["access_denied", undefined])

      const { app, callback, tokens, verifier } = yield* installApp()
      const again = yield* rejectionOf(OAuthError, exchangeCode(app, { callback, state: STATE, verifier }))
      assert.deepStrictEqual([again.code, again.status], ["invalid_grant", 400])
      assert.isString(again.description)
      assert.match(again.requestId ?? "", /^[0-9a-f-]{36}$/)
      // A reused code may be stolen, so the tokens of its first use are revoked.
      assert.strictEqual(yield* statusOf(app.url, tokens.accessToken), 401)
    })
  )

  it.effect("revoking a refresh token also revokes the access token, and can be repeated", () =>
    Effect.gen(function* () {
      const { app, tokens } = yield* installApp()
      yield* Effect.promise(() => revokeToken(app, tokens.refreshToken))
      yield* Effect.promise(() => revokeToken(app, tokens.refreshToken))
      assert.strictEqual(yield* statusOf(app.url, tokens.accessToken), 401)
      const { code } = yield* rejectionOf(OAuthError, refreshToken(app, tokens.refreshToken))
      assert.strictEqual(code, "invalid_grant")
    })
  )
})
