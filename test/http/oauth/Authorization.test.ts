import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  makeAuthorization,
  type RedirectedError,
  type UnverifiedRedirect
} from "../../../src/http/oauth/Authorization.ts"
import type { Scope } from "../../../src/domain/access/Scope.ts"
import { AccessDenied } from "../../../src/domain/oauth/Refusals.ts"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { makePkce, REDIRECT, register } from "../../support/oauth/Oauth.ts"

type Changes = Readonly<Record<string, string | undefined>>

/** A valid request of an app that reads and writes products. `checkWith` checks it with changes. */
const scene = Effect.gen(function* () {
  const { check, makeLocation } = yield* makeAuthorization
  const redirectUris = [
    REDIRECT,
    "https://app.example.com/other?a=1",
    "http://127.0.0.1/callback",
    "com.example.app:/cb"
  ]
  const { clientId } = yield* register({ isPublic: true, redirectUris, scopes: ["read_products", "write_products"] })
  const { challenge } = makePkce()
  const valid = {
    client_id: clientId,
    redirect_uri: REDIRECT,
    response_type: "code",
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "a state & more"
  }
  const parametersOf = (changes: Changes) => {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...valid, ...changes }))
      if (value !== undefined) parameters.set(name, value)
    return parameters
  }
  const checkWith = (changes: Changes = {}) => check(parametersOf(changes))
  return { checkWith, challenge, check, clientId, valid, makeLocation, parametersOf }
})

