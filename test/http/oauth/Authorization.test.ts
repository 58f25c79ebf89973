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

/** A request of an app that reads and writes products, and how it is answered with changes to it. */
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
  const good = {
    client_id: clientId,
    redirect_uri: REDIRECT,
    response_type: "code",
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "a state & more"
  }
  const parametersOf = (changes: Changes) => {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...good, ...changes }))
      if (value !== undefined) parameters.set(name, value)
    return parameters
  }
  const ask = (changes: Changes = {}) => check(parametersOf(changes))
  return { ask, challenge, check, clientId, good, makeLocation, parametersOf }
})

/** The error of the address that the merchant is sent back to, which names this server and repeats the state. */
const sentBackOf = Effect.fn(function* (
  checked: Effect.Effect<unknown, UnverifiedRedirect | RedirectedError>,
  state: string | null
) {
  const refused = yield* Effect.flip(checked)
  if (refused._tag !== "RedirectedError") return assert.fail("It is shown on a page")
  const { pathname, origin, searchParams } = new URL(refused.location)
  assert.strictEqual(`${origin}${pathname}`, REDIRECT)
  assert.strictEqual(searchParams.get("state"), state)
  assert.strictEqual(searchParams.get("iss"), yield* baseUrl)
  assert.isNull(searchParams.get("code"))
  assert.match(searchParams.get("error_description") ?? "", /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  return searchParams.get("error")
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("An authorization request", (it) => {
  it.effect("that is in order is read: all scopes of the app where none is named, else those", () =>
    Effect.gen(function* () {
      const { ask, challenge, clientId, good } = yield* scene
      const { client, ...asked } = yield* ask()
      assert.strictEqual(client.clientId, clientId)
      const scopes: ReadonlyArray<Scope> = ["read_products", "write_products"]
      const { state } = good
      assert.deepStrictEqual(asked, { redirectUri: REDIRECT, state, challenge, scopes, resource: undefined })
      assert.deepStrictEqual((yield* ask({ scope: "" })).scopes, scopes)
      assert.deepStrictEqual((yield* ask({ scope: " write_products  write_products" })).scopes, ["write_products"])
      assert.isUndefined((yield* ask({ state: undefined })).state)
      assert.strictEqual((yield* ask({ response_mode: "query", prompt: "login" })).redirectUri, REDIRECT)
    })
  )

  it.effect("whose client or address is not known is shown on a page, and never sent anywhere", () =>
    Effect.gen(function* () {
      const { ask, check, good, parametersOf } = yield* scene
      const cases: ReadonlyArray<Changes> = [
        { client_id: undefined },
        { client_id: crypto.randomUUID() },
        { client_id: "nonsense" },
        { client_id: "x".repeat(3000) },
        { client_id: good.client_id.toUpperCase() },
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
          "http://localhost:8080/callback",
          "https://127.0.0.1:8080/callback"
        ].map((redirect_uri) => ({ redirect_uri }))
      ]
      for (const changes of cases) {
        // Whatever else is wrong with it.
        for (const more of [{}, { response_type: "token" }]) {
          const refused = yield* Effect.flip(ask({ ...changes, ...more }))
          assert.strictEqual(refused._tag, "UnverifiedRedirect", JSON.stringify(changes))
        }
      }
      for (const name of ["client_id", "redirect_uri"] as const) {
        const twice = parametersOf({})
        twice.append(name, name === "client_id" ? good.client_id : "https://evil.example.com/")
        assert.strictEqual((yield* Effect.flip(check(twice)))._tag, "UnverifiedRedirect")
      }
    })
  )

  it.effect("goes back to a loopback address at any port, and to the address of an app on a device", () =>
    Effect.gen(function* () {
      const { ask, makeLocation } = yield* scene
      for (const redirect_uri of [
        "http://127.0.0.1:49152/callback",
        "http://127.0.0.1/callback",
        "com.example.app:/cb"
      ]) {
        assert.strictEqual((yield* ask({ redirect_uri })).redirectUri, redirect_uri)
      }
      const asked = yield* ask({ redirect_uri: "https://app.example.com/other?a=1" })
      const iss = encodeURIComponent(yield* baseUrl)
      assert.strictEqual(
        makeLocation(asked, { code: "a-code" }),
        `https://app.example.com/other?a=1&code=a-code&state=a+state+%26+more&iss=${iss}`
      )
      assert.match(
        makeLocation(asked, new AccessDenied()),
        /other\?a=1&error=access_denied&error_description=.*&state=.*&iss=/
      )
    })
  )

  it.effect(
    "that is wrong otherwise is sent back with the error of its protocol, its state, and the server's name",
    () =>
      Effect.gen(function* () {
        const { ask, check, good, parametersOf } = yield* scene
        const cases: ReadonlyArray<readonly [Changes, string]> = [
          [{ response_type: undefined }, "invalid_request"],
          [{ response_type: "token" }, "unsupported_response_type"],
          [{ response_type: "code id_token" }, "unsupported_response_type"],
          [{ response_mode: "fragment" }, "invalid_request"],
          [{ code_challenge: undefined }, "invalid_request"],
          [{ code_challenge: "short" }, "invalid_request"],
          [{ code_challenge: `${good.code_challenge.slice(1)}=` }, "invalid_request"],
          [{ code_challenge_method: undefined }, "invalid_request"],
          [{ code_challenge_method: "plain" }, "invalid_request"],
          [{ code_challenge_method: "s256" }, "invalid_request"],
          [{ scope: "read_orders" }, "invalid_scope"],
          [{ scope: "read_products everything" }, "invalid_scope"],
          [{ scope: 'read_products "é\\' }, "invalid_scope"]
        ]
        for (const [changes, error] of cases) {
          assert.strictEqual(yield* sentBackOf(ask(changes), good.state), error, JSON.stringify(changes))
          assert.strictEqual(yield* sentBackOf(ask({ ...changes, state: undefined }), null), error)
        }
        for (const name of ["state", "scope", "resource", "anything"]) {
          const twice = parametersOf({ [name]: "a" })
          twice.append(name, "b")
          assert.strictEqual(yield* sentBackOf(check(twice), name === "state" ? "a" : good.state), "invalid_request")
        }
      })
  )
})
