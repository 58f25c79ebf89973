import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { parseTrustedProxies, TrustedProxies } from "../../../src/http/server/ClientAddress.ts"
import { IsolatedApiTest, baseUrl } from "../../support/http/Api.ts"
import { agentPath, freshClientId } from "../../support/oauth/AgentOauth.ts"
import { authorizePath, type BrowserPage, fieldsOf, makeBrowser, visibleText } from "../../support/oauth/Browser.ts"
import { type Form, register, tokensOf } from "../../support/oauth/Oauth.ts"
import { freshMerchant } from "../../support/oauth/OauthServer.ts"
import { scene } from "../../support/oauth/Scene.ts"

const encoded = (form: Form) => new URLSearchParams(form).toString()

/** Encodes a form in which the parameter has this encoded value. */
const withValue = (form: Form, name: string, value: string) => {
  const { [name]: _, ...rest } = form
  return [...Object.entries(rest).map(([key, text]) => encoded({ [key]: text })), `${name}=${value}`].join("&")
}

/** Encoded texts that PostgreSQL cannot store, or that UTF-8 does not allow. */
const UNREADABLE = ["%00", "a%00b", "%ED%A0%80", "%FF", "%zz"]

const LONG = "x".repeat(10_000)
const BLANK = ["%20%20%20", "++"]

/** Encoded values of a parameter that appears twice. */
const repeatedValues = (name: string, valid: string) => [
  `${encodeURIComponent(valid)}&${name}=${encodeURIComponent(valid)}`,
  `a&${name}=b`
]

/** Encoded values of a parameter, by the way in which they are unusual. */
const valuesOf = (name: string, valid: string): ReadonlyArray<string> => [
  ...UNREADABLE,
  LONG,
  ...repeatedValues(name, valid),
  "",
  ...BLANK
]

type Answer = readonly [status: number, error: string | undefined]

const OK: Answer = [200, undefined]
const INVALID_REQUEST: Answer = [400, "invalid_request"]
const INVALID_CLIENT: Answer = [401, "invalid_client"]
const INVALID_GRANT: Answer = [400, "invalid_grant"]
const INVALID_SCOPE: Answer = [400, "invalid_scope"]
const INVALID_TARGET: Answer = [400, "invalid_target"]
const UNSUPPORTED: Answer = [400, "unsupported_grant_type"]

/** Answers to a parameter that is long, empty or blank. */
type Answers = readonly [long: Answer, empty: Answer, blank: Answer]

const OF_CLIENT: Readonly<Record<string, Answers>> = {
  client_id: [INVALID_CLIENT, INVALID_CLIENT, INVALID_CLIENT],
  client_secret: [INVALID_CLIENT, INVALID_CLIENT, INVALID_CLIENT],
  anything: [OK, OK, OK]
}

const OF_TOKEN: Readonly<Record<string, Answers>> = {
  ...OF_CLIENT,
  grant_type: [UNSUPPORTED, INVALID_REQUEST, UNSUPPORTED],
  resource: [INVALID_TARGET, OK, INVALID_TARGET]
}

const OF_CODE: Readonly<Record<string, Answers>> = {
  ...OF_TOKEN,
  code: [INVALID_GRANT, INVALID_REQUEST, INVALID_GRANT],
  redirect_uri: [INVALID_GRANT, INVALID_REQUEST, INVALID_GRANT],
  code_verifier: [INVALID_REQUEST, INVALID_REQUEST, INVALID_REQUEST]
}

const OF_REFRESH: Readonly<Record<string, Answers>> = {
  ...OF_TOKEN,
  refresh_token: [INVALID_GRANT, INVALID_REQUEST, INVALID_GRANT],
  scope: [INVALID_SCOPE, OK, INVALID_SCOPE]
}

const OF_REVOCATION: Readonly<Record<string, Answers>> = {
  ...OF_CLIENT,
  token: [OK, INVALID_REQUEST, OK],
  token_type_hint: [OK, OK, OK]
}

let addresses = 0

/** A header with another client address for each request, because failures are counted by address. */
const freshAddress = () => {
  addresses++
  return { "x-forwarded-for": `10.0.${addresses >> 8}.${addresses & 255}` }
}

const Test = IsolatedApiTest.pipe(
  Layer.provide(Layer.succeed(TrustedProxies, Result.getOrThrow(parseTrustedProxies("127.0.0.1"))))
)

