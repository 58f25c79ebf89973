import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { CreateProduct, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { agentOf, freshMember, newKey } from "../../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)

const EVER = { since: "2000-01-01T00:00:00.000Z", until: "3000-01-01T00:00:00.000Z" }

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Undo by agents", (it) => {
  it.effect("an agent undoes only its own writes, with their write scope and without proposalsOnly", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const newest = Effect.map(
        client.activity.list({ storeId, limit: 1 }),
        ({ items: [entry] }) => entry ?? assert.fail()
      )
      const agent = yield* agentOf({ client, storeId }, { scopes: ["read_products", "write_products"] })
      const keyed = () => ({ storeId, idempotencyKey: newKey() })
      const { undo, undoSpan } = agent.client.activity
      const cup = yield* performed(client.products.create({ ...keyed(), product: toProduct({ name: "Cup" }) }))
      const memberEntry = yield* newest
      assert.strictEqual((yield* Effect.flip(undo({ ...keyed(), id: memberEntry.id })))._tag, "EntryNotOwn")
      const memberSpan = { ...keyed(), actorId: memberEntry.actor.id, ...EVER }
      assert.strictEqual((yield* Effect.flip(undoSpan(memberSpan)))._tag, "EntryNotOwn")

      yield* performed(agent.client.products.update({ ...keyed(), id: cup.id, patch: toPatch({ stock: 1 }) }))
      const agentEntry = yield* newest
      const undoError = () => Effect.flip(undo({ ...keyed(), id: agentEntry.id }))
      yield* client.agents.update({
        ...keyed(),
        id: agent.id,
        patch: { scopes: ["read_products", "write_collections"] }
      })
      assert.deepInclude(yield* undoError(), { _tag: "AgentScopeMissing", scope: "write_products" })
      const agentSpan = { ...keyed(), actorId: agent.id, ...EVER }
      assert.deepInclude(yield* Effect.flip(undoSpan(agentSpan)), {
        _tag: "AgentScopeMissing",
        scope: "write_products"
      })
      yield* client.agents.update({
        ...keyed(),
        id: agent.id,
        patch: { scopes: ["write_products"], proposalsOnly: true }
      })
      assert.strictEqual((yield* undoError())._tag, "ApprovalNeeded")

      yield* client.agents.update({ ...keyed(), id: agent.id, patch: { proposalsOnly: false } })
      const { undone } = yield* performed(undo({ ...keyed(), id: agentEntry.id }))
      assert.deepNestedInclude({ undone }, { "undone[0].undoes": agentEntry.id })
      assert.deepInclude((yield* newest).actor, { type: "agent", id: agent.id })
    })
  )
})
