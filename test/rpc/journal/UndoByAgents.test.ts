import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { CreateProduct, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { agentOf, freshMember, newKey } from "../../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)

const EVER = { since: "2000-01-01T00:00:00.000Z", until: "3000-01-01T00:00:00.000Z" }

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Undo", (it) => {
  it.effect("lets agents undo what they wrote themselves, with the scope to write it", () =>
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
      const foreign = yield* newest
      assert.strictEqual((yield* Effect.flip(undo({ ...keyed(), id: foreign.id })))._tag, "EntryNotOwn")
      const foreignSpan = { ...keyed(), actorId: foreign.actor.id, ...EVER }
      assert.strictEqual((yield* Effect.flip(undoSpan(foreignSpan)))._tag, "EntryNotOwn")

      yield* performed(agent.client.products.update({ ...keyed(), id: cup.id, patch: toPatch({ stock: 1 }) }))
      const own = yield* newest
      const undoing = () => Effect.flip(undo({ ...keyed(), id: own.id }))
      yield* client.agents.update({
        ...keyed(),
        id: agent.id,
        patch: { scopes: ["read_products", "write_collections"] }
      })
      assert.deepInclude(yield* undoing(), { _tag: "AgentScopeMissing", scope: "write_products" })
      const ownSpan = { ...keyed(), actorId: agent.id, ...EVER }
      assert.deepInclude(yield* Effect.flip(undoSpan(ownSpan)), { _tag: "AgentScopeMissing", scope: "write_products" })
      yield* client.agents.update({
        ...keyed(),
        id: agent.id,
        patch: { scopes: ["write_products"], proposalsOnly: true }
      })
      assert.strictEqual((yield* undoing())._tag, "ApprovalNeeded")

      yield* client.agents.update({ ...keyed(), id: agent.id, patch: { proposalsOnly: false } })
      const { undone } = yield* performed(undo({ ...keyed(), id: own.id }))
      assert.deepNestedInclude({ undone }, { "undone[0].undoes": own.id })
      assert.deepInclude((yield* newest).actor, { type: "agent", id: agent.id })
    })
  )
})
