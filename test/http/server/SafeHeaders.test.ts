import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PublicUrl } from "../../../src/http/headers/Origin.ts"
import { WebFolder } from "../../../src/http/routes/WebPages.ts"
import { makeClient } from "../../../src/rpc/Client.ts"
import { baseUrl, dataOf, freshClient, IsolatedApiTest } from "../../support/http/Api.ts"
import { picture, SVG, upload } from "../../support/http/Files.ts"
import { exchange, lines } from "../../support/http/RawHttp.ts"
import { authorizePath, makeOauthApp } from "../../support/oauth/Browser.ts"
import { messageOf } from "../../support/rpc/Mcp.ts"
import { agentOf, callLine, freshMember } from "../../support/rpc/Rpc.ts"

const folder = mkdtempSync(join(tmpdir(), "partner-api-web-"))
for (const [name, text] of [
  ["index.html", "<!doctype html><title>Pages</title>"],
  ["index-B4DX.js", "export {}"],
  ["icon-B4DX.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>"]
] as const) {
  writeFileSync(join(folder, name), text)
}

/** Where a response may be kept: pages and documents are revalidated, files have their hash in their names. */
const CACHING: Readonly<Record<string, string>> = {
  "/docs": "no-cache",
  "/openapi.json": "no-cache",
  "/dashboard/a": "no-cache",
  "/developers": "no-cache",
  "/web/index-B4DX.js": "public, max-age=31536000, immutable",
  "/web/icon-B4DX.svg": "public, max-age=31536000, immutable"
}

const assertSafe = (label: string, { headers, status }: Response, caching = "no-store") => {
  const get = (name: string) => headers.get(name) ?? ""
  const name = `${label} ${status}`
  assert.strictEqual(get("x-content-type-options"), "nosniff", name)
  assert.strictEqual(get("referrer-policy"), "same-origin", name)
  assert.match(get("content-security-policy"), /^default-src 'none'; /, name)
  assert.strictEqual(get("strict-transport-security"), "max-age=31536000", name)
  assert.include(get("cache-control"), caching, name)
  assert.isNull(headers.get("server"), name)
  assert.isNull(headers.get("x-powered-by"), name)
  assert.isNull(headers.get("access-control-allow-origin"), name)
  const isPage = get("content-type").startsWith("text/html")
  if (!label.includes("/media/")) assert.include(get("content-security-policy"), "frame-ancestors 'none'", name)
  assert.strictEqual(get("x-frame-options"), isPage ? "DENY" : "", name)
}

