import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { baseUrl } from "../../support/http/Api.ts"
import { agentPath, codeForm, freshClientId, tokens } from "../../support/oauth/AgentOauth.ts"
import { described, documentHost, documentOf } from "../../support/oauth/ClientDocuments.ts"
import {
  agree,
  CALLBACK,
  CLIENTS,
  freshMerchant,
  OauthTest,
  connectWithConsent,
  makeProvider,
  type Provider
} from "../../support/oauth/OauthServer.ts"
import { callTool } from "../../support/rpc/Mcp.ts"

const expire = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update agent_tokens set expires_at = now()`)

const tokenOf = ({ memory }: Provider) => memory.tokens?.access_token ?? ""

layer(OauthTest, { excludeTestServices: true, timeout: "60 seconds" })("OAuth of MCP clients", (it) => {
  for (const [version, connect] of Object.entries(CLIENTS)) {
    const connectAndRefresh = (provider: Provider, path?: string) =>
      Effect.gen(function* () {
        const connection = yield* connectWithConsent(connect, provider, yield* freshMerchant, path)
        const names = yield* Effect.promise(connection.listTools)
        assert.includeMembers(
          names.map(({ name }) => name),
          ["store_get", "products_create"]
        )
        const before = tokenOf(provider)
        yield* expire
        assert.lengthOf(yield* Effect.promise(connection.listTools), names.length)
        assert.notStrictEqual(tokenOf(provider), before)
      })

    it.effect(`a client registers, gets consent and refreshes its token: ${version}`, () =>
      Effect.gen(function* () {
        const provider = makeProvider()
        yield* connectAndRefresh(provider)
        assert.match(provider.memory.client?.client_id ?? "", /^[\da-f-]{36}$/)
      })
    )

    it.effect(`a client that was given the URL of /mcp/ gets consent and refreshes its token: ${version}`, () =>
      Effect.gen(function* () {
        const provider = makeProvider()
        yield* connectAndRefresh(provider, "/mcp/")
        assert.strictEqual(provider.memory.ledTo?.searchParams.get("resource"), `${yield* baseUrl}/mcp/`)
      })
    )

    it.effect(`a client with a metadata document gets consent and refreshes its token: ${version}`, () =>
      Effect.gen(function* () {
        const host = yield* documentHost((id) => documentOf(described(id, { redirect_uris: [CALLBACK] })))
        const provider = makeProvider(host.id)
        yield* connectAndRefresh(provider)
        assert.strictEqual(provider.memory.client?.client_id, host.id)
      })
    )
  }

  it.effect("the resource of /mcp may have a slash at the end, and scheme and host in capitals", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const spellings = [`${base}/mcp`, `${base}/mcp/`, `${base.replace("http", "HTTP")}/mcp`]
      for (const approved of spellings) {
        const clientId = yield* freshClientId
        const path = agentPath(clientId, { resource: approved })
        const { location } = yield* agree(yield* freshMerchant, new URL(path, base))
        const { json } = yield* tokens({ ...codeForm(clientId, location), resource: `${base}/mcp/` })
        const refresh = {
          grant_type: "refresh_token",
          client_id: clientId,
          refresh_token: String(json["refresh_token"])
        }
        for (const resource of spellings) {
          assert.strictEqual((yield* tokens({ ...refresh, resource })).status, 200, `${approved} ${resource}`)
        }
        const { structuredContent } = yield* callTool(String(json["access_token"]), "store_get", {})
        assert.property(structuredContent, "currencyCode")
      }
    })
  )
})
