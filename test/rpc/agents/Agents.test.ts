import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { hash, randomUUID } from "node:crypto"
import { AgentPatch, MAX_AGENTS, NewAgent } from "../../../src/domain/access/Agents.ts"
import { AgentId } from "../../../src/domain/Actor.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { agentOf, callLine, errorOf, exitsOf, freshMember, memberOf, newKey, post } from "../../support/rpc/Rpc.ts"

const toAgent = Schema.decodeUnknownSync(NewAgent)
const toPatch = Schema.decodeUnknownSync(AgentPatch)
const toProduct = Schema.decodeUnknownSync(CreateProduct)

/** What agents may call, with the scope that each procedure asks for. */
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

const refusalOf = <A, E extends { readonly _tag: string }>(call: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(call), ({ _tag }) => _tag)

const payloadOf = (tag: string, storeId: string) => ({
  storeId,
  ...(/create|update|delete|join/.test(tag) ? { idempotencyKey: randomUUID() } : {}),
  ...(/get|update|delete|revoke/.test(tag) && tag !== "store.get" ? { id: randomUUID() } : {}),
  ...(tag === "products.create" ? { product: { name: "Cup" } } : {}),
  ...(tag === "collections.create" ? { collection: { title: "Cups" } } : {}),
  ...(tag.endsWith("update") ? { patch: {} } : {})
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("agents", (it) => {
  it.effect("a member makes one, which reads and writes the store by its token, as an agent", () =>
    Effect.gen(function* () {
      const member = yield* freshMember({ role: "staff" })
      const { merchantId, storeId } = member
      const { client, id, token } = yield* agentOf(member, { scopes: ["write_products", "write_products"] })
      assert.match(token ?? "", /^agent_[\w-]{43}$/)
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
      const told = yield* sql`
        select j.actor_type, j.actor_id, j.surface, (e.payload::json ->> 'actor')::text as actor
        from journal j join events e using (store_id, id) where store_id = ${storeId}
      `
      assert.deepStrictEqual(told, [{ actor_type: "agent", actor_id: id, surface: "rpc", actor: '{"type":"agent"}' }])
    })
  )

  it.effect("its token is shown once, and nothing that is kept holds it", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const asked = { storeId, idempotencyKey: newKey(), agent: toAgent({ name: "Helper", scopes: [] }) }
      const { token, ...made } = yield* client.agents.create(asked)
      const repeated = yield* Effect.replicateEffect(client.agents.create(asked), 2)
      for (const one of repeated) assert.deepStrictEqual(one, { ...made, token: null })

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

  it.effect("may call what its scopes allow in its own store, and nothing else whatever it is asked with", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const stranger = yield* freshMember()
      const all = yield* agentOf(member)
      const none = yield* agentOf(member, { scopes: [] })
      for (const [tag, { payloadSchema }] of Rpcs.requests) {
        assert.isDefined(payloadSchema)
        const call = (authorization: string, storeId: string) =>
          Effect.map(post(callLine(tag, payloadOf(tag, storeId)), { authorization }), ({ text }) => errorOf(text))
        const scope = Object.entries(OPEN).find(([open]) => open === tag)?.[1]
        if (scope === undefined) continue
        assert.notInclude(
          ["AgentRefused", "AgentScopeMissing"],
          (yield* call(all.authorization, member.storeId))?.["_tag"]
        )
        const expected = scope === null ? undefined : { _tag: "AgentScopeMissing", scope }
        assert.deepStrictEqual(yield* call(none.authorization, member.storeId), expected, tag)
        assert.deepStrictEqual(yield* call(all.authorization, stranger.storeId), { _tag: "StoreNotFound" }, tag)
      }
    })
  )

  it.effect("is refused where people alone may act", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { storeId } = member
      const { client, id } = yield* agentOf(member)
      const calls = {
        "agents.create": refusalOf(
          client.agents.create({
            storeId,
            idempotencyKey: newKey(),
            agent: toAgent({ name: "Mine", scopes: [] })
          })
        ),
        "agents.list": refusalOf(client.agents.list({ storeId })),
        "agents.update": refusalOf(
          client.agents.update({ storeId, idempotencyKey: newKey(), id, patch: { budget: 100_000 } })
        ),
        "agents.revoke": refusalOf(client.agents.revoke({ storeId, idempotencyKey: newKey(), id })),
        "members.list": refusalOf(client.members.list({ storeId })),
        "members.join": refusalOf(
          client.members.join({ storeId, idempotencyKey: newKey(), email: member.email, role: "staff" })
        ),
        "members.leave": refusalOf(
          client.members.leave({ storeId, idempotencyKey: newKey(), merchantId: member.merchantId })
        ),
        "account.get": refusalOf(client.account.get({})),
        "sessions.list": refusalOf(client.sessions.list({}))
      }
      for (const [tag, refusal] of Object.entries(calls)) assert.strictEqual(yield* refusal, "AgentRefused", tag)
    })
  )

  it.effect("another store's agents are neither listed nor changed", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { client, storeId } = yield* freshMember()
      const { id } = yield* agentOf(member)
      assert.deepStrictEqual(yield* client.agents.list({ storeId }), { items: [], nextCursor: null })
      const before = yield* member.client.agents.list({ storeId: member.storeId })
      const missing = [
        client.agents.update({ storeId, idempotencyKey: newKey(), id, patch: toPatch({ name: "Theirs" }) }),
        client.agents.revoke({ storeId, idempotencyKey: newKey(), id })
      ]
      for (const call of missing) assert.strictEqual((yield* Effect.flip(call))._tag, "AgentNotFound")
      const strange = [
        client.agents.update({ storeId: member.storeId, idempotencyKey: newKey(), id, patch: {} }),
        client.agents.revoke({ storeId: member.storeId, idempotencyKey: newKey(), id })
      ]
      for (const call of strange) assert.strictEqual((yield* Effect.flip(call))._tag, "StoreNotFound")
      assert.deepStrictEqual(yield* member.client.agents.list({ storeId: member.storeId }), before)
    })
  )

  it.effect("what is changed of it holds from its next call on; what is not named stays", () =>
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

  it.effect("is revoked for good, twice alike", () =>
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
      const late = member.client.agents.update({ storeId, idempotencyKey: newKey(), id, patch: { budget: 1 } })
      assert.strictEqual((yield* Effect.flip(late))._tag, "AgentNotFound")
      yield* other.client.store.get({ storeId })
    })
  )

  it.effect("there are so many of a store, however many are made at once", () =>
    Effect.gen(function* () {
      const { client, merchantId, storeId } = yield* freshMember()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into agents (store_id, id, token_hash, name, scopes, budget, requests, proposals_only, created_by)
        select ${storeId}, gen_random_uuid(), sha256(n::text::bytea), 'Filler', '{}', 1, 1, false, ${merchantId}
        from generate_series(1, ${MAX_AGENTS - 3}) n
      `
      const agent = toAgent({ name: "Helper", scopes: [] })
      const made = yield* Effect.all(
        Array.from({ length: 12 }, () =>
          Effect.result(client.agents.create({ storeId, idempotencyKey: newKey(), agent }))
        ),
        { concurrency: "unbounded" }
      )
      const refused = made.flatMap((one) => (one._tag === "Failure" ? [one.failure._tag] : []))
      assert.deepStrictEqual(
        refused,
        Array.from({ length: 9 }, () => "AgentLimitReached")
      )
    })
  )

  it.effect("a bearer token counts alone where there is a cookie too", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const stranger = yield* freshMember()
      const { cookie, storeId } = member
      const { authorization } = yield* agentOf(member, { scopes: [] })
      const list = callLine("products.list", { storeId })
      const own = callLine("products.list", { storeId: stranger.storeId })
      const asked = [
        [list, authorization, cookie, "AgentScopeMissing"],
        [list, "Bearer agent_nobody", cookie, "InvalidToken"],
        [list, "Bearer ", cookie, undefined],
        [own, authorization, stranger.cookie, "StoreNotFound"],
        [list, "Basic dXNlcjpwYXNz", cookie, undefined],
        [list, "Basic dXNlcjpwYXNz", "session=nobody", "NotSignedIn"]
      ] as const
      for (const [body, authorization, cookie, expected] of asked) {
        assert.strictEqual(errorOf((yield* post(body, { authorization, cookie })).text)?.["_tag"], expected)
      }
    })
  )

  it.effect("the agent of a store that is deleted is refused as if there were none", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { client } = yield* agentOf(member)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update stores set deleted_at = now() where id = ${member.storeId}`
      assert.strictEqual((yield* Effect.flip(client.store.get({ storeId: member.storeId })))._tag, "StoreNotFound")
    })
  )

  it.effect("an id that is none, and settings out of their bounds, are told", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const agent = { name: " ", scopes: ["everything"], budget: -1, window: 0 }
      const { text } = yield* post(callLine("agents.create", { storeId, idempotencyKey: newKey(), agent }), { cookie })
      const error = errorOf(text)
      assert.strictEqual(error?.["_tag"], "BadRequest")
      assert.lengthOf(Array.isArray(error?.["issues"]) ? error["issues"] : [], 4)
      const nobody = { storeId, idempotencyKey: newKey(), id: AgentId.make(randomUUID()) }
      assert.strictEqual((yield* Effect.flip(client.agents.revoke(nobody)))._tag, "AgentNotFound")
      assert.strictEqual(exitsOf(text).size, 1)
    })
  )

  it.effect("an agent stays when the member who made it goes", () =>
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
