import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Proposed } from "../../../src/domain/access/Proposals.ts"
import { CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import type { ProposalId } from "../../../src/domain/access/Proposals.ts"
import { CreateProduct, type UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { callTool } from "../../support/rpc/Mcp.ts"
import { keyedIn, proposePrice, proposed, proposer, tagOf } from "../../support/rpc/Proposals.ts"
import { callLine, exitsOf, newKey, post } from "../../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Proposals", (it) => {
  it.effect(
    "a write of a proposals-only agent waits for approval, and the journal names the agent and the approver",
    () =>
      Effect.gen(function* () {
        const { agent, client, merchantId, product, storeId } = yield* proposer
        const price = 0.12345678901234568
        const request = { ...keyedIn(storeId), id: product.id, patch: { price } }
        const proposal = yield* proposed(agent.client.products.update(request))
        const basedOn = [{ resource: "product" as const, id: product.id, version: 1 }]
        assert.deepInclude(proposal, { status: "pending", basedOn })
        assert.deepStrictEqual(yield* client.products.get({ storeId, id: product.id }), product)

        const { items } = yield* client.proposals.list({ storeId, pending: true })
        assert.lengthOf(items, 1)
        const stored = yield* agent.client.proposals.get({ storeId, id: proposal.id })
        assert.deepStrictEqual(items, [stored])
        const pending = {
          agentId: agent.id,
          procedure: "products.update",
          status: "pending" as const,
          basedOn,
          result: []
        }
        assert.deepInclude(stored, { ...pending, reason: null, decidedBy: null, decidedAt: null })
        assert.deepInclude(stored.payload, { id: product.id, patch: { price }, idempotencyKey: request.idempotencyKey })

        const approval = { ...keyedIn(storeId), id: proposal.id }
        const approved = yield* client.proposals.approve(approval)
        const result = [{ resource: "product" as const, id: product.id, version: 2 }]
        assert.deepInclude(approved, { ...pending, status: "approved", decidedBy: merchantId, result })
        assert.deepStrictEqual(yield* client.proposals.approve(approval), approved)
        assert.deepStrictEqual(yield* agent.client.proposals.get({ storeId, id: proposal.id }), approved)
        assert.deepInclude(yield* client.products.get({ storeId, id: product.id }), { price, version: 2 })
        assert.deepStrictEqual((yield* client.proposals.list({ storeId, pending: true })).items, [])

        const sql = yield* SqlClient.SqlClient
        const journalRows = yield* sql`
        select j.actor_type, j.actor_id, j.approved_by, j.idempotency_key, payload::json -> 'actor' as actor
        from journal j join events using (store_id, id) where store_id = ${storeId} and version = 2
      `
        assert.deepStrictEqual(journalRows, [
          {
            actor_type: "agent",
            actor_id: agent.id,
            approved_by: merchantId,
            idempotency_key: approval.idempotencyKey,
            actor: { type: "agent" }
          }
        ])
      })
  )

  it.effect("every catalog write can be proposed, and its approval performs the write", () =>
    Effect.gen(function* () {
      const { agent, client, product, storeId } = yield* proposer
      const { collections, products } = agent.client
      const approve = (write: Effect.Effect<typeof Proposed.Type | object, unknown>) =>
        Effect.gen(function* () {
          const { id } = yield* proposed(Effect.orDie(write))
          const { result } = yield* client.proposals.approve({ ...keyedIn(storeId), id })
          return result[0]?.id ?? assert.fail("Nothing was made")
        })
      const createdId = yield* approve(products.create({ ...keyedIn(storeId), product: toProduct({ name: "Mug" }) }))
      const collection = { title: "All", rules: [{ field: "price", relation: "less_than", value: 9 }] }
      const collectionId = yield* approve(
        collections.create({ ...keyedIn(storeId), collection: toCollection(collection) })
      )
      const [{ id: listedId, productIds } = assert.fail("It is there")] = (yield* client.collections.list({ storeId }))
        .items
      assert.strictEqual(listedId, collectionId)
      assert.sameMembers([...productIds], [product.id, createdId])
      yield* approve(collections.update({ ...keyedIn(storeId), id: listedId, patch: { title: "Some" } }))
      assert.strictEqual((yield* client.collections.get({ storeId, id: listedId })).title, "Some")
      yield* approve(collections.delete({ ...keyedIn(storeId), id: listedId }))
      yield* approve(products.delete({ ...keyedIn(storeId), id: product.id, expectedVersion: 1 }))
      assert.deepStrictEqual((yield* client.collections.list({ storeId })).items, [])
      assert.deepStrictEqual(
        (yield* client.products.list({ storeId })).items.map(({ id }) => id),
        [createdId]
      )
    })
  )

  it.effect("the reason of an agent is part of its proposal and of the journal entry, through RPC and MCP", () =>
    Effect.gen(function* () {
      const { agent, client, product, storeId } = yield* proposer
      const { id } = product
      const reasonOf = Effect.gen(function* () {
        const entries = yield* client.activity.list({ storeId, resource: "product", limit: 1 })
        return entries.items[0]?.reason
      })
      const approve = Effect.gen(function* () {
        const [pending = assert.fail("One waits")] = (yield* client.proposals.list({ storeId, pending: true })).items
        yield* client.proposals.approve({ ...keyedIn(storeId), id: pending.id })
        return pending.payload["reason"]
      })

      yield* proposed(
        agent.client.products.update({ ...keyedIn(storeId), id, patch: { price: 4 }, reason: " Costs rose " })
      )
      assert.strictEqual(yield* approve, " Costs rose ")
      assert.strictEqual(yield* reasonOf, "Costs rose")
      const fields = yield* client.activity.fields({ storeId, resource: "product", resourceId: id })
      assert.deepInclude(
        fields.items.find(({ fields }) => fields.includes("price")),
        { reason: "Costs rose" }
      )

      const token = agent.authorization.replace("Bearer ", "")
      const change = { id, change: { adjust: 1 }, reason: "One was returned" }
      yield* callTool(token, "inventory_change", { ...change, idempotencyKey: newKey() })
      assert.strictEqual(yield* approve, "One was returned")
      assert.strictEqual(yield* reasonOf, "One was returned")
      const precise = { ...change, change: { adjust: 1, reason: "Found behind a shelf" }, idempotencyKey: newKey() }
      yield* callTool(token, "inventory_change", precise)
      yield* approve
      assert.strictEqual(yield* reasonOf, "Found behind a shelf")

      const long = yield* callTool(token, "products_delete", { id, reason: "x".repeat(501), idempotencyKey: newKey() })
      assert.isTrue(long.isError)
      assert.include(long.content[0].text, "reason: must be text of 1 to 500 characters")
    })
  )

  it.effect("failed writes, writes without changes and dry runs create no proposal", () =>
    Effect.gen(function* () {
      const { agent, client, product, storeId } = yield* proposer
      const { products } = agent.client
      const withTakenSlug = products.create({ ...keyedIn(storeId), product: toProduct({ name: "Cup", slug: "cup" }) })
      assert.strictEqual(yield* tagOf(withTakenSlug), "SlugTaken")
      const stale = { ...keyedIn(storeId), id: product.id, patch: { price: 4 }, expectedVersion: 7 }
      assert.strictEqual(yield* tagOf(products.update(stale)), "VersionMismatch")
      const unchanged = { ...keyedIn(storeId), id: product.id, patch: { name: "Cup" } }
      assert.deepStrictEqual(yield* products.update(unchanged), product)
      const request = { ...keyedIn(storeId), product: toProduct({ name: "Mug" }) }
      const dryRun = yield* products.create({ ...request, dryRun: true })
      assert.isTrue("dryRun" in dryRun)
      assert.deepStrictEqual((yield* client.proposals.list({ storeId })).items, [])
      assert.strictEqual((yield* client.store.get({ storeId })).productCount, 1)
      yield* proposed(products.create(request))
      assert.strictEqual((yield* client.store.get({ storeId })).productCount, 1)
    })
  )

  it.effect("a repeated write returns the same proposal, also after its approval, and uses the budget once", () =>
    Effect.gen(function* () {
      const { agent, client, storeId } = yield* proposer
      const { authorization, id } = agent
      yield* client.agents.update({ ...keyedIn(storeId), id, patch: { budget: 1 } })
      const body = callLine("products.create", { ...keyedIn(storeId), product: { name: "Jug", slug: "jug" } })
      const responses = yield* Effect.all(
        Array.from({ length: 8 }, () => post(body, { authorization })),
        { concurrency: "unbounded" }
      )
      const [{ text } = assert.fail("There are eight")] = responses
      for (const response of responses) assert.strictEqual(response.text, text)
      assert.strictEqual([...exitsOf(text).values()][0]?._tag, "Success")
      const [pending = assert.fail("One waits")] = (yield* client.proposals.list({ storeId })).items
      assert.strictEqual((yield* client.proposals.list({ storeId })).items.length, 1)
      yield* client.proposals.approve({ ...keyedIn(storeId), id: pending.id })
      // By now the slug is taken, and the budget spent.
      assert.strictEqual((yield* post(body, { authorization })).text, text)
      const other = agent.client.products.create({ ...keyedIn(storeId), product: toProduct({ name: "Pot" }) })
      assert.strictEqual(yield* tagOf(other), "BudgetSpent")
    })
  )

  it.effect("approving a proposal for an outdated version fails with the current version, and it stays pending", () =>
    Effect.gen(function* () {
      const { agent, client, product, storeId } = yield* proposer
      const { id } = product
      const pending = [
        yield* proposePrice(agent.client, storeId, id, 7),
        yield* proposed(
          agent.client.products.update({ ...keyedIn(storeId), id, patch: { price: 8 }, expectedVersion: 1 })
        ),
        yield* proposed(agent.client.products.delete({ ...keyedIn(storeId), id }))
      ]
      const approvalErrors = Effect.gen(function* () {
        const approvals = pending.map(({ id }) => Effect.flip(client.proposals.approve({ ...keyedIn(storeId), id })))
        return yield* Effect.forEach(approvals, (approval) => Effect.map(approval, (error): object => ({ ...error })))
      })
      yield* client.products.update({ ...keyedIn(storeId), id, patch: { price: 6 } })
      const basedOn = { _tag: "ProposalOutdated", resource: "product", id, proposed: 1 }
      for (const error of yield* approvalErrors) assert.deepInclude(error, { ...basedOn, current: 2 })
      yield* client.products.delete({ ...keyedIn(storeId), id })
      for (const error of yield* approvalErrors) assert.deepInclude(error, { ...basedOn, current: null })
      assert.lengthOf((yield* client.proposals.list({ storeId, pending: true })).items, 3)
    })
  )

  it.effect("a proposal is outdated only if a member that it changes or computes from has changed", () =>
    Effect.gen(function* () {
      const { agent, client, product, storeId } = yield* proposer
      const { id } = product
      const patched = (patch: typeof UpdateProduct.Type) =>
        proposed(agent.client.products.update({ ...keyedIn(storeId), id, patch }))
      const approve = (proposal: { readonly id: ProposalId }) =>
        tagOf(client.proposals.approve({ ...keyedIn(storeId), id: proposal.id }))
      const sell = Effect.suspend(() => client.inventory.change({ ...keyedIn(storeId), id, change: { adjust: -1 } }))

      const [price, name] = [yield* patched({ price: 7 }), yield* patched({ name: "Mug", stock: 9 })]
      const adjusted = yield* proposed(
        agent.client.inventory.change({ ...keyedIn(storeId), id, change: { adjust: 10 } })
      )
      const conditional = yield* proposed(
        agent.client.products.update({ ...keyedIn(storeId), id, patch: { price: 8 }, expectedVersion: 1 })
      )
      yield* sell
      assert.deepStrictEqual(yield* Effect.forEach([price, name, adjusted, conditional], approve), [
        "done",
        "ProposalOutdated",
        "done",
        "ProposalOutdated"
      ])
      const refused = yield* Effect.flip(client.proposals.approve({ ...keyedIn(storeId), id: name.id }))
      assert.deepInclude({ ...refused }, { members: ["stock"], proposed: 1, current: 4 })
      assert.deepInclude(yield* client.products.get({ storeId, id }), { name: "Cup", price: 7, stock: 14 })

      const variants = [{ title: "S", price: 5, stock: 3 }, { title: "M" }]
      yield* client.products.update({ ...keyedIn(storeId), id, patch: { variants } })
      const [small, medium] = (yield* client.products.get({ storeId, id })).variants
      const ids = [{ id: small?.id ?? null, price: 6 }, { id: medium?.id ?? null }]
      const ofVariant = yield* patched({ variants: ids })
      const change = { adjust: -1, variantId: small?.id ?? assert.fail("There are two") }
      yield* client.inventory.change({ ...keyedIn(storeId), id, change })
      assert.strictEqual(yield* approve(ofVariant), "done")
      assert.deepInclude((yield* client.products.get({ storeId, id })).variants[0], { price: 6, stock: 2 })

      const { id: collection } = yield* performed(
        client.collections.create({ ...keyedIn(storeId), collection: toCollection({ title: "All" }) })
      )
      const titled = (patch: object) =>
        proposed(agent.client.collections.update({ ...keyedIn(storeId), id: collection, patch }))
      const [title, description] = [yield* titled({ title: "Mine" }), yield* titled({ description: "New" })]
      yield* client.collections.update({ ...keyedIn(storeId), id: collection, patch: { title: "Theirs" } })
      assert.deepStrictEqual(yield* Effect.forEach([title, description], approve), ["ProposalOutdated", "done"])
    })
  )

  it.effect("a proposal whose approval fails for another reason can be approved later", () =>
    Effect.gen(function* () {
      const { agent, client, storeId } = yield* proposer
      const jug = { ...keyedIn(storeId), product: toProduct({ name: "Jug", slug: "jug" }) }
      const { id } = yield* proposed(agent.client.products.create(jug))
      const other = yield* performed(client.products.create({ ...jug, idempotencyKey: newKey() }))
      const approval = { ...keyedIn(storeId), id }
      assert.strictEqual(yield* tagOf(client.proposals.approve(approval)), "SlugTaken")
      yield* client.products.delete({ ...keyedIn(storeId), id: other.id })
      assert.strictEqual((yield* client.proposals.approve(approval)).status, "approved")
    })
  )
})
