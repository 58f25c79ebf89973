import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { agentPath, registerClient } from "../../support/oauth/AgentOauth.ts"
import { makeBrowser, visibleText } from "../../support/oauth/Browser.ts"
import { described, documentHost, documentOf } from "../../support/oauth/ClientDocuments.ts"
import { OauthTest } from "../../support/oauth/OauthServer.ts"

const UNUSABLE = [
  "cursor://example.mcp/oauth/callback",
  "com.example.app:/callback",
  "http://app.example.com/callback",
  "https://10.0.0.1/callback",
  "https://localhost/callback",
  "http://127.0.0.1:99999/callback",
  "https://app.example.com/#part",
  "javascript:alert(1)",
  "x".repeat(3_000),
  "",
  5,
  null
]

/** More than one registration may name. */
const HOSTILE = [
  "https://app.example.com/#",
  "https://app.example.com/call back",
  "https://app.example.com\\@evil.example/",
  "https://user:pass@app.example.com/",
  "http://localhost:80@evil.example/",
  "http://127.0.0.1.example.com/",
  "http://127.0.0.2/callback",
  "HTTPS://app.example.com/",
  "https://b\u00fccher.example/",
  "https://2130706433/",
  "https://[::ffff:192.168.0.1]/",
  "https://app.internal./",
  "data:text/html,x",
  "myapp:/callback",
  "/callback",
  " https://app.example.com/"
]

const VALID = [
  "https://ide.example.com/agents/mcp/oauth/callback",
  "http://localhost:8787/callback",
  "http://127.0.0.1/callback",
  "http://[::1]:1234/"
]

layer(OauthTest, { excludeTestServices: true, timeout: "60 seconds" })("Redirect URIs of agent clients", (it) => {
  it.effect("a registration keeps the valid redirect URIs and returns them", () =>
    Effect.gen(function* () {
      const registered = yield* registerClient({ redirect_uris: [...UNUSABLE, ...VALID, VALID[0]] })
      assert.deepStrictEqual([registered.status, registered.json["redirect_uris"]], [201, VALID])
      assert.strictEqual(registered.json["client_name"], "ide.example.com")
      const clientId = String(registered.json["client_id"])
      const visitor = yield* makeBrowser
      for (const redirect_uri of VALID) {
        assert.strictEqual((yield* visitor.open(agentPath(clientId, { redirect_uri }))).status, 200, redirect_uri)
      }
      const page = yield* visitor.open(agentPath(clientId, { redirect_uri: "cursor://example.mcp/oauth/callback" }))
      assert.strictEqual(page.status, 400)
      assert.include(visibleText(page), "redirect_uri is not registered; send exactly one of the redirect URIs")
    })
  )

  it.effect("a registration without a valid redirect URI fails and recommends one that is valid", () =>
    Effect.gen(function* () {
      for (const redirect_uris of [
        ...[...UNUSABLE, ...HOSTILE].map((uri) => [uri]),
        UNUSABLE,
        [],
        "http://127.0.0.1/",
        undefined
      ]) {
        const { json, status } = yield* registerClient({ redirect_uris })
        assert.deepStrictEqual([status, json["error"]], [400, "invalid_redirect_uri"], JSON.stringify(redirect_uris))
        const description = String(json["error_description"])
        assert.include(description, "http://127.0.0.1/callback")
        assert.notInclude(description, "private scheme such as")
      }
      const recommended = yield* registerClient({ redirect_uris: ["http://127.0.0.1/callback"] })
      assert.strictEqual(recommended.status, 201)
      const tooMany = Array.from({ length: 21 }, (_, index) => `https://app.example.com/${index}`)
      assert.strictEqual((yield* registerClient({ redirect_uris: tooMany })).json["error"], "invalid_redirect_uri")
    })
  )

  it.effect("a metadata document keeps the valid redirect URIs, too", () =>
    Effect.gen(function* () {
      const host = yield* documentHost((id) => documentOf(described(id, { redirect_uris: [...UNUSABLE, ...VALID] })))
      const visitor = yield* makeBrowser
      for (const redirect_uri of VALID) {
        assert.strictEqual((yield* visitor.open(agentPath(host.id, { redirect_uri }))).status, 200, redirect_uri)
      }
      const unusable = yield* documentHost((id) => documentOf(described(id, { redirect_uris: UNUSABLE })))
      const page = yield* visitor.open(agentPath(unusable.id, { redirect_uri: "cursor://example.mcp/oauth/callback" }))
      assert.strictEqual(page.status, 400)
      assert.include(visibleText(page), "http://127.0.0.1/callback")
    })
  )
})
