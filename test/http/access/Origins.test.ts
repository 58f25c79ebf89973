import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { PublicUrl } from "../../../src/http/headers/Origin.ts"
import { ApiTest, IsolatedApiTest, baseUrl } from "../../support/http/Api.ts"
import { makeMerchant, PASSWORD } from "../../support/rpc/Merchants.ts"
import { callLine, freshMember } from "../../support/rpc/Rpc.ts"
import { openSocket } from "../../support/http/Sockets.ts"
import { authorizePath, fieldsOf, makeOauthApp, makeBrowser } from "../../support/oauth/Browser.ts"

type Headers = Readonly<Record<string, string>>

interface ReceivedResponse {
  readonly status: number
  readonly cookie: string | undefined
}

/** Sends a request with any `Host` and `Origin`, which `fetch` does not allow. */
const send = (base: string, method: "GET" | "POST", path: string, headers: Headers, body = "") =>
  Effect.callback<ReceivedResponse>((resume) => {
    request(`${base}${path}`, { method, headers }, (response) => {
      response.resume().on("end", () => {
        const { headers, statusCode: status = 0 } = response
        resume(Effect.succeed({ status, cookie: headers["set-cookie"]?.[0] }))
      })
    }).end(body)
  })

const JSON_TYPE = { "content-type": "application/json" }

/** Statuses of one request with these headers to each surface that checks cookies or `Origin`. */
const statusesOf = Effect.fn(function* (headers: Headers, prefix = "") {
  const base = yield* baseUrl
  const { cookie: session, email } = yield* freshMember()
  const cookie = `${prefix}${session}`
  const credentials = JSON.stringify({ email, password: PASSWORD })
  const signIn = yield* send(base, "POST", "/auth/sign-in", { ...JSON_TYPE, ...headers }, credentials)
  const rpc = yield* send(
    base,
    "POST",
    "/rpc",
    { "content-type": "application/ndjson", cookie, ...headers },
    callLine("account.get", {})
  )
  const mcp = yield* send(base, "POST", "/mcp", { ...JSON_TYPE, ...headers }, "{}")
  const socket = yield* openSocket({ headers: { cookie, ...headers } })
  const visitor = yield* makeBrowser
  const path = authorizePath(yield* makeOauthApp())
  const page = yield* visitor.ask("GET", path, { headers })
  const fields = { ...fieldsOf(page), email, password: PASSWORD, intent: "sign-in" }
  const form = yield* visitor.send(path, fields, headers)
  return {
    signIn: signIn.status,
    rpc: rpc.status,
    mcp: mcp.status,
    socket: socket.refusal?.status ?? 101,
    form: form.status
  }
})

const ACCEPTED = { signIn: 200, rpc: 200, mcp: 401, socket: 101, form: 303 }
const REFUSED = { signIn: 403, rpc: 403, mcp: 403, socket: 403, form: 403 }

const NAME = "https://partners.example.com"
const HOST = "partners.example.com"

