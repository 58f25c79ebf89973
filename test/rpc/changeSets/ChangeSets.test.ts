import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { CreateProduct, ProductId } from "../../../src/domain/catalog/Product.ts"
import { type ChangeSet, ChangeSetId, MAX_SENT_OPERATIONS } from "../../../src/domain/changeSets/ChangeSet.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import type { Client } from "../../../src/rpc/Client.ts"
import { install } from "../../support/http/Api.ts"
import { JobsTest, previewed, waitForState } from "../../support/http/ChangeSets.ts"
import { applyOver as apply, creations, previewOver as preview } from "../../support/rpc/ChangeSets.ts"
import { callTool } from "../../support/rpc/Mcp.ts"
import { keyedIn, proposed, tagOf } from "../../support/rpc/Proposals.ts"
import { agentOf, callLine, errorOf, freshMember, post } from "../../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const scene = Effect.gen(function* () {
  const member = yield* freshMember()
  return { ...member, agentWith: (settings: Parameters<typeof agentOf>[1]) => agentOf(member, settings) }
})

const keyed = () => ({ idempotencyKey: randomUUID() })

const productCount = (client: Client, storeId: StoreId) =>
  Effect.map(client.store.get({ storeId }), ({ productCount }) => productCount)

const writesToday = (client: Client, storeId: StoreId) =>
  Effect.map(client.agents.list({ storeId }), ({ items: [agent] }) => agent?.writesToday)

