import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { MAX_REGISTRATIONS } from "../../../src/domain/oauth/AgentClients.ts"
import {
  agentPath,
  codeForm,
  freshAgentByConsent,
  freshClientId,
  registerClient,
  tokens
} from "../../support/oauth/AgentOauth.ts"
import { baseUrl, makeClient } from "../../support/http/Api.ts"
import { agree, CALLBACK, freshMerchant, FrontDoorTest } from "../../support/oauth/FrontDoor.ts"
import { callTool, freshAgent, messageOf, send } from "../../support/rpc/Mcp.ts"
import { callLine, clientOf, errorOf, newKey, post, sessionOf } from "../../support/rpc/Rpc.ts"
import { authorizePath, makeAskingApp, makeVisitor, REDIRECT, wordsOf } from "../../support/oauth/Visitor.ts"

const list = (token?: string) => {
  const { body, headers } = messageOf("tools/list")
  return send({ body, headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` } })
}

const statusOf = (token: string) => Effect.map(list(token), ({ status }) => status)

/** Why a call on the other surface is refused, if it is. */
const refusedCall = (bearer: string, storeId: string) =>
  Effect.map(
    post(callLine("store.get", { storeId }), { authorization: `Bearer ${bearer}` }),
    ({ text }) => errorOf(text)?.["_tag"]
  )

/** What an authorization request is answered that a merchant who is signed in makes. */
const sentBackFrom = Effect.fn(function* (path: string) {
  const { email, visitor } = yield* freshMerchant
  yield* visitor.signIn(agentPath(yield* freshClientId), email)
  const seen = yield* visitor.open(path)
  return seen.location === "" ? wordsOf(seen) : new URL(seen.location).searchParams.get("error")
})

layer(FrontDoorTest, { excludeTestServices: true, timeout: "60 seconds" })("Agents by consent", (it) => {
  it.effect("who has no token that is good is told where they are had, which says who gives them, and how", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const metadata = `${base}/.well-known/oauth-protected-resource/mcp`
      const without = yield* list()
      assert.deepStrictEqual(
        [without.status, without.headers.get("www-authenticate")],
        [401, `Bearer resource_metadata="${metadata}"`]
      )
      const bad = yield* list("nobody's")
      assert.deepStrictEqual(
        [bad.status, bad.headers.get("www-authenticate")],
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

  it.effect("an agent may do what the merchant ticked of what was asked, within the bounds they set", () =>
    Effect.gen(function* () {
      const asked = { scope: "read_products write_products read_orders" }
      const typed = { read_orders: "off", proposals: "on", budget: "1", days: "7", write_collections: "on" }
      const { email, scope, storeId, token } = yield* freshAgentByConsent(typed, asked)
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

  it.effect("its window is its own, whichever of its tokens it comes with", () =>
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

  it.effect("the merchant is asked again for what cannot be, and told who asks", () =>
    Effect.gen(function* () {
      const { email, visitor } = yield* freshMerchant
      const path = agentPath(yield* freshClientId)
      const page = yield* visitor.signIn(path, email)
      assert.include(wordsOf(page), "Helper requests access to A store as an agent")
      assert.include(wordsOf(page), "This name is not verified")
      for (const [typed, reason] of [
        [{ budget: "-1" }, "Maximum changes per day must be"],
        [{ budget: "1.5" }, "Maximum changes per day must be"],
        [{ budget: "" }, "Maximum changes per day must be"],
        [{ days: "3650" }, "Choose an access duration"]
      ] as const) {
        const again = yield* visitor.press(path, page, "allow", typed)
        assert.strictEqual(again.location, "")
        assert.include(wordsOf(again), reason)
      }
    })
  )

  it.effect("its token is good for tools and nowhere else; one that a member made goes on at both", () =>
    Effect.gen(function* () {
      const { storeId, token } = yield* freshAgentByConsent()
      assert.strictEqual(yield* statusOf(token), 200)
      assert.strictEqual((yield* makeClient(yield* baseUrl, token).get("/store")).status, 401)
      assert.strictEqual(yield* refusedCall(token, storeId), "InvalidToken")
      const shown = yield* freshAgent()
      assert.isUndefined(yield* refusedCall(shown.token, shown.storeId))
      assert.strictEqual(yield* statusOf(shown.token), 200)
    })
  )

  it.effect("when a member revokes it, or its time is over, the next message is 401 and no token comes any more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const revoked = yield* freshAgentByConsent()
      const member = yield* clientOf(yield* sessionOf(revoked.email))
      const { items } = yield* member.agents.list({ storeId: revoked.storeId })
      const id = items[0]?.id ?? assert.fail("There is an agent")
      yield* member.agents.revoke({ storeId: revoked.storeId, idempotencyKey: newKey(), id })
      const over = yield* freshAgentByConsent()
      yield* sql`update agents set ends_at = now() where store_id = ${over.storeId}`
      for (const { refresh, token } of [revoked, over]) {
        assert.strictEqual(yield* statusOf(token), 401)
        const refused = yield* tokens(refresh)
        assert.deepStrictEqual([refused.status, refused.json["error"]], [400, "invalid_grant"])
      }
    })
  )

  it.effect("a client that gives its tokens back, or uses one that was used before, has no agent any more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const back = yield* freshAgentByConsent()
      const { clientId, refresh } = back
      const form = new URLSearchParams({ client_id: clientId, token: refresh.refresh_token })
      const base = yield* baseUrl
      yield* Effect.promise(() => fetch(`${base}/oauth/revoke`, { method: "POST", body: form }))
      const stolen = yield* freshAgentByConsent()
      yield* tokens(stolen.refresh)
      yield* sql`update refresh_tokens set used_at = used_at - interval '31 seconds' where store_id = ${stolen.storeId}`
      assert.strictEqual((yield* tokens(stolen.refresh)).json["error"], "invalid_grant")
      for (const { email, storeId, token } of [back, stolen]) {
        assert.strictEqual(yield* statusOf(token), 401)
        const { items } = yield* (yield* clientOf(yield* sessionOf(email))).agents.list({ storeId })
        assert.isNotNull(items[0]?.revokedAt ?? null)
      }
    })
  )

  it.effect("tokens are asked for this service's tools, and by no app", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const clientId = yield* freshClientId
      for (const resource of [`${base}/api/platform/v1`, base, `${base}/mcp/`, "https://example.com/mcp"]) {
        assert.strictEqual(yield* sentBackFrom(agentPath(clientId, { resource })), "invalid_target", resource)
      }
      const appId = yield* makeAskingApp({ scopes: ["read_products"] })
      const path = authorizePath(appId, { redirect_uri: REDIRECT, resource: `${base}/mcp` })
      assert.strictEqual(yield* sentBackFrom(path), "invalid_target")

      const merchant = yield* freshMerchant
      const { location } = yield* agree(merchant, new URL(agentPath(clientId, { resource: `${base}/mcp` }), base))
      const elsewhere = yield* tokens({ ...codeForm(clientId, location), resource: base })
      assert.deepStrictEqual([elsewhere.status, elsewhere.json["error"]], [400, "invalid_target"])
      assert.strictEqual((yield* tokens({ ...codeForm(clientId, location), resource: `${base}/mcp` })).status, 200)
    })
  )

  it.effect("a client that nobody knows gets a page and no redirect; one that was agreed to is kept", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const visitor = yield* makeVisitor
      const { clientId } = yield* freshAgentByConsent()
      const forgotten = yield* freshClientId
      yield* sql`update agent_clients set ends_at = now() where client_id in (${clientId}, ${forgotten}) and ends_at is not null`
      const kept = yield* visitor.open(agentPath(clientId))
      assert.strictEqual(kept.status, 200)
      for (const id of [forgotten, "https://127.0.0.1/client.json", "https://10.0.0.1/a", "nobody"]) {
        const refused = yield* visitor.open(agentPath(id))
        assert.deepStrictEqual([refused.status, refused.location], [400, ""], id)
      }
    })
  )

  it.effect(
    "what a client says of itself is answered as it is kept, or refused by its code; a flood is not heard",
    () =>
      Effect.gen(function* () {
        const said = {
          client_name: "Helper",
          redirect_uris: [CALLBACK],
          token_endpoint_auth_method: "client_secret_basic"
        }
        const made = yield* registerClient({ ...said, scope: "read_products", contacts: ["ada@example.com"] })
        assert.strictEqual(made.status, 201)
        assert.strictEqual(made.headers.get("cache-control"), "no-store")
        assert.deepInclude(made.json, {
          client_name: "Helper",
          redirect_uris: [CALLBACK],
          token_endpoint_auth_method: "none"
        })
        assert.notProperty(made.json, "client_secret")
        for (const [metadata, code] of [
          [{ ...said, redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
          [{ client_name: "Helper" }, "invalid_redirect_uri"],
          [{ ...said, client_name: " " }, "invalid_client_metadata"],
          [{ ...said, response_types: ["token"] }, "invalid_client_metadata"],
          [[], "invalid_client_metadata"],
          [{ ...said, logo_uri: "x".repeat(17_000) }, "invalid_client_metadata"]
        ] as const) {
          const refused = yield* registerClient(metadata)
          assert.deepStrictEqual([refused.status, refused.json["error"]], [400, code])
        }
        const flood = yield* Effect.all(Effect.replicate(registerClient(said), MAX_REGISTRATIONS + 1), {
          concurrency: 8
        })
        const last = flood.find(({ status }) => status === 429)
        assert.strictEqual(last?.json["error"], "temporarily_unavailable")
        assert.match(last?.headers.get("retry-after") ?? "", /^[1-9]\d{0,2}$/)
      })
  )
})