layer(IsolatedApiTest.pipe(Layer.provide(Layer.succeed(PublicUrl, NAME))), {
  excludeTestServices: true,
  timeout: "120 seconds"
})("Origin checks with PUBLIC_URL", (it) => {
  it.effect("accepts requests from the public origin with any Host header", () =>
    Effect.gen(function* () {
      for (const host of [HOST, "127.0.0.1:3000", "partner-api.internal:3000"]) {
        assert.deepStrictEqual(yield* statusesOf({ host, origin: NAME }, "__Host-"), ACCEPTED, host)
      }
    })
  )

  it.effect("rejects any other origin with 403, even if it matches Host or differs only in scheme or port", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      for (const [host, origin] of [
        ["evil.example", "https://evil.example"],
        ["evil.example", "http://evil.example"],
        [HOST, `http://${HOST}`],
        [HOST, `${NAME}:8443`],
        [HOST, `${NAME}.evil.example`],
        [new URL(base).host, base],
        [HOST, "null"]
      ] as const) {
        assert.deepStrictEqual(yield* statusesOf({ host, origin }, "__Host-"), REFUSED, `${host} ${origin}`)
      }
    })
  )

  it.effect("signing in through a proxy that rewrites Host sets a Secure cookie that needs its __Host- prefix", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const proxy = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((incoming, outgoing) => {
            const { headers, method, url } = incoming
            const forwarded = request(`${base}${url}`, { method, headers: { ...headers, host: new URL(base).host } })
            forwarded.on("response", (response) => {
              outgoing.writeHead(response.statusCode ?? 0, response.headers)
              response.pipe(outgoing)
            })
            incoming.pipe(forwarded)
          })
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const address = proxy.address() as AddressInfo
      const proxyUrl = `http://127.0.0.1:${address.port}`
      const browser = { host: HOST, origin: NAME, "sec-fetch-site": "same-origin" }
      const { email } = yield* makeMerchant()
      const credentials = JSON.stringify({ email, password: PASSWORD })
      const signedIn = yield* send(proxyUrl, "POST", "/auth/sign-in", { ...JSON_TYPE, ...browser }, credentials)
      assert.strictEqual(signedIn.status, 200)
      assert.match(
        signedIn.cookie ?? "",
        /^__Host-session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/
      )
      const [cookie = ""] = (signedIn.cookie ?? "").split(";")
      assert.strictEqual((yield* send(proxyUrl, "GET", "/auth/session", { host: HOST, cookie })).status, 200)
      // Any page of the domain can set a cookie without the prefix.
      const withoutPrefix = { host: HOST, cookie: cookie.replace("__Host-", "") }
      assert.strictEqual((yield* send(proxyUrl, "GET", "/auth/session", withoutPrefix)).status, 401)
    })
  )

  it.effect("consent pages set Secure cookies with the __Host- prefix", () =>
    Effect.gen(function* () {
      const { email } = yield* makeMerchant()
      const visitor = yield* makeBrowser
      const path = authorizePath(yield* makeOauthApp())
      const browser = { host: HOST, origin: NAME }
      const page = yield* visitor.ask("GET", path, { headers: browser })
      assert.match(
        String(page.headers["set-cookie"]),
        /^__Host-visit=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/
      )
      const fields = { ...fieldsOf(page), email, password: PASSWORD, intent: "sign-in" }
      const signedIn = yield* visitor.send(path, fields, browser)
      assert.match(String(signedIn.headers["set-cookie"]), /^__Host-session=[\w-]{43}; Max-Age=2592000; .*; Secure;/)
    })
  )
})

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Origin checks without PUBLIC_URL", (it) => {
  it.effect("accepts requests from loopback origins", () =>
    Effect.gen(function* () {
      const { host, port } = new URL(yield* baseUrl)
      for (const name of [host, `localhost:${port}`, `[::1]:${port}`]) {
        assert.deepStrictEqual(yield* statusesOf({ host: name, origin: `http://${name}` }), ACCEPTED, name)
      }
    })
  )

  it.effect("rejects a host that is not loopback, or an origin that differs from Host, with 403", () =>
    Effect.gen(function* () {
      const { host, port } = new URL(yield* baseUrl)
      for (const [name, origin] of [
        ["evil.example", "http://evil.example"],
        ["evil.example", "https://evil.example"],
        [`localhost.evil.example:${port}`, `http://localhost.evil.example:${port}`],
        ["127.0.0.1:99999", "http://127.0.0.1:99999"],
        [host, `https://${host}`],
        [host, "http://127.0.0.1:1"],
        [host, `http://localhost:${port}`]
      ] as const) {
        assert.deepStrictEqual(yield* statusesOf({ host: name, origin }), REFUSED, `${name} ${origin}`)
      }
    })
  )

  it.effect("session cookies are neither accepted nor set if Host is not loopback", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { cookie, email } = yield* freshMember()
      const host = "evil.example"
      for (const sessionCookie of [cookie, `__Host-${cookie}`]) {
        assert.strictEqual((yield* send(base, "GET", "/auth/session", { host, cookie: sessionCookie })).status, 401)
      }
      assert.strictEqual((yield* send(base, "GET", "/auth/session", { cookie })).status, 200)
      const credentials = JSON.stringify({ email, password: PASSWORD })
      const refused = yield* send(base, "POST", "/auth/sign-in", { ...JSON_TYPE, host }, credentials)
      assert.deepStrictEqual(refused, { status: 403, cookie: undefined })
    })
  )
})
