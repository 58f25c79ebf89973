import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Scope } from "../../../src/domain/access/Scope.ts"
import { MAX_REGISTRATIONS } from "../../../src/domain/oauth/AgentClients.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import {
  agentPath,
  codeForm,
  freshAgentByConsent,
  freshClientId,
  registerClient,
  tokens
} from "../../support/oauth/AgentOauth.ts"
import { baseUrl, makeClient } from "../../support/http/Api.ts"
import { agree, CALLBACK, freshMerchant, OauthTest } from "../../support/oauth/OauthServer.ts"
import { callTool, freshAgent, messageOf, send } from "../../support/rpc/Mcp.ts"
import { callLine, clientOf, errorOf, newKey, post, sessionOf } from "../../support/rpc/Rpc.ts"
import { authorizePath, makeOauthApp, makeBrowser, REDIRECT, visibleText } from "../../support/oauth/Browser.ts"

const list = (token?: string) => {
  const { body, headers } = messageOf("tools/list")
  return send({ body, headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` } })
}

const statusOf = (token: string) => Effect.map(list(token), ({ status }) => status)

/** Error tag of an RPC call with the token, if the call fails. */
const rpcErrorOf = (bearer: string, storeId: string) =>
  Effect.map(
    post(callLine("store.get", { storeId }), { authorization: `Bearer ${bearer}` }),
    ({ text }) => errorOf(text)?.["_tag"]
  )

/** Error of an authorization request of a signed-in merchant: the code in the redirect, or the text of the page. */
const authorizationErrorOf = Effect.fn(function* (path: string) {
  const { email, visitor } = yield* freshMerchant
  yield* visitor.signIn(agentPath(yield* freshClientId), email)
  const page = yield* visitor.open(path)
  return page.location === "" ? visibleText(page) : new URL(page.location).searchParams.get("error")
})

layer(OauthTest, { excludeTestServices: true, timeout: "60 seconds" })("Consent for agents", (it) => {
  it.effect("a 401 response links the resource metadata, which names the authorization server", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const metadata = `${base}/.well-known/oauth-protected-resource/mcp`
      const without = yield* list()
      assert.deepStrictEqual(
        [without.status, without.headers.get("www-authenticate")],
        [401, `Bearer resource_metadata="${metadata}"`]
      )
      const invalid = yield* list("nobody's")
      assert.deepStrictEqual(
        [invalid.status, invalid.headers.get("www-authenticate")],
        [401, `Bearer error="invalid_token", resource_metadata="${metadata}"`]
      )
      const read = (path: string) =>
        Effect.promise(async (): Promise<unknown> => (await fetch(`${base}${path}`)).json())
      const resource = yield* read("/.well-known/oauth-protected-resource/mcp")
      assert.deepInclude(resource, { resource: `${base}/mcp`, authorization_servers: [base] })
      assert.deepStrictEqual(yield* read("/.well-known/oauth-protected-resource"), resource)
      assert.deepInclude(yield* read("/.well-known/oauth-authorization-server"), {
        issuer: base,
        registration_endpoint: `${base}/oauth/register`,
        client_id_metadata_document_supported: true
      })
    })
  )

  it.effect("an agent gets the requested scopes that the merchant selects, and the limits they set", () =>
    Effect.gen(function* () {
      const requested = { scope: "read_products write_products read_orders" }
      const form = { read_orders: "off", proposals: "on", budget: "1", days: "7", write_collections: "on" }
      const { email, scope, storeId, token } = yield* freshAgentByConsent(form, requested)
      assert.strictEqual(scope, "read_products write_products")
      const member = yield* clientOf(yield* sessionOf(email))
      const { items } = yield* member.agents.list({ storeId })
      assert.lengthOf(items, 1)
      assert.deepInclude(items[0], {
        name: "Helper",
        scopes: ["read_products", "write_products"],
        budget: 1,
        window: 100,
        proposalsOnly: true
      })
      const days = (Date.parse(items[0]?.endsAt ?? "") - Date.parse(items[0]?.createdAt ?? "")) / 86_400_000
      assert.closeTo(days, 7, 0.01)

      const create = () => callTool(token, "products_create", { idempotencyKey: newKey(), product: { name: "Cup" } })
      assert.isDefined((yield* create()).structuredContent["proposal"])
      assert.deepInclude((yield* create()).structuredContent["error"], { _tag: "BudgetSpent", budget: 1 })
      assert.deepInclude((yield* callTool(token, "orders_list", {})).structuredContent["error"], {
        _tag: "AgentScopeMissing"
      })
    })
  )

  it.effect("unknown scopes of an agent's request are ignored, and the token response names the granted ones", () =>
    Effect.gen(function* () {
      const { refresh, scope } = yield* freshAgentByConsent({}, { scope: "openid read_products offline_access email" })
      assert.strictEqual(scope, "read_products")
      const refreshed = yield* tokens({ ...refresh, scope: "read_products offline_access" })
      assert.deepStrictEqual([refreshed.status, refreshed.json["scope"]], [200, "read_products"])
      for (const scope of ["openid email profile", " "]) {
        assert.strictEqual(yield* authorizationErrorOf(agentPath(yield* freshClientId, { scope })), "invalid_scope")
      }
    })
  )

  it.effect("a registration returns the known scopes that the client names, or all", () =>
    Effect.gen(function* () {
      const all = Scope.literals.join(" ")
      for (const [requested, registered] of [
        ["read_products offline_access", "read_products"],
        ["openid email profile", all],
        ["  ", all],
        [undefined, all],
        [5, all]
      ] as const) {
        const { json, status } = yield* registerClient({ redirect_uris: [CALLBACK], scope: requested })
        assert.deepStrictEqual([status, json["scope"]], [201, registered], String(requested))
      }
    })
  )

  it.effect("all tokens of an agent share its call window", () =>
    Effect.gen(function* () {
      const { email, refresh, storeId, token } = yield* freshAgentByConsent()
      const member = yield* clientOf(yield* sessionOf(email))
      const { items } = yield* member.agents.list({ storeId })
      const id = items[0]?.id ?? assert.fail("There is an agent")
      yield* member.agents.update({ storeId, idempotencyKey: newKey(), id, patch: { window: 2 } })
      const { json } = yield* tokens(refresh)
      const second = String(json["access_token"])
      assert.deepStrictEqual(
        [yield* statusOf(token), yield* statusOf(second), yield* statusOf(second), yield* statusOf(token)],
        [200, 200, 429, 429]
      )
    })
  )

  it.effect("the consent page names the client, and shows an error for invalid limits", () =>
    Effect.gen(function* () {
      const { email, visitor } = yield* freshMerchant
      const path = agentPath(yield* freshClientId)
      const page = yield* visitor.signIn(path, email)
      assert.include(visibleText(page), "Helper requests access to A store as an agent")
      assert.include(visibleText(page), "This name is not verified")
      for (const [form, reason] of [
        [{ budget: "-1" }, "Maximum changes per day must be"],
        [{ budget: "1.5" }, "Maximum changes per day must be"],
        [{ budget: "" }, "Maximum changes per day must be"],
        [{ days: "3650" }, "Choose an access duration"]
      ] as const) {
        const again = yield* visitor.press(path, page, "allow", form)
        assert.strictEqual(again.location, "")
        assert.include(visibleText(again), reason)
      }
    })
  )

  it.effect("a token from consent is valid at /mcp only; a token from a member is valid for RPC too", () =>
    Effect.gen(function* () {
      const { storeId, token } = yield* freshAgentByConsent()
      assert.strictEqual(yield* statusOf(token), 200)
      assert.strictEqual((yield* makeClient(yield* baseUrl, token).get("/store")).status, 401)
      assert.strictEqual(yield* rpcErrorOf(token, storeId), "InvalidToken")
      const fromMember = yield* freshAgent()
      assert.isUndefined(yield* rpcErrorOf(fromMember.token, fromMember.storeId))
      assert.strictEqual(yield* statusOf(fromMember.token), 200)
    })
  )

  it.effect("a revoked or expired agent gets 401, and invalid_grant when it refreshes its token", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const revoked = yield* freshAgentByConsent()
      const member = yield* clientOf(yield* sessionOf(revoked.email))
      const { items } = yield* member.agents.list({ storeId: revoked.storeId })
      const id = items[0]?.id ?? assert.fail("There is an agent")
      yield* member.agents.revoke({ storeId: revoked.storeId, idempotencyKey: newKey(), id })
      const expired = yield* freshAgentByConsent()
      yield* sql`update agents set ends_at = now() where store_id = ${expired.storeId}`
      for (const { refresh, token } of [revoked, expired]) {
        assert.strictEqual(yield* statusOf(token), 401)
        const response = yield* tokens(refresh)
        assert.deepStrictEqual([response.status, response.json["error"]], [400, "invalid_grant"])
      }
    })
  )

  it.effect("revoking a token or reusing a refresh token revokes the agent", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const revoked = yield* freshAgentByConsent()
      const { clientId, refresh } = revoked
      const form = new URLSearchParams({ client_id: clientId, token: refresh.refresh_token })
      const base = yield* baseUrl
      yield* Effect.promise(() => fetch(`${base}/oauth/revoke`, { method: "POST", body: form }))
      const reused = yield* freshAgentByConsent()
      yield* tokens(reused.refresh)
      yield* sql`update refresh_tokens set used_at = used_at - interval '31 seconds' where store_id = ${reused.storeId}`
      assert.strictEqual((yield* tokens(reused.refresh)).json["error"], "invalid_grant")
      for (const { email, storeId, token } of [revoked, reused]) {
        assert.strictEqual(yield* statusOf(token), 401)
        const { items } = yield* (yield* clientOf(yield* sessionOf(email))).agents.list({ storeId })
        assert.isNotNull(items[0]?.revokedAt ?? null)
      }
    })
  )

  it.effect("a resource other than /mcp fails with invalid_target, and so does /mcp for an app", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const clientId = yield* freshClientId
      for (const resource of [
        `${base}/api/platform/v1`,
        base,
        `${base}/mcp//`,
        `${base}/mcp#a`,
        "https://example.com/mcp"
      ]) {
        assert.strictEqual(yield* authorizationErrorOf(agentPath(clientId, { resource })), "invalid_target", resource)
      }
      const appId = yield* makeOauthApp({ scopes: ["read_products"] })
      for (const resource of [`${base}/mcp`, `${base}/mcp/`]) {
        const path = authorizePath(appId, { redirect_uri: REDIRECT, resource })
        assert.strictEqual(yield* authorizationErrorOf(path), "invalid_target", resource)
      }

      const merchant = yield* freshMerchant
      const { location } = yield* agree(merchant, new URL(agentPath(clientId, { resource: `${base}/mcp` }), base))
      const rejected = yield* tokens({ ...codeForm(clientId, location), resource: base })
      assert.deepStrictEqual([rejected.status, rejected.json["error"]], [400, "invalid_target"])
      assert.strictEqual((yield* tokens({ ...codeForm(clientId, location), resource: `${base}/mcp` })).status, 200)
    })
  )

  it.effect("an unknown client gets a 400 page without redirect; a client with consent does not expire", () =>
    Effect.gen(function* () {
      const visitor = yield* makeBrowser
      const { clientId } = yield* freshAgentByConsent()
      const expired = yield* freshClientId
      yield* changeGlobally(
        (sql) =>
          sql`update agent_clients set ends_at = now() where client_id in (${clientId}, ${expired}) and ends_at is not null`
      )
      const known = yield* visitor.open(agentPath(clientId))
      assert.strictEqual(known.status, 200)
      for (const id of [expired, "https://127.0.0.1/client.json", "https://10.0.0.1/a", "nobody"]) {
        const response = yield* visitor.open(agentPath(id))
        assert.deepStrictEqual([response.status, response.location], [400, ""], id)
      }
    })
  )

  it.effect("client registration returns the stored metadata, rejects invalid metadata and is rate limited", () =>
    Effect.gen(function* () {
      const valid = {
        client_name: "Helper",
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: "client_secret_basic"
      }
      const registered = yield* registerClient({ ...valid, scope: "read_products", contacts: ["ada@example.com"] })
      assert.strictEqual(registered.status, 201)
      assert.strictEqual(registered.headers.get("cache-control"), "no-store")
      assert.deepInclude(registered.json, {
        client_name: "Helper",
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: "none"
      })
      assert.notProperty(registered.json, "client_secret")
      for (const [metadata, code] of [
        [{ ...valid, redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
        [{ client_name: "Helper" }, "invalid_redirect_uri"],
        [{ ...valid, client_name: " " }, "invalid_client_metadata"],
        [{ ...valid, response_types: ["token"] }, "invalid_client_metadata"],
        [[], "invalid_client_metadata"],
        [{ ...valid, logo_uri: "x".repeat(17_000) }, "invalid_client_metadata"]
      ] as const) {
        const response = yield* registerClient(metadata)
        assert.deepStrictEqual([response.status, response.json["error"]], [400, code])
      }
      const responses = yield* Effect.all(Effect.replicate(registerClient(valid), MAX_REGISTRATIONS + 1), {
        concurrency: 8
      })
      const last = responses.find(({ status }) => status === 429)
      assert.strictEqual(last?.json["error"], "temporarily_unavailable")
      assert.match(last?.headers.get("retry-after") ?? "", /^[1-9]\d{0,2}$/)
    })
  )
})
