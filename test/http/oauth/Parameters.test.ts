import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { agentPath, freshClientId } from "../../support/oauth/AgentOauth.ts"
import { authorizePath, type BrowserPage, fieldsOf, makeBrowser, visibleText } from "../../support/oauth/Browser.ts"
import { type Form, register } from "../../support/oauth/Oauth.ts"
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

/** Encoded values of a parameter, by the way in which they are unusual. */
const valuesOf = (name: string, valid: string): ReadonlyArray<string> => [
  ...UNREADABLE,
  "x".repeat(10_000),
  `${encodeURIComponent(valid)}&${name}=${encodeURIComponent(valid)}`,
  `a&${name}=b`,
  "",
  "%20%20%20",
  "++"
]

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

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Parameters of OAuth and its pages", (it) => {
  it.effect("no value of a token or revocation parameter is answered with 500", () =>
    Effect.gen(function* () {
      const { agree, app, raw, token } = yield* scene()
      const { refresh_token } = (yield* token(yield* agree(app))).json
      const client = { client_id: app.clientId, client_secret: app.secret ?? "" }
      const resource = { resource: "https://example.com" }
      const requests: ReadonlyArray<readonly [string, Form]> = [
        ["/oauth/token", { ...client, ...(yield* agree(app)), ...resource }],
        [
          "/oauth/token",
          {
            ...client,
            ...resource,
            grant_type: "refresh_token",
            refresh_token: String(refresh_token),
            scope: "read_products"
          }
        ],
        ["/oauth/revoke", { ...client, token: "unknown", token_type_hint: "access_token" }]
      ]
      for (const [path, form] of requests) {
        for (const [name, valid] of [...Object.entries(form), ["anything", "a"] as const]) {
          for (const value of valuesOf(name, valid)) {
            const { error, json, status } = yield* raw(path, withValue(form, name, value))
            const message = `${path} ${name}=${value.slice(0, 40)}: ${JSON.stringify(json)}`
            assert.include([200, 400, 401, 429], status, message)
            if (status === 429) continue
            if (UNREADABLE.includes(value)) assert.deepStrictEqual([status, error], [400, "invalid_request"], message)
          }
        }
      }
    })
  )

  it.effect("no HTTP Basic user or password is answered with 500", () =>
    Effect.gen(function* () {
      const { agree, app, raw } = yield* scene()
      const form = encoded(yield* agree(app))
      for (const value of [...valuesOf("a", "b"), "\0", "a\0b", "\ud800", "é", ":"]) {
        for (const basic of [`${value}:${app.secret}`, `${app.clientId}:${value}`]) {
          for (const encoding of ["utf8", "latin1"] as const) {
            const authorization = `Basic ${Buffer.from(basic, encoding).toString("base64")}`
            const { error, headers, status } = yield* raw("/oauth/token", form, { authorization })
            if (status === 429) continue
            assert.deepStrictEqual([status, error], [401, "invalid_client"], basic.slice(0, 40))
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
              const page = yield* browser.ask("POST", path, { body: withValue(form, name, value), headers })
              const message = `${form.intent}, ${name}=${value.slice(0, 40)}: ${visibleText(page)}`
              assert.include([200, 303, 400, 401, 403, 404, 409, 429], page.status, message)
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
                headers: { "content-type": "application/json", origin: base },
                body: JSON.stringify({ ...valid, [member]: value })
              })
            )
            const text = yield* Effect.promise(() => response.text())
            const message = `${path} ${member}=${JSON.stringify(value).slice(0, 40)}: ${text}`
            assert.include([200, 201, 400, 401, 409, 429], response.status, message)
            if (texts.indexOf(String(value)) < 4 && response.status !== 429) {
              assert.strictEqual(response.status, 400, message)
            }
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
      assert.include(statuses, 429)
      assert.notInclude(statuses, 500)
      assert.strictEqual((yield* raw("/oauth/token", encoded(form))).status, 200)
    })
  )
})
