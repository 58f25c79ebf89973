import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { agentPath, freshClientId } from "../../support/oauth/AgentOauth.ts"
import { authorizePath, type BrowserPage, makeOauthApp } from "../../support/oauth/Browser.ts"
import { type Form, makePkce, makePoster, type Posted, register, tokensOf } from "../../support/oauth/Oauth.ts"
import { freshMerchant } from "../../support/oauth/OauthServer.ts"
import { scene } from "../../support/oauth/Scene.ts"

const ofJson = ({ json }: Posted) => [json["error"], json["error_description"]]

const ofRedirect = ({ location }: BrowserPage) => {
  const { searchParams } = new URL(location)
  return [searchParams.get("error"), searchParams.get("error_description")]
}

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Descriptions of OAuth errors", (it) => {
  it.effect("errors of a token request name the next step", () =>
    Effect.gen(function* () {
      const { agree, app, base, raw, refresh, revoke, token } = yield* scene()
      const resource = "https://api.example.com"
      const form: Form = yield* agree(app, { resource, scopes: ["read_products"] })
      const expectError = Effect.fn(function* (sending: Effect.Effect<Posted>, error: string, description: string) {
        assert.deepStrictEqual(ofJson(yield* sending), [error, description])
      })

      const missing = {
        grant_type: "grant_type is missing; send authorization_code or refresh_token",
        code: "code is missing; send the code of the redirect to redirect_uri",
        redirect_uri: "redirect_uri is missing; send that of the authorization request",
        code_verifier: "code_verifier is missing; send the text whose SHA-256 was the code_challenge"
      }
      for (const [name, description] of Object.entries(missing)) {
        yield* expectError(token(Struct.omit(form, [name])), "invalid_request", description)
      }
      yield* expectError(refresh(""), "invalid_request", "refresh_token is missing; send the newest one of the grant")
      yield* expectError(revoke(""), "invalid_request", "token is missing; send the refresh or access token to revoke")
      yield* expectError(
        raw("/oauth/token", "", { "content-type": "text/plain" }),
        "invalid_request",
        "The body is not a form; send it as application/x-www-form-urlencoded, without compression"
      )
      yield* expectError(
        token({ ...form, code_verifier: "short" }),
        "invalid_request",
        "code_verifier is malformed; send the 43 to 128 characters (RFC 7636) whose SHA-256 was the code_challenge"
      )
      yield* expectError(
        token({ ...form, grant_type: "password" }),
        "unsupported_grant_type",
        "grant_type is not supported; send authorization_code or refresh_token"
      )
      yield* expectError(
        makePoster(base, { ...app, secret: "no" }).token(form),
        "invalid_client",
        "The client is unknown, or its secret is missing or wrong; check client_id and client_secret (public clients send no secret)"
      )
      yield* expectError(
        token({ ...form, redirect_uri: "https://app.example.com/other" }),
        "invalid_grant",
        "redirect_uri differs from that of the authorization request; send the same one"
      )
      yield* expectError(
        token({ ...form, code_verifier: makePkce().verifier }),
        "invalid_grant",
        "code_verifier does not match the code_challenge; send the verifier of this authorization request"
      )
      yield* expectError(
        token({ ...form, code: "nonsense" }),
        "invalid_grant",
        "The code is unknown or belongs to another client; send the merchant to /oauth/authorize again"
      )
      const differs = "resource differs from the one that the merchant approved; send that one, or leave it out"
      yield* expectError(token({ ...form, resource: "https://example.com" }), "invalid_target", differs)
      const { refresh_token } = tokensOf(yield* token(form))
      yield* expectError(refresh(refresh_token, { resource: "https://example.com" }), "invalid_target", differs)
      yield* expectError(
        refresh(refresh_token, { scope: "write_products" }),
        "invalid_scope",
        "scope names more than the merchant granted; leave it out for all granted scopes"
      )
      yield* expectError(
        makePoster(base, yield* register()).revoke(refresh_token),
        "invalid_grant",
        "The token belongs to another client; authenticate as that client"
      )
    })
  )

  it.effect("errors of an authorization request name the next step", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const clientId = yield* makeOauthApp({ ...NO_GRANTS, scopes: ["read_products"] })
      const scopeless = yield* makeOauthApp(NO_GRANTS)
      const agent = yield* freshClientId
      const { email, visitor } = yield* freshMerchant
      yield* visitor.signIn(authorizePath(clientId), email)
      const cases: ReadonlyArray<readonly [path: string, error: string, description: string]> = [
        [
          authorizePath(clientId, { response_type: undefined }),
          "invalid_request",
          "response_type is missing; send code"
        ],
        [
          authorizePath(clientId, { response_type: "token" }),
          "unsupported_response_type",
          "response_type is not supported; send code"
        ],
        [
          authorizePath(clientId, { response_mode: "fragment" }),
          "invalid_request",
          "response_mode is not supported; send query, or leave it out"
        ],
        [
          authorizePath(clientId, { code_challenge: undefined }),
          "invalid_request",
          "code_challenge is missing or malformed; send the base64url-encoded SHA-256 of a verifier (RFC 7636)"
        ],
        [
          authorizePath(clientId, { code_challenge_method: "plain" }),
          "invalid_request",
          "code_challenge_method is not supported; send S256"
        ],
        [
          authorizePath(clientId, { scope: "write_products" }),
          "invalid_scope",
          "scope can contain read_products; leave it out for all of them"
        ],
        [
          authorizePath(scopeless, { scope: "read_products" }),
          "invalid_scope",
          "The app declares no scope; leave scope out, or declare scopes on the app"
        ],
        [
          authorizePath(clientId, { resource: `${base}/mcp` }),
          "invalid_target",
          "resource is for agents only, and this client is an app; leave it out"
        ],
        [
          agentPath(agent, { resource: base }),
          "invalid_target",
          `resource is not the one of agents; send ${base}/mcp, or leave it out`
        ]
      ]
      for (const [path, error, description] of cases) {
        assert.deepStrictEqual(ofRedirect(yield* visitor.open(path)), [error, description])
      }
      const path = authorizePath(clientId)
      assert.deepStrictEqual(ofRedirect(yield* visitor.press(path, yield* visitor.open(path), "deny")), [
        "access_denied",
        "The merchant denied access; send them to /oauth/authorize again if they want to allow it"
      ])
    })
  )
})
