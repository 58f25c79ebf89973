import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "node:http"
import packageJson from "../../../package.json" with { type: "json" }
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { freshAgent, messageOf } from "../../support/rpc/Mcp.ts"

const ACCEPTED = ["application/json", "*/*", undefined, "application/json, text/event-stream", "text/event-stream"]

const initialize = (version: string) => ({
  method: "initialize",
  params: { protocolVersion: version, capabilities: {}, clientInfo: { name: "test", version: "1" } }
})

/** Posts a body to a path over HTTP. `fetch` would add an `Accept` header. */
const post = (path: string, headers: Readonly<Record<string, string>>, body: string) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.callback<{ status: number; type: string | undefined; challenge: string | undefined; text: string }>(
      (resume) => {
        const sending = request(`${base}${path}`, { method: "POST", headers }, (response) => {
          let text = ""
          response.setEncoding("utf8").on("data", (part: string) => (text += part))
          response.on("end", () => {
            const { headers, statusCode: status = 0 } = response
            resume(
              Effect.succeed({ status, text, type: headers["content-type"], challenge: headers["www-authenticate"] })
            )
          })
        })
        sending.end(body)
      }
    )
  )

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("MCP over HTTP", (it) => {
  for (const version of ["2025-06-18", "2025-11-25"]) {
    it.effect(`a request of ${version} gets JSON, whatever its Accept header`, () =>
      Effect.gen(function* () {
        const { token } = yield* freshAgent()
        for (const accept of ACCEPTED) {
          const headers = {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            ...(accept === undefined ? {} : { accept })
          }
          const versioned = { ...headers, "mcp-protocol-version": version }
          const send = (headers: Readonly<Record<string, string>>, message: object) =>
            Effect.map(post("/mcp", headers, JSON.stringify({ jsonrpc: "2.0", ...message })), (answer) => {
              assert.deepStrictEqual([answer.status, answer.type], [200, "application/json"], answer.text)
              const { id, result } = JSON.parse(answer.text)
              assert.strictEqual(id, 1)
              return result
            })
          const { protocolVersion, serverInfo } = yield* send(headers, { id: 1, ...initialize(version) })
          assert.deepStrictEqual([protocolVersion, serverInfo.version], [version, packageJson.version])
          const { tools } = yield* send(versioned, { id: 1, method: "tools/list" })
          assert.isAbove(tools.length, 10)
          const call = { id: 1, method: "tools/call", params: { name: "store_get", arguments: {} } }
          assert.property((yield* send(versioned, call)).structuredContent, "currencyCode")
          const notification = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
          assert.strictEqual((yield* post("/mcp", versioned, notification)).status, 202)
        }
      })
    )
  }

  it.effect("a request of 2026-07-28 gets JSON, whatever its Accept header", () =>
    Effect.gen(function* () {
      const { token } = yield* freshAgent()
      const { body, headers } = messageOf("tools/list")
      const { accept: _, ...rest } = headers
      for (const accept of ACCEPTED) {
        const sent = { ...rest, authorization: `Bearer ${token}`, ...(accept === undefined ? {} : { accept }) }
        const answer = yield* post("/mcp", sent, body)
        assert.deepStrictEqual([answer.status, answer.type], [200, "application/json"], answer.text)
      }
    })
  )

  it.effect("/mcp/ is the same endpoint as /mcp", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { token } = yield* freshAgent()
      const { body, headers } = messageOf("tools/list")
      const authorized = { ...headers, authorization: `Bearer ${token}` }
      assert.deepStrictEqual(yield* post("/mcp/", authorized, body), yield* post("/mcp", authorized, body))
      const anonymous = yield* post("/mcp/", headers, body)
      const metadata = `${base}/.well-known/oauth-protected-resource/mcp/`
      assert.deepStrictEqual([anonymous.status, anonymous.challenge], [401, `Bearer resource_metadata="${metadata}"`])
      assert.strictEqual((yield* post("/mcp/", { ...authorized, origin: "https://evil.example" }, body)).status, 403)
      for (const path of ["/mcp", "/mcp/"]) {
        for (const method of ["GET", "DELETE", "OPTIONS", "PUT"]) {
          const headers = { accept: "text/event-stream", authorization: `Bearer ${token}` }
          const response = yield* Effect.promise(() => fetch(`${base}${path}`, { method, headers }))
          assert.deepStrictEqual([response.status, response.headers.get("allow")], [405, "POST"], `${method} ${path}`)
        }
      }
      const read = (path: string) => Effect.promise(async () => (await fetch(`${base}${path}`)).json())
      const resource = yield* read("/.well-known/oauth-protected-resource/mcp")
      // Clients of the URL with a slash refuse metadata of another resource.
      const slashed = yield* read("/.well-known/oauth-protected-resource/mcp/")
      assert.deepStrictEqual(slashed, { ...resource, resource: `${base}/mcp/` })
      for (const path of ["/mcp//", "/mcp/a"]) assert.strictEqual((yield* post(path, authorized, body)).status, 404)
    })
  )
})