const ask = (path: string, init: RequestInit = {}) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}${path}`, { redirect: "manual", ...init })
      await response.arrayBuffer()
      return response
    })
  )

const json = (body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

const form = (text: string) => ({ method: "POST", body: new URLSearchParams(text) })

const isolated = Layer.provide(
  IsolatedApiTest,
  Layer.merge(Layer.succeed(WebFolder, folder), Layer.succeed(PublicUrl, "https://partners.example.com"))
)

describe("Safe headers", () => {
  layer(isolated, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("every response is nosniff, has a policy, names no software and is cached only where that is safe", () =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        const member = yield* freshMember()
        // Cookies of an https origin have the prefix.
        const headers = { cookie: `__Host-${member.cookie}` }
        const members = yield* makeClient({ url: `${yield* baseUrl}/rpc`, headers })
        const agent = yield* agentOf({ ...member, client: members })
        const appId = yield* makeOauthApp()
        const bearer = { authorization: `Bearer ${client.token}` }
        const api = "/api/platform/v1"
        const post = (body: unknown) => json(body, { ...bearer, "idempotency-key": "a" })
        const ndjson = { "content-type": "application/ndjson" }
        const listing = messageOf("tools/list")
        const requests: ReadonlyArray<readonly [path: string, status: number, init?: RequestInit]> = [
          ["/healthz", 200],
          ["/readyz", 200],
          ["/docs", 200],
          ["/openapi.json", 200],
          ["/dashboard/a", 200],
          ["/developers", 200],
          ["/web/index-B4DX.js", 200],
          ["/web/icon-B4DX.svg", 200],
          ["/web/nothing.js", 404],
          ["/", 404],
          ["/", 302, { headers: { accept: "text/html" } }],
          ["/nothing", 404],
          [`${api}/store`, 200, { headers: bearer }],
          [`${api}/store`, 401],
          [`${api}/products/nothing`, 404, { headers: bearer }],
          [`${api}/products`, 201, post({ name: "Cup" })],
          [`${api}/products`, 201, post({ name: "Cup" })],
          [`${api}/products`, 409, post({ name: "Other" })],
          [`${api}/products`, 400, post({})],
          ["/rpc", 200, { method: "POST", headers: ndjson, body: callLine("stores.list", {}) }],
          ["/rpc", 415, json({})],
          ["/rpc", 405],
          ["/mcp", 401, json({})],
          ["/mcp", 405],
          [
            "/mcp",
            200,
            { method: "POST", body: listing.body, headers: { ...listing.headers, authorization: agent.authorization } }
          ],
          ["/auth/session", 401],
          ["/auth/sign-in", 401, json({ email: "nobody@example.com", password: "correct horse" })],
          ["/auth/sign-in", 400, json({})],
          ["/oauth/authorize", 400],
          [authorizePath(appId), 200],
          ["/oauth/token", 401, form("grant_type=refresh_token")],
          ["/oauth/revoke", 401, form("token=a")],
          ["/oauth/register", 201, json({ redirect_uris: ["https://app.example/callback"], client_name: "Helper" })],
          ["/.well-known/oauth-authorization-server", 200],
          ["/.well-known/oauth-protected-resource/mcp", 200],
          [`/media/${"a".repeat(64)}/x.png`, 404]
        ]
        const statuses: Array<string> = []
        for (const [path, , init] of requests) {
          const response = yield* ask(path, init)
          statuses.push(`${path} ${response.status}`)
          assertSafe(path, response, CACHING[path])
        }
        assert.deepStrictEqual(
          statuses,
          requests.map(([path, status]) => `${path} ${status}`)
        )
        for (const bytes of [SVG, yield* picture("png")]) {
          const { url } = dataOf(yield* upload(client, bytes, { type: "image/svg+xml" }))
          const { pathname } = new URL(String(url))
          assertSafe(pathname, yield* ask(pathname), "public, max-age=31536000, immutable")
          assertSafe(pathname, yield* ask(pathname, { headers: { range: "bytes=9999999-" } }))
        }
      })
    )

    it.effect("responses outside the router have the same headers", () =>
      Effect.gen(function* () {
        const base = yield* baseUrl
        const upgrade = ["connection: upgrade", "upgrade: websocket"]
        const texts = [
          lines("NOT HTTP"),
          lines("GET /healthz HTTP/1.1", "host: a", "expect: nothing"),
          lines("CONNECT example.com:443 HTTP/1.1", "host: example.com:443"),
          lines("GET /healthz HTTP/1.1", "host: a", "host: b", "connection: close"),
          lines("GET /rpc HTTP/1.1", "host: a", ...upgrade, "sec-websocket-version: 8"),
          lines("GET /rpc HTTP/1.1", "host: a", ...upgrade, "sec-websocket-version: 13", "sec-websocket-key: a")
        ]
        for (const text of texts) {
          const received = yield* exchange(base, text)
          const [head = ""] = received.split("\r\n\r\n")
          const [statusLine = "", ...headers] = head.split("\r\n")
          const status = Number(statusLine.split(" ")[1])
          assert.isAtLeast(status, 400, received)
          const entries = headers.map((line): [string, string] => {
            const [name = "", ...value] = line.split(": ")
            return [name, value.join(": ")]
          })
          assertSafe(text, new Response(null, { status, headers: entries }))
        }
      })
    )
  })
})