/** Error of the redirect, after asserting its target, `state` and `iss`. */
const redirectErrorOf = Effect.fn(function* (
  checked: Effect.Effect<unknown, UnverifiedRedirect | RedirectedError>,
  state: string | null
) {
  const refused = yield* Effect.flip(checked)
  if (refused._tag !== "RedirectedError") return assert.fail("The error does not redirect")
  const { pathname, origin, searchParams } = new URL(refused.location)
  assert.strictEqual(`${origin}${pathname}`, REDIRECT)
  assert.strictEqual(searchParams.get("state"), state)
  assert.strictEqual(searchParams.get("iss"), yield* baseUrl)
  assert.isNull(searchParams.get("code"))
  assert.match(searchParams.get("error_description") ?? "", /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  return searchParams.get("error")
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Authorization requests", (it) => {
  it.effect("a valid request has the named scopes, or all scopes of the app by default", () =>
    Effect.gen(function* () {
      const { checkWith, challenge, clientId, valid } = yield* scene
      const { client, ...authorization } = yield* checkWith()
      assert.strictEqual(client.clientId, clientId)
      const scopes: ReadonlyArray<Scope> = ["read_products", "write_products"]
      const { state } = valid
      assert.deepStrictEqual(authorization, { redirectUri: REDIRECT, state, challenge, scopes, resource: undefined })
      assert.deepStrictEqual((yield* checkWith({ scope: "" })).scopes, scopes)
      assert.deepStrictEqual((yield* checkWith({ scope: " write_products  write_products" })).scopes, [
        "write_products"
      ])
      assert.isUndefined((yield* checkWith({ state: undefined })).state)
      assert.strictEqual((yield* checkWith({ response_mode: "query", prompt: "login" })).redirectUri, REDIRECT)
    })
  )

  it.effect("unknown scopes beside known ones are ignored", () =>
    Effect.gen(function* () {
      const { checkWith } = yield* scene
      for (const scope of [
        "read_products offline_access",
        "openid email profile read_products",
        " read_products  everything ",
        'read_products "é\\'
      ]) {
        assert.deepStrictEqual((yield* checkWith({ scope })).scopes, ["read_products"], scope)
      }
    })
  )

  it.effect("an unknown client or redirect URI fails with UnverifiedRedirect, whatever else is invalid", () =>
    Effect.gen(function* () {
      const { checkWith, check, valid, parametersOf } = yield* scene
      const cases: ReadonlyArray<Changes> = [
        { client_id: undefined },
        { client_id: crypto.randomUUID() },
        { client_id: "nonsense" },
        { client_id: "x".repeat(3000) },
        { client_id: valid.client_id.toUpperCase() },
        ...[
          undefined,
          "",
          `${REDIRECT}/`,
          REDIRECT.slice(0, -1),
          REDIRECT.replace("callback", "Callback"),
          `${REDIRECT}?a=1`,
          `${REDIRECT}#a`,
          REDIRECT.replace("https", "http"),
          REDIRECT.replace("example.com", "example.com.evil.com"),
          REDIRECT.replace("app.", "app.example.com@"),
          REDIRECT.replace("/callback", "/../callback"),
          "https://app.example.com:443/callback",
          "//app.example.com/callback",
          "javascript:alert(1)",
          "http://127.0.0.1:8080/other",
          "http://127.0.0.1.evil.com/callback",
          "http://127.0.0.1:80@evil.com/callback",
          "http://127.0.0.1:/callback",
          "http://127.0.0.1:65536/callback",
          "http://127.0.0.1:000080/callback",
          "http://localhost:8080/callback",
          "https://127.0.0.1:8080/callback"
        ].map((redirect_uri) => ({ redirect_uri }))
      ]
      for (const changes of cases) {
        // A second error does not change the result.
        for (const secondError of [{}, { response_type: "token" }]) {
          const refused = yield* Effect.flip(checkWith({ ...changes, ...secondError }))
          assert.strictEqual(refused._tag, "UnverifiedRedirect", JSON.stringify(changes))
        }
      }
      for (const name of ["client_id", "redirect_uri"] as const) {
        const duplicated = parametersOf({})
        duplicated.append(name, name === "client_id" ? valid.client_id : "https://evil.example.com/")
        assert.strictEqual((yield* Effect.flip(check(duplicated)))._tag, "UnverifiedRedirect")
      }
    })
  )

  it.effect("accepts loopback redirect URIs with any port, private-use schemes and existing queries", () =>
    Effect.gen(function* () {
      const { checkWith, makeLocation } = yield* scene
      for (const redirect_uri of [
        "http://127.0.0.1:49152/callback",
        "http://127.0.0.1:0/callback",
        "http://127.0.0.1/callback",
        "com.example.app:/cb"
      ]) {
        assert.strictEqual((yield* checkWith({ redirect_uri })).redirectUri, redirect_uri)
      }
      const authorization = yield* checkWith({ redirect_uri: "https://app.example.com/other?a=1" })
      const iss = encodeURIComponent(yield* baseUrl)
      assert.strictEqual(
        makeLocation(authorization, { code: "a-code" }),
        `https://app.example.com/other?a=1&code=a-code&state=a+state+%26+more&iss=${iss}`
      )
      assert.match(
        makeLocation(authorization, new AccessDenied()),
        /other\?a=1&error=access_denied&error_description=.*&state=.*&iss=/
      )
    })
  )

  it.effect("other errors redirect with their OAuth error, state and iss", () =>
    Effect.gen(function* () {
      const { checkWith, check, valid, parametersOf } = yield* scene
      const cases: ReadonlyArray<readonly [Changes, string]> = [
        [{ response_type: undefined }, "invalid_request"],
        [{ response_type: "token" }, "unsupported_response_type"],
        [{ response_type: "code id_token" }, "unsupported_response_type"],
        [{ response_mode: "fragment" }, "invalid_request"],
        [{ code_challenge: undefined }, "invalid_request"],
        [{ code_challenge: "short" }, "invalid_request"],
        [{ code_challenge: `${valid.code_challenge.slice(1)}=` }, "invalid_request"],
        [{ code_challenge_method: undefined }, "invalid_request"],
        [{ code_challenge_method: "plain" }, "invalid_request"],
        [{ code_challenge_method: "s256" }, "invalid_request"],
        [{ scope: "read_orders" }, "invalid_scope"],
        [{ scope: "read_products read_orders" }, "invalid_scope"],
        [{ scope: "openid email profile" }, "invalid_scope"],
        [{ scope: "READ_PRODUCTS" }, "invalid_scope"],
        [{ scope: "read_products,write_products" }, "invalid_scope"],
        [{ scope: "read_products\twrite_products" }, "invalid_scope"],
        [{ scope: 'everything "é\\' }, "invalid_scope"],
        [{ scope: " " }, "invalid_scope"],
        [{ scope: "   " }, "invalid_scope"]
      ]
      for (const [changes, error] of cases) {
        assert.strictEqual(yield* redirectErrorOf(checkWith(changes), valid.state), error, JSON.stringify(changes))
        assert.strictEqual(yield* redirectErrorOf(checkWith({ ...changes, state: undefined }), null), error)
      }
      for (const name of ["state", "scope", "resource", "anything"]) {
        const duplicated = parametersOf({ [name]: "a" })
        duplicated.append(name, "b")
        assert.strictEqual(
          yield* redirectErrorOf(check(duplicated), name === "state" ? "a" : valid.state),
          "invalid_request"
        )
      }
    })
  )
})
