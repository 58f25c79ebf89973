import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  ApiError,
  authorizationUrl,
  createClient,
  exchangeCode,
  generatePkce,
  OAuthError,
  refreshToken,
  revokeToken,
  type TokenSet
} from "../../../src/http/client/Client.ts"
import { ApiTest, baseUrl, makeStore } from "../../support/http/Api.ts"
import { register } from "../../support/oauth/Oauth.ts"
import { rejectionOf } from "../../support/Rejections.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { makeVisitor, REDIRECT } from "../../support/oauth/Visitor.ts"

const STATE = "a state & more"

/** An app whose merchant presses this button, and how its code is exchanged. */
const answered = Effect.fn(function* (intent: "allow" | "deny", isPublic = false) {
  const { clientId, secret } = yield* register({ isPublic, redirectUris: [REDIRECT] })
  const url = yield* baseUrl
  const app = { url, clientId, clientSecret: secret, redirectUri: REDIRECT }
  const { challenge, verifier } = yield* Effect.promise(generatePkce)
  const { email } = yield* makeMerchant([yield* makeStore()])
  const { press, signIn } = yield* makeVisitor
  const path = authorizationUrl(app, { challenge, state: STATE, scopes: ["read_products", "write_products"] })
  const page = yield* signIn(path.slice(url.length), email)
  const { location } = yield* press(path.slice(url.length), page, intent)
  return { app, callback: location, verifier }
})

const installed = Effect.fn(function* (isPublic = false) {
  const { app, callback, verifier } = yield* answered("allow", isPublic)
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

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("An app that gets in", (it) => {
  it.effect("asks a merchant, exchanges the code, and has what was agreed to, confidential or public", () =>
    Effect.gen(function* () {
      for (const isPublic of [false, true]) {
        const { app, tokens } = yield* installed(isPublic)
        assert.sameMembers([...tokens.scopes], ["read_products", "write_products"])
        const client = createClient({ url: app.url, tokens: tokens.accessToken })
        const { data } = yield* Effect.promise(() => client.store.get())
        assert.sameMembers([...data.installation.scopes], ["read_products", "write_products"])
        const hour = Date.parse(tokens.expiresAt) - Date.now()
        assert.isTrue(hour > 3_500_000 && hour <= 3_600_000)
      }
    })
  )

  it.effect("is told when the merchant does not agree, and when a code is not good", () =>
    Effect.gen(function* () {
      const denied = yield* answered("deny")
      const proof = { callback: denied.callback, state: STATE, verifier: denied.verifier }
      const refused = yield* rejectionOf(OAuthError, exchangeCode(denied.app, proof))
      assert.deepStrictEqual([refused.code, refused.status], ["access_denied", undefined])

      const { app, callback, tokens, verifier } = yield* installed()
      const again = yield* rejectionOf(OAuthError, exchangeCode(app, { callback, state: STATE, verifier }))
      assert.deepStrictEqual([again.code, again.status], ["invalid_grant", 400])
      assert.isString(again.description)
      assert.match(again.requestId ?? "", /^[0-9a-f-]{36}$/)
      // Used twice, it has been stolen: what the first use got has ended.
      assert.strictEqual(yield* statusOf(app.url, tokens.accessToken), 401)
    })
  )

  it.effect("renews its tokens once, however many calls find them ended, and hands them on to be kept", () =>
    Effect.gen(function* () {
      const { app, tokens } = yield* installed()
      const sql = yield* SqlClient.SqlClient
      const state: { kept: TokenSet; saved: Array<TokenSet> } = { kept: tokens, saved: [] }
      const client = createClient({
        url: app.url,
        tokens: {
          app,
          load: () => state.kept,
          save: (next) => {
            state.kept = next
            state.saved.push(next)
          }
        }
      })
      for (const round of [1, 2]) {
        yield* sql`update access_tokens set expires_at = now() - interval '1 second'`
        const made = yield* Effect.promise(() =>
          Promise.all(Array.from({ length: 20 }, (_, index) => client.products.create({ name: `Lamp ${index}` })))
        )
        assert.lengthOf(new Set(made.map(({ data }) => data.id)), 20)
        assert.lengthOf(state.saved, round)
      }
    })
  )

  it.effect("gets the same successor where the answer to a refresh was lost", () =>
    Effect.gen(function* () {
      const { app, tokens } = yield* installed()
      const first = yield* Effect.promise(() => refreshToken(app, tokens.refreshToken))
      let lost = 1
      const again = yield* Effect.promise(() =>
        refreshToken(app, tokens.refreshToken, {
          wait: async () => undefined,
          fetch: async (url, init) => {
            const response = await fetch(url, init)
            if (lost-- > 0) throw new TypeError("terminated")
            return response
          }
        })
      )
      assert.deepInclude(again, { accessToken: first.accessToken, refreshToken: first.refreshToken })
    })
  )

  it.effect("ends its tokens, and may do so twice", () =>
    Effect.gen(function* () {
      const { app, tokens } = yield* installed()
      yield* Effect.promise(() => revokeToken(app, tokens.refreshToken))
      yield* Effect.promise(() => revokeToken(app, tokens.refreshToken))
      assert.strictEqual(yield* statusOf(app.url, tokens.accessToken), 401)
      const { code } = yield* rejectionOf(OAuthError, refreshToken(app, tokens.refreshToken))
      assert.strictEqual(code, "invalid_grant")
    })
  )
})