const SIGN_IN = { token: "a", intent: "sign-in", email: "ada@example.com", password: "a password of a merchant" }

/** A signed-in browser and the valid parameters of an authorization request. */
const signedInScene = (path: string) =>
  Effect.gen(function* () {
    const { email, visitor } = yield* freshMerchant
    const consent = fieldsOf(yield* visitor.signIn(path, email))
    const parameters = Object.fromEntries(new URL(path, yield* baseUrl).searchParams)
    return { visitor, consent, query: { response_mode: "query", resource: "", store_id: "", scope: "", ...parameters } }
  })

const errorOfRedirect = ({ location }: BrowserPage) => new URL(location).searchParams.get("error")

layer(Test, { excludeTestServices: true, timeout: "120 seconds" })("Parameters of OAuth and its pages", (it) => {
  it.effect("each unusual value of a token or revocation parameter has its own error", () =>
    Effect.gen(function* () {
      const { agree, app, raw, token } = yield* scene()
      const client = { client_id: app.clientId, client_secret: app.secret ?? "" }
      const resource = "https://example.com"
      const codeForm = Effect.map(agree(app, { resource }), (form): Form => ({ ...client, ...form, resource }))
      const refreshForm = Effect.gen(function* () {
        const { refresh_token } = tokensOf(yield* token(yield* agree(app, { resource })))
        return { ...client, grant_type: "refresh_token", refresh_token, scope: "read_products", resource }
      })
      const revocation = Effect.succeed<Form>({ ...client, token: "unknown", token_type_hint: "access_token" })
      const requests: ReadonlyArray<readonly [string, Readonly<Record<string, Answers>>, typeof codeForm]> = [
        ["/oauth/token", OF_CODE, codeForm],
        ["/oauth/token", OF_REFRESH, refreshForm],
        ["/oauth/revoke", OF_REVOCATION, revocation]
      ]
      for (const [path, parameters, makeForm] of requests) {
        assert.sameMembers(Object.keys(parameters), [...Object.keys(yield* makeForm), "anything"])
        for (const [name, [long, empty, blank]] of Object.entries(parameters)) {
          const expectAnswer = Effect.fn(function* (value: string, expected: Answer) {
            const { error, json, status } = yield* raw(path, withValue(yield* makeForm, name, value), freshAddress())
            const message = `${path} ${name}=${value.slice(0, 40)}: ${JSON.stringify(json)}`
            assert.deepStrictEqual([status, error], [...expected], message)
          })
          for (const value of [...UNREADABLE, ...repeatedValues(name, "a")]) yield* expectAnswer(value, INVALID_REQUEST)
          for (const value of BLANK) yield* expectAnswer(value, blank)
          yield* expectAnswer(LONG, long)
          yield* expectAnswer("", empty)
        }
      }
    })
  )

  it.effect("each unusual HTTP Basic user or password returns 401 invalid_client", () =>
    Effect.gen(function* () {
      const { agree, app, raw } = yield* scene()
      const form = encoded(yield* agree(app))
      for (const value of [...valuesOf("a", "b"), "\0", "a\0b", "\ud800", "é", ":"]) {
        for (const basic of [`${value}:${app.secret}`, `${app.clientId}:${value}`]) {
          for (const encoding of ["utf8", "latin1"] as const) {
            const authorization = `Basic ${Buffer.from(basic, encoding).toString("base64")}`
            const { error, headers, status } = yield* raw("/oauth/token", form, { authorization, ...freshAddress() })
            assert.deepStrictEqual([status, error], [...INVALID_CLIENT], basic.slice(0, 40))
            assert.match(headers.get("www-authenticate") ?? "", /^Basic /)
          }
        }
      }
    })
  )

  it.effect("no value of an authorization parameter is answered with 500, signed in or not", () =>
    Effect.gen(function* () {
      const { clientId } = yield* register({ redirectUris: ["https://app.example/callback"] })
      const stranger = yield* makeBrowser
      for (const path of [authorizePath(clientId), agentPath(yield* freshClientId)]) {
        const { consent, query, visitor } = yield* signedInScene(path)
        for (const [name, valid] of Object.entries({ ...query, anything: "a" })) {
          for (const value of valuesOf(name, valid)) {
            const changed = `/oauth/authorize?${withValue(query, name, value)}`
            const message = `${name}=${value.slice(0, 40)}`
            const unread = yield* stranger.open(changed)
            assert.include([200, 400], unread.status, message)
            const page = yield* visitor.open(changed)
            assert.include([200, 303, 400, 404], page.status, message)
            const submitted = yield* visitor.send(changed, { ...consent, intent: "allow" })
            assert.include([200, 303, 400, 403, 404, 409], submitted.status, `${message}, submitted`)
            if (!UNREADABLE.includes(value)) continue
            assert.strictEqual(unread.status, 400, message)
            for (const answer of [page, submitted]) {
              if (answer.status === 303) assert.strictEqual(errorOfRedirect(answer), "invalid_request", message)
              else assert.strictEqual(answer.status, 400, message)
            }
          }
        }
      }
    })
  )

  it.effect("no value of a sign-in or consent field is answered with 500", () =>
    Effect.gen(function* () {
      const { clientId } = yield* register({ redirectUris: ["https://app.example/callback"] })
      for (const path of [authorizePath(clientId), agentPath(yield* freshClientId)]) {
        const { consent, visitor } = yield* signedInScene(path)
        const stranger = yield* makeBrowser
        const { token = "" } = fieldsOf(yield* stranger.open(path))
        const headers = { "content-type": "application/x-www-form-urlencoded", origin: yield* baseUrl }
        for (const [browser, form] of [
          [stranger, { ...SIGN_IN, token }],
          [visitor, { ...consent, intent: "allow" }],
          [visitor, { ...consent, intent: "deny" }]
        ] as const) {
          for (const [name, valid] of Object.entries(form)) {
            for (const value of valuesOf(name, valid)) {
              const body = withValue(form, name, value)
              const page = yield* browser.ask("POST", path, { body, headers: { ...headers, ...freshAddress() } })
              const message = `${form.intent}, ${name}=${value.slice(0, 40)}: ${visibleText(page)}`
              assert.include([200, 303, 400, 401, 403, 404, 409], page.status, message)
              if (UNREADABLE.includes(value)) assert.strictEqual(page.status, 400, message)
            }
          }
        }
      }
    })
  )

  it.effect("no member of a registration, sign-in or sign-up is answered with 500", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const account = { email: "ada@example.com", password: "a password of a merchant", name: "Ada" }
      const { name: _, ...credentials } = account
      const bodies: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
        [
          "/oauth/register",
          {
            client_name: "Helper",
            redirect_uris: ["http://127.0.0.1/callback"],
            client_uri: "https://example.com",
            logo_uri: "https://example.com/logo.png",
            scope: "read_products",
            grant_types: ["authorization_code"],
            response_types: ["code"],
            token_endpoint_auth_method: "none"
          }
        ],
        ["/auth/sign-in", credentials],
        ["/auth/sign-up", account]
      ]
      const texts = ["\0", "a\0b", "\ud800", "a\udc00", "x".repeat(10_000), "", "   "]
      for (const [path, valid] of bodies) {
        for (const member of Object.keys(valid)) {
          for (const value of texts.flatMap((text): ReadonlyArray<unknown> => [text, [text]])) {
            const response = yield* Effect.promise(() =>
              fetch(`${base}${path}`, {
                method: "POST",
                headers: { "content-type": "application/json", origin: base, ...freshAddress() },
                body: JSON.stringify({ ...valid, [member]: value })
              })
            )
            const text = yield* Effect.promise(() => response.text())
            const message = `${path} ${member}=${JSON.stringify(value).slice(0, 40)}: ${text}`
            assert.include([200, 201, 400, 401, 409], response.status, message)
            if (texts.indexOf(String(value)) < 4) assert.strictEqual(response.status, 400, message)
          }
        }
      }
    })
  )

  it.effect("unreadable parameters count as failures of their sender", () =>
    Effect.gen(function* () {
      const { raw, agree, app } = yield* scene()
      const form = { client_id: app.clientId, client_secret: app.secret ?? "", ...(yield* agree(app)) }
      const statuses = yield* Effect.forEach(
        Array.from({ length: 61 }),
        () => Effect.map(raw("/oauth/token", withValue(form, "resource", "%00")), ({ status }) => status),
        { concurrency: 8 }
      )
      assert.deepStrictEqual(
        statuses.toSorted((a, b) => a - b),
        [...Array.from({ length: 60 }, () => 400), 429]
      )
      assert.strictEqual((yield* raw("/oauth/token", encoded(form))).status, 200)
    })
  )
})
