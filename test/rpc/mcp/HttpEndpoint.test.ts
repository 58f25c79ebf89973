import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { described, documentHost, documentOf } from "../../support/oauth/ClientDocuments.ts"
import {
  CALLBACK,
  CLIENTS,
  freshMerchant,
  OauthTest,
  connectWithConsent,
  makeProvider,
  type Provider
} from "../../support/oauth/OauthServer.ts"

const expire = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update agent_tokens set expires_at = now()`)

const tokenOf = ({ memory }: Provider) => memory.tokens?.access_token ?? ""

layer(OauthTest, { excludeTestServices: true, timeout: "60 seconds" })("OAuth of MCP clients", (it) => {
  for (const [version, connect] of Object.entries(CLIENTS)) {
    const connectAndRefresh = (provider: Provider) =>
      Effect.gen(function* () {
        const connection = yield* connectWithConsent(connect, provider, yield* freshMerchant)
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

    it.effect(`a client with a metadata document gets consent and refreshes its token: ${version}`, () =>
      Effect.gen(function* () {
        const host = yield* documentHost((id) => documentOf(described(id, { redirect_uris: [CALLBACK] })))
        const provider = makeProvider(host.id)
        yield* connectAndRefresh(provider)
        assert.strictEqual(provider.memory.client?.client_id, host.id)
      })
    )
  }
})
