import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as oauth from "oauth4webapi"
import * as openid from "openid-client"
import { AuthorizationCode } from "simple-oauth2"
import { ApiTest, baseUrl, makeStore } from "../../support/http/Api.ts"
import { register, statusOf } from "../../support/oauth/Oauth.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { makeBrowser, REDIRECT } from "../../support/oauth/Browser.ts"

/*
 * Third-party clients, which use the protocol alone. Their configuration follows their documentation, except that the
 * server is on loopback without TLS.
 */

const STATE = "a state & more"
const SCOPE = "read_products write_products"

/** An app and a merchant. `agree` gives consent at an authorization URL and returns the redirect. */
const scene = Effect.fn(function* (isPublic = false) {
  const { clientId, secret = "" } = yield* register({ isPublic, redirectUris: [REDIRECT] })
  const url = yield* baseUrl
  const { email } = yield* makeMerchant([yield* makeStore()])
  const { press, signIn } = yield* makeBrowser
  const agree = Effect.fn(function* (address: URL) {
    assert.strictEqual(address.origin, url)
    const path = `${address.pathname}${address.search}`
    const { location } = yield* press(path, yield* signIn(path, email), "allow")
    return new URL(location)
  })
  return { agree, clientId, secret, url }
})

/** Asserts that a refreshed token works until it is revoked. */
const assertRevocable = Effect.fn(function* (
  url: string,
  before: string,
  after: string,
  revoke: Effect.Effect<unknown>
) {
  assert.notStrictEqual(before, after)
  assert.strictEqual(yield* statusOf(url, after), 200)
  yield* revoke
  assert.strictEqual(yield* statusOf(url, after), 401)
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Third-party OAuth clients", (it) => {
  for (const isPublic of [false, true]) {
    it.effect(`oauth4webapi authorizes, refreshes and revokes as a ${isPublic ? "public" : "confidential"} app`, () =>
      Effect.gen(function* () {
        const { agree, clientId, secret, url } = yield* scene(isPublic)
        const options = { [oauth.allowInsecureRequests]: true }
        const issuer = new URL(url)
        const server = yield* Effect.promise(async () =>
          oauth.processDiscoveryResponse(
            issuer,
            await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...options })
          )
        )
        const client = { client_id: clientId }
        const proof = isPublic ? oauth.None() : oauth.ClientSecretBasic(secret)
        const verifier = oauth.generateRandomCodeVerifier()
        const address = new URL(server.authorization_endpoint ?? "")
        address.search = new URLSearchParams({
          client_id: clientId,
          redirect_uri: REDIRECT,
          response_type: "code",
          scope: SCOPE,
          state: STATE,
          code_challenge: yield* Effect.promise(() => oauth.calculatePKCECodeChallenge(verifier)),
          code_challenge_method: "S256"
        }).toString()
        // Also validates `iss`, because the server's metadata declares it.
        const parameters = oauth.validateAuthResponse(server, client, yield* agree(address), STATE)
        const tokens = yield* Effect.promise(async () =>
          oauth.processAuthorizationCodeResponse(
            server,
            client,
            await oauth.authorizationCodeGrantRequest(server, client, proof, parameters, REDIRECT, verifier, options)
          )
        )
        assert.strictEqual(tokens.scope, SCOPE)
        const next = yield* Effect.promise(async () =>
          oauth.processRefreshTokenResponse(
            server,
            client,
            await oauth.refreshTokenGrantRequest(server, client, proof, tokens.refresh_token ?? "", options)
          )
        )
        const revoke = Effect.promise(async () =>
          oauth.processRevocationResponse(
            await oauth.revocationRequest(server, client, proof, next.refresh_token ?? "", options)
          )
        )
        yield* assertRevocable(url, tokens.access_token, next.access_token, revoke)
      })
    )
  }

  it.effect("openid-client authorizes, refreshes and revokes", () =>
    Effect.gen(function* () {
      const { agree, clientId, secret, url } = yield* scene()
      const config = yield* Effect.promise(() =>
        openid.discovery(new URL(url), clientId, secret, undefined, {
          algorithm: "oauth2",
          execute: [openid.allowInsecureRequests]
        })
      )
      const verifier = openid.randomPKCECodeVerifier()
      const address = openid.buildAuthorizationUrl(config, {
        redirect_uri: REDIRECT,
        scope: SCOPE,
        state: STATE,
        code_challenge: yield* Effect.promise(() => openid.calculatePKCECodeChallenge(verifier)),
        code_challenge_method: "S256"
      })
      const callback = yield* agree(address)
      const checks = { pkceCodeVerifier: verifier, expectedState: STATE }
      const tokens = yield* Effect.promise(() => openid.authorizationCodeGrant(config, callback, checks))
      const next = yield* Effect.promise(() => openid.refreshTokenGrant(config, tokens.refresh_token ?? ""))
      const revoke = Effect.promise(() => openid.tokenRevocation(config, next.refresh_token ?? ""))
      yield* assertRevocable(url, tokens.access_token, next.access_token, revoke)
    })
  )

  it.effect("simple-oauth2 authorizes, refreshes and revokes", () =>
    Effect.gen(function* () {
      const { agree, clientId, secret, url } = yield* scene()
      const client = new AuthorizationCode({
        client: { id: clientId, secret },
        auth: {
          tokenHost: url,
          tokenPath: "/oauth/token",
          revokePath: "/oauth/revoke",
          authorizePath: "/oauth/authorize"
        }
      })
      const verifier = oauth.generateRandomCodeVerifier()
      // The library does not support PKCE, but forwards extra parameters.
      const proof = {
        code_challenge: yield* Effect.promise(() => oauth.calculatePKCECodeChallenge(verifier)),
        code_challenge_method: "S256"
      }
      const address = client.authorizeURL({ redirect_uri: REDIRECT, scope: SCOPE, state: STATE, ...proof })
      const callback = yield* agree(new URL(address))
      const tokenParameters = {
        code: callback.searchParams.get("code") ?? "",
        redirect_uri: REDIRECT,
        code_verifier: verifier
      }
      const tokens = yield* Effect.promise(() => client.getToken(tokenParameters))
      const next = yield* Effect.promise(() => tokens.refresh())
      const revoke = Effect.promise(() => next.revokeAll())
      yield* assertRevocable(url, String(tokens.token["access_token"]), String(next.token["access_token"]), revoke)
    })
  )
})