layer(JobsTest, { excludeTestServices: true, timeout: "120 seconds" })("Change sets over RPC", (it) => {
  it.effect("the activity has one entry for a set if it is asked to, and its names have the total of the set", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* scene
      yield* client.products.create({ ...keyedIn(storeId), product: toProduct({ name: "Cup" }) })
      const { id } = yield* preview(client, storeId, 5)
      yield* apply(client, storeId, id)
      yield* client.products.create({ ...keyedIn(storeId), product: toProduct({ name: "Jug" }) })
      const setsOf = (filter: { readonly collapseChangeSets?: boolean; readonly limit?: number }) =>
        Effect.map(client.activity.list({ storeId, resource: "product", ...filter }), ({ items, nextCursor }) => ({
          sets: items.map(({ changeSetId }) => changeSetId),
          hasMore: nextCursor !== null
        }))
      assert.deepStrictEqual(yield* setsOf({ collapseChangeSets: true }), { sets: [null, id, null], hasMore: false })
      assert.deepStrictEqual(yield* setsOf({ collapseChangeSets: true, limit: 2 }), { sets: [null, id], hasMore: true })
      assert.lengthOf((yield* setsOf({})).sets, 7)
      assert.deepStrictEqual(yield* client.activity.names({ storeId, ids: [id] }), [{ id, name: "", changes: 5 }])
    })
  )

  it.effect("a member creates, applies and undoes a set, and reads its results", () =>
    Effect.gen(function* () {
      const { client, merchantId, storeId } = yield* scene
      const ready = yield* preview(client, storeId, 2)
      assert.deepInclude(ready, { state: "ready", actor: { type: "merchant", id: merchantId } })
      const applied = yield* apply(client, storeId, ready.id)
      assert.deepInclude(applied, { state: "applied", approvedBy: null, counts: ready.counts })
      const { items } = yield* client.changeSets.results({ storeId, id: ready.id, outcome: "created" })
      assert.deepStrictEqual(
        items.map(({ index, isApplied }) => [index, isApplied]),
        [
          [0, true],
          [1, true]
        ]
      )
      const undo = yield* client.changeSets.undo({ ...keyedIn(storeId), id: ready.id })
      yield* waitForState(undo.id, "ready")
      assert.deepInclude(yield* apply(client, storeId, undo.id), { state: "applied", undoes: ready.id })
      assert.strictEqual(yield* productCount(client, storeId), 0)
      const canceled = yield* preview(client, storeId)
      const key = keyedIn(storeId)
      const first = yield* client.changeSets.cancel({ ...key, id: canceled.id })
      assert.deepInclude(first, { state: "canceled" })
      assert.deepStrictEqual(yield* client.changeSets.cancel({ ...key, id: canceled.id }), first)
    })
  )

  it.effect("members see every set of their store, agents their own, and nobody those of another store", () =>
    Effect.gen(function* () {
      const { agentWith, client, storeId } = yield* scene
      const [agent, other] = [yield* agentWith({}), yield* agentWith({})]
      const app = yield* install(storeId)
      const ofApp = yield* previewed(app.client, { mode: "each", operations: [] })
      const ofAgent = yield* preview(agent.client, storeId)
      const idsOf = (from: Client) =>
        Effect.map(from.changeSets.list({ storeId }), ({ items }) => items.map(({ id }) => id))
      assert.deepStrictEqual(yield* idsOf(client), [ofAgent.id, ofApp.id])
      assert.deepStrictEqual(yield* idsOf(agent.client), [ofAgent.id])
      assert.deepStrictEqual(yield* idsOf(other.client), [])
      const outsider = yield* scene
      for (const [stranger, store] of [
        [other.client, storeId],
        [outsider.client, outsider.storeId]
      ] as const) {
        const { apply, cancel, get, results, undo } = stranger.changeSets
        const target = { storeId: store, id: ofAgent.id }
        const write = { ...keyedIn(store), id: ofAgent.id }
        for (const tag of [
          yield* tagOf(get(target)),
          yield* tagOf(results(target)),
          yield* tagOf(apply(write)),
          yield* tagOf(cancel(write)),
          yield* tagOf(undo(write))
        ]) {
          assert.strictEqual(tag, "ChangeSetNotFound")
        }
      }
      assert.strictEqual(yield* tagOf(outsider.client.changeSets.list({ storeId })), "StoreNotFound")
    })
  )

  it.effect("unfinished sets are listed alone, and entries of the activity name their set", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* scene
      const unfinished = Effect.map(client.changeSets.list({ storeId, unfinished: true }), ({ items }) =>
        items.map(({ id }) => id)
      )
      const [first, second] = [yield* preview(client, storeId), yield* preview(client, storeId)]
      assert.deepStrictEqual(yield* unfinished, [second.id, first.id])
      yield* apply(client, storeId, first.id)
      assert.deepStrictEqual(yield* unfinished, [second.id])
      yield* client.changeSets.cancel({ ...keyedIn(storeId), id: second.id })
      assert.deepStrictEqual(yield* unfinished, [])
      const { items } = yield* client.activity.list({ storeId, limit: 2 })
      assert.deepStrictEqual(
        items.map(({ changeSetId }) => changeSetId),
        [first.id, null]
      )
    })
  )

  it.effect("an agent needs the write scopes of the operations or of the change", () =>
    Effect.gen(function* () {
      const { agentWith, storeId } = yield* scene
      const { client } = yield* agentWith({ scopes: ["write_inventory"] })
      const set = { ...keyedIn(storeId), mode: "each" } as const
      const refused = yield* Effect.flip(client.changeSets.create({ ...set, operations: creations(1) }))
      assert.deepInclude(refused, { _tag: "AgentScopeMissing", scope: "write_products" })
      const where = { rules: [] }
      const price = client.changeSets.create({ ...set, where, change: { price: { add: 1 } } })
      assert.strictEqual(yield* tagOf(price), "AgentScopeMissing")
      const change = { stock: { add: 1 } }
      const selected = yield* Effect.flip(client.changeSets.create({ ...set, where, change }))
      assert.deepInclude(selected, { _tag: "AgentScopeMissing", scope: "read_products" })
      const ids = [ProductId.make(randomUUID())]
      assert.strictEqual(yield* tagOf(client.changeSets.create({ ...set, where: { ids }, change })), "done")
    })
  )

  it.effect("a call has at most 5,000 operations", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* scene
      const create = (content: object) =>
        Effect.map(
          post(callLine("changeSets.create", { ...keyedIn(storeId), mode: "each", ...content }), { cookie }),
          ({ text }) => errorOf(text)
        )
      const operations = Array.from({ length: MAX_SENT_OPERATIONS + 1 }, () => ({
        op: "product.delete",
        id: randomUUID()
      }))
      const refused = yield* create({ operations })
      assert.deepInclude(refused, { _tag: "BadRequest" })
      assert.match(JSON.stringify(refused), /operations: must be a list of at most 5,000/)
      assert.include(JSON.stringify(yield* create({})), "operations: is missing, or `where` and `change`")
    })
  )

  it.effect("the budget of an agent counts each row that changes, once, when it applies the set", () =>
    Effect.gen(function* () {
      const { agentWith, client, storeId } = yield* scene
      const agent = yield* agentWith({ budget: 5 })
      const three = yield* preview(agent.client, storeId, 3)
      assert.strictEqual(yield* writesToday(client, storeId), 0)
      const write = { ...keyedIn(storeId), id: three.id }
      yield* agent.client.changeSets.apply(write)
      yield* agent.client.changeSets.apply(write)
      yield* waitForState(three.id, "applied")
      assert.strictEqual(yield* writesToday(client, storeId), 3)
      const others = yield* preview(agent.client, storeId, 3)
      const refused = yield* Effect.flip(agent.client.changeSets.apply({ ...keyedIn(storeId), id: others.id }))
      assert.deepInclude(refused, { _tag: "BudgetSpent", budget: 5, left: 2, needed: 3 })
      assert.match(refused.message, /counts as 3 writes, and 2 of the agent's budget of 5 writes per day are left/)
      assert.deepInclude(yield* agent.client.changeSets.get({ storeId, id: others.id }), { state: "ready" })
      const two = yield* preview(agent.client, storeId, 2)
      yield* apply(agent.client, storeId, two.id)
      assert.strictEqual(yield* writesToday(client, storeId), 5)
      assert.strictEqual(yield* productCount(client, storeId), 5)
    })
  )

  it.effect("an agent with proposals proposes the whole set as one, and a member approves it", () =>
    Effect.gen(function* () {
      const { agentWith, client, merchantId, storeId } = yield* scene
      const agent = yield* agentWith({ proposalsOnly: true })
      const { id } = yield* preview(agent.client, storeId, 3)
      const proposal = yield* proposed(agent.client.changeSets.apply({ ...keyedIn(storeId), id }))
      assert.deepInclude(proposal, { status: "pending" })
      assert.strictEqual(yield* writesToday(client, storeId), 1)
      assert.deepInclude(yield* client.changeSets.get({ storeId, id }), { state: "ready" })
      yield* client.proposals.approve({ ...keyedIn(storeId), id: proposal.id })
      yield* waitForState(id, "applied")
      const applied = yield* client.changeSets.get({ storeId, id })
      assert.deepInclude(applied, { actor: { type: "agent", id: agent.id }, approvedBy: merchantId })
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        yield* sql`
          select distinct actor_type, actor_id, approved_by from journal where store_id = ${storeId} and change_set_id = ${id}
        `,
        [{ actor_type: "agent", actor_id: agent.id, approved_by: merchantId }]
      )
      const rejected = yield* preview(agent.client, storeId)
      const second = yield* proposed(agent.client.changeSets.apply({ ...keyedIn(storeId), id: rejected.id }))
      yield* client.proposals.reject({ ...keyedIn(storeId), id: second.id, reason: "No" })
      assert.deepInclude(yield* client.changeSets.get({ storeId, id: rejected.id }), { state: "ready" })
      assert.strictEqual(yield* productCount(client, storeId), 3)
    })
  )

  it.effect("a member who applies the set of an agent approves it, and it costs the agent nothing", () =>
    Effect.gen(function* () {
      const { agentWith, client, merchantId, storeId } = yield* scene
      const agent = yield* agentWith({ budget: 1 })
      const { id } = yield* preview(agent.client, storeId, 3)
      const set: ChangeSet = yield* apply(client, storeId, id)
      assert.deepInclude(set, { state: "applied", approvedBy: merchantId, actor: { type: "agent", id: agent.id } })
      assert.strictEqual(yield* writesToday(client, storeId), 0)
    })
  )

  it.effect("a scheduled set of an agent that was revoked fails with the reason", () =>
    Effect.gen(function* () {
      const { agentWith, client, storeId } = yield* scene
      const agent = yield* agentWith({})
      const { id } = yield* agent.client.changeSets.create({
        ...keyedIn(storeId),
        mode: "each",
        applyAt: "2999-01-01T00:00:00Z",
        operations: creations(1)
      })
      yield* waitForState(id, "ready")
      yield* agent.client.changeSets.apply({ ...keyedIn(storeId), id })
      yield* client.agents.revoke({ ...keyedIn(storeId), id: agent.id })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update jobs set next_at = now() where subject_id = ${id}`
      yield* waitForState(id, "failed")
      const { failure } = yield* client.changeSets.get({ storeId, id })
      assert.match(failure ?? "", /author of the change set no longer has the access that it needs/)
      assert.strictEqual(yield* productCount(client, storeId), 0)
    })
  )

  it.effect("an agent does the same over MCP", () =>
    Effect.gen(function* () {
      const { agentWith, client, storeId } = yield* scene
      const { token } = yield* agentWith({})
      const call = (name: string, args: Record<string, unknown>) => callTool(token ?? "", name, args)
      const operations = [
        { op: "product.create", product: { name: "Cup", price: 4 } },
        { op: "product.update", sku: "missing", patch: { price: 1 } }
      ]
      const created = yield* call("changeSets_create", { ...keyed(), mode: "each", operations })
      const id = Schema.decodeUnknownSync(ChangeSetId)(created.structuredContent["id"])
      yield* waitForState(id, "ready")
      const ready = yield* call("changeSets_get", { id })
      assert.deepInclude(ready.structuredContent, { counts: { total: 2, changed: 1, unchanged: 0, refused: 1 } })
      yield* call("changeSets_apply", { ...keyed(), id })
      yield* waitForState(id, "applied")
      const refused = yield* call("changeSets_results", { id, outcome: "refused" })
      assert.match(JSON.stringify(refused.structuredContent), /No product has the SKU/)
      const undo = yield* call("changeSets_undo", { ...keyed(), id })
      const undoId = String(undo.structuredContent["id"])
      yield* waitForState(undoId, "ready")
      yield* call("changeSets_apply", { ...keyed(), id: undoId })
      yield* waitForState(undoId, "applied")
      assert.strictEqual(yield* productCount(client, storeId), 0)
      const again = yield* call("changeSets_cancel", { ...keyed(), id })
      assert.isTrue(again.isError)
      assert.match(
        again.content[0].text,
        /ChangeSetStateMismatch: The change set is applied; this is possible only while/
      )
    })
  )
})
