import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { hash, randomUUID } from "node:crypto"
import { AgentPatch, MAX_AGENTS, NewAgent } from "../../../src/domain/access/Agents.ts"
import { AgentId } from "../../../src/domain/access/Ids.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { agentOf, callLine, errorOf, exitsOf, freshMember, memberOf, newKey, post } from "../../support/rpc/Rpc.ts"

const toAgent = Schema.decodeUnknownSync(NewAgent)
const toPatch = Schema.decodeUnknownSync(AgentPatch)
const toProduct = Schema.decodeUnknownSync(CreateProduct)

/** Procedures that agents can call, with the scope that each requires. */
const OPEN = {
  "products.list": "read_products",
  "products.get": "read_products",
  "products.create": "write_products",
  "products.update": "write_products",
  "products.delete": "write_products",
  "collections.list": "read_collections",
  "collections.get": "read_collections",
  "collections.create": "write_collections",
  "collections.update": "write_collections",
  "collections.delete": "write_collections",
  "store.get": null
} as const

const errorTagOf = <A, E extends { readonly _tag: string }>(call: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(call), ({ _tag }) => _tag)

const payloadOf = (tag: string, storeId: string) => ({
  storeId,
  ...(/create|update|delete|join/.test(tag) ? { idempotencyKey: randomUUID() } : {}),
  ...(/get|update|delete|revoke/.test(tag) && tag !== "store.get" ? { id: randomUUID() } : {}),
  ...(tag === "products.create" ? { product: { name: "Cup" } } : {}),
  ...(tag === "collections.create" ? { collection: { title: "Cups" } } : {}),
  ...(tag.endsWith("update") ? { patch: {} } : {})
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Agents", (it) => {
  it.effect("an agent writes with its token, and the journal and the event name it as the actor", () =>
    Effect.gen(function* () {
      const member = yield* freshMember({ role: "staff" })
      const { merchantId, storeId } = member
      const { client, id, token } = yield* agentOf(member, { scopes: ["write_products", "write_products"] })
      assert.match(token ?? "", /^agent_[\w-]{70}$/)
      const product = { name: "Cup", price: 3 }
      yield* client.products.create({ storeId, idempotencyKey: newKey(), product: toProduct(product) })

      const { items, nextCursor } = yield* member.client.agents.list({ storeId })
      assert.isNull(nextCursor)
      assert.deepInclude(items[0], {
        id,
        name: "Helper",
        scopes: ["write_products"],
        budget: 1_000,
        window: 100,
        proposalsOnly: false,
        createdBy: merchantId,
        endsAt: null,
        revokedAt: null
      })
      assert.match(items[0]?.lastUsedAt ?? "", /:00\.000Z$/)
      const sql = yield* SqlClient.SqlClient
      const journalRows = yield* sql`
        select j.actor_type, j.actor_id, j.surface, (e.payload::json ->> 'actor')::text as actor
        from journal j join events e using (store_id, id) where store_id = ${storeId}
      `
      assert.deepStrictEqual(journalRows, [
        { actor_type: "agent", actor_id: id, surface: "rpc", actor: '{"type":"agent"}' }
      ])
    })
  )

  it.effect("the token of an agent is returned once and stored only as a hash", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const request = { storeId, idempotencyKey: newKey(), agent: toAgent({ name: "Helper", scopes: [] }) }
      const { token, ...created } = yield* client.agents.create(request)
      const repeated = yield* Effect.replicateEffect(client.agents.create(request), 2)
      for (const one of repeated) assert.deepStrictEqual(one, { ...created, token: null })

      const sql = yield* SqlClient.SqlClient
      const agents = yield* sql<{ readonly token_hash: Buffer }>`select * from agents where store_id = ${storeId}`
      assert.deepStrictEqual(
        agents.map(({ token_hash }) => token_hash),
        [hash("sha256", token ?? "", "buffer")]
      )
      const records = yield* sql`select * from idempotency_records where store_id = ${storeId}`
      assert.lengthOf(records, 1)
      assert.notInclude(JSON.stringify([agents, records]), token ?? "agent_")
      const { text } = yield* post(callLine("agents.list", { storeId }), { cookie })
      assert.notMatch(text, /agent_/)
    })
  )

  it.effect("every procedure that is open to agents requires its scope and the store of the agent", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const stranger = yield* freshMember()
      const fullAgent = yield* agentOf(member)
      const agentWithoutScopes = yield* agentOf(member, { scopes: [] })
      for (const [tag, { payloadSchema }] of Rpcs.requests) {
        assert.isDefined(payloadSchema)
        const call = (authorization: string, storeId: string) =>
          Effect.map(post(callLine(tag, payloadOf(tag, storeId)), { authorization }), ({ text }) => errorOf(text))
        const scope = Object.entries(OPEN).find(([open]) => open === tag)?.[1]
        if (scope === undefined) continue
        assert.notInclude(
          ["AgentRefused", "AgentScopeMissing"],
          (yield* call(fullAgent.authorization, member.storeId))?.["_tag"]
        )
        const expected = scope === null ? undefined : { _tag: "AgentScopeMissing", scope }
        assert.deepStrictEqual(yield* call(agentWithoutScopes.authorization, member.storeId), expected, tag)
        assert.deepStrictEqual(yield* call(fullAgent.authorization, stranger.storeId), { _tag: "StoreNotFound" }, tag)
      }
    })
  )

  it.effect("agents cannot manage agents, members, accounts or sessions", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { storeId } = member
      const { client, id } = yield* agentOf(member)
      const calls = {
        "agents.create": errorTagOf(
          client.agents.create({
            storeId,
            idempotencyKey: newKey(),
            agent: toAgent({ name: "Mine", scopes: [] })
          })
        ),
        "agents.list": errorTagOf(client.agents.list({ storeId })),
        "agents.update": errorTagOf(
          client.agents.update({ storeId, idempotencyKey: newKey(), id, patch: { budget: 100_000 } })
        ),
        "agents.revoke": errorTagOf(client.agents.revoke({ storeId, idempotencyKey: newKey(), id })),
        "members.list": errorTagOf(client.members.list({ storeId })),
        "members.join": errorTagOf(
          client.members.join({ storeId, idempotencyKey: newKey(), email: member.email, role: "staff" })
        ),
        "members.leave": errorTagOf(
          client.members.leave({ storeId, idempotencyKey: newKey(), merchantId: member.merchantId })
        ),
        "account.get": errorTagOf(client.account.get({})),
        "sessions.list": errorTagOf(client.sessions.list({}))
      }
      for (const [tag, errorTag] of Object.entries(calls)) assert.strictEqual(yield* errorTag, "AgentRefused", tag)
    })
  )

  it.effect("agents of another store are neither listed nor updated nor revoked", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { client, storeId } = yield* freshMember()
      const { id } = yield* agentOf(member)
      assert.deepStrictEqual(yield* client.agents.list({ storeId }), { items: [], nextCursor: null })
      const before = yield* member.client.agents.list({ storeId: member.storeId })
      const callsInOwnStore = [
        client.agents.update({ storeId, idempotencyKey: newKey(), id, patch: toPatch({ name: "Theirs" }) }),
        client.agents.revoke({ storeId, idempotencyKey: newKey(), id })
      ]
      for (const call of callsInOwnStore) assert.strictEqual((yield* Effect.flip(call))._tag, "AgentNotFound")
      const callsInForeignStore = [
        client.agents.update({ storeId: member.storeId, idempotencyKey: newKey(), id, patch: {} }),
        client.agents.revoke({ storeId: member.storeId, idempotencyKey: newKey(), id })
      ]
      for (const call of callsInForeignStore) assert.strictEqual((yield* Effect.flip(call))._tag, "StoreNotFound")
      assert.deepStrictEqual(yield* member.client.agents.list({ storeId: member.storeId }), before)
    })
  )

  it.effect("an update of an agent applies to its next request and keeps settings that it omits", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { storeId } = member
      const { client, id } = yield* agentOf(member, { scopes: ["read_products"], budget: 7 })
      yield* client.products.list({ storeId })
      const changed = yield* member.client.agents.update({
        storeId,
        idempotencyKey: newKey(),
        id,
        patch: { scopes: [], window: 5 }
      })
      assert.deepInclude(changed, { name: "Helper", scopes: [], budget: 7, window: 5 })
      assert.strictEqual((yield* Effect.flip(client.products.list({ storeId })))._tag, "AgentScopeMissing")
      assert.deepStrictEqual((yield* member.client.agents.list({ storeId })).items, [changed])
    })
  )

  it.effect("revoking an agent is permanent, and a second revocation returns the same", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { storeId } = member
      const { client, id } = yield* agentOf(member)
      const other = yield* agentOf(member)
      yield* client.store.get({ storeId })
      const revoked = yield* member.client.agents.revoke({ storeId, idempotencyKey: newKey(), id })
      assert.isNotNull(revoked.revokedAt)
      assert.deepStrictEqual(yield* member.client.agents.revoke({ storeId, idempotencyKey: newKey(), id }), revoked)
      assert.strictEqual((yield* Effect.flip(client.store.get({ storeId })))._tag, "InvalidToken")
      const updateAfterRevocation = member.client.agents.update({
        storeId,
        idempotencyKey: newKey(),
        id,
        patch: { budget: 1 }
      })
      assert.strictEqual((yield* Effect.flip(updateAfterRevocation))._tag, "AgentNotFound")
      yield* other.client.store.get({ storeId })
    })
  )

  it.effect("a store cannot exceed its limit of agents, even with concurrent creates", () =>
    Effect.gen(function* () {
      const { client, merchantId, storeId } = yield* freshMember()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into agents (store_id, id, token_hash, name, scopes, budget, requests, proposals_only, created_by)
        select ${storeId}, gen_random_uuid(), sha256(n::text::bytea), 'Filler', '{}', 1, 1, false, ${merchantId}
        from generate_series(1, ${MAX_AGENTS - 3}) n
      `
      const agent = toAgent({ name: "Helper", scopes: [] })
      const created = yield* Effect.all(
        Array.from({ length: 12 }, () =>
          Effect.result(client.agents.create({ storeId, idempotencyKey: newKey(), agent }))
        ),
        { concurrency: "unbounded" }
      )
      const refused = created.flatMap((one) => (one._tag === "Failure" ? [one.failure._tag] : []))
      assert.deepStrictEqual(
        refused,
        Array.from({ length: 9 }, () => "AgentLimitReached")
      )
    })
  )

  it.effect("a bearer token takes precedence over a cookie; empty tokens and other schemes are ignored", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const stranger = yield* freshMember()
      const { cookie, storeId } = member
      const { authorization } = yield* agentOf(member, { scopes: [] })
      const list = callLine("products.list", { storeId })
      const listForeign = callLine("products.list", { storeId: stranger.storeId })
      const cases = [
        [list, authorization, cookie, "AgentScopeMissing"],
        [list, authorization.replace(" ", "   "), cookie, "AgentScopeMissing"],
        [list, "Bearer agent_nobody", cookie, "InvalidToken"],
        [list, "Bearer ", cookie, undefined],
        [listForeign, authorization, stranger.cookie, "StoreNotFound"],
        [list, "Basic dXNlcjpwYXNz", cookie, undefined],
        [list, "Basic dXNlcjpwYXNz", "session=nobody", "NotSignedIn"]
      ] as const
      for (const [body, authorization, cookie, expected] of cases) {
        assert.strictEqual(errorOf((yield* post(body, { authorization, cookie })).text)?.["_tag"], expected)
      }
    })
  )

  it.effect("an agent of a deleted store gets StoreNotFound", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { client } = yield* agentOf(member)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update stores set deleted_at = now() where id = ${member.storeId}`
      assert.strictEqual((yield* Effect.flip(client.store.get({ storeId: member.storeId })))._tag, "StoreNotFound")
    })
  )

  it.effect("invalid settings of an agent are all reported, and an unknown agent id is not found", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const agent = { name: " ", scopes: ["everything"], budget: -1, window: 0 }
      const { text } = yield* post(callLine("agents.create", { storeId, idempotencyKey: newKey(), agent }), { cookie })
      const error = errorOf(text)
      assert.strictEqual(error?.["_tag"], "BadRequest")
      assert.lengthOf(Array.isArray(error?.["issues"]) ? error["issues"] : [], 4)
      const unknownAgent = { storeId, idempotencyKey: newKey(), id: AgentId.make(randomUUID()) }
      assert.strictEqual((yield* Effect.flip(client.agents.revoke(unknownAgent)))._tag, "AgentNotFound")
      assert.strictEqual(exitsOf(text).size, 1)
    })
  )

  it.effect("an agent keeps working after the member who created it leaves", () =>
    Effect.gen(function* () {
      const owner = yield* freshMember()
      const { storeId } = owner
      const staff = yield* memberOf(storeId, "staff")
      const { client } = yield* agentOf({ storeId, client: staff.client })
      yield* owner.client.members.leave({ storeId, idempotencyKey: newKey(), merchantId: staff.merchantId })
      yield* client.products.list({ storeId })
    })
  )
})
