import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { MAX_PENDING, ProposalId, Proposals } from "../../../src/domain/access/Proposals.ts"
import type { JsonObject } from "../../../src/domain/json/Json.ts"
import { makeClient, performed } from "../../../src/rpc/Client.ts"
import { IsolatedApiTest } from "../../support/http/Api.ts"
import { keyedIn, proposed, proposePrice, proposer, tagOf } from "../../support/rpc/Proposals.ts"
import { startSecondServer } from "../../support/process/Process.ts"
import { agentOf, freshMember, memberOf } from "../../support/rpc/Rpc.ts"

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Decisions on proposals", (it) => {
  it.effect("rejecting or withdrawing a proposal is final, and the agent can read the reason", () =>
    Effect.gen(function* () {
      const { agent, client, merchantId, product, storeId } = yield* proposer
      const first = yield* proposePrice(agent.client, storeId, product.id, 7)
      const second = yield* proposePrice(agent.client, storeId, product.id, 8)
      const rejection = { ...keyedIn(storeId), id: first.id, reason: " Too dear " }
      const rejected = yield* client.proposals.reject(rejection)
      assert.deepInclude(rejected, { status: "rejected", reason: "Too dear", decidedBy: merchantId, result: [] })
      assert.deepStrictEqual(yield* client.proposals.reject(rejection), rejected)
      assert.deepStrictEqual(yield* agent.client.proposals.get({ storeId, id: first.id }), rejected)
      const withdrawn = yield* agent.client.proposals.withdraw({ ...keyedIn(storeId), id: second.id })
      assert.deepInclude(withdrawn, { status: "withdrawn", decidedBy: null, reason: null })

      for (const { id } of [first, second]) {
        const late = [
          client.proposals.approve({ ...keyedIn(storeId), id }),
          client.proposals.reject({ ...rejection, ...keyedIn(storeId), id }),
          agent.client.proposals.withdraw({ ...keyedIn(storeId), id })
        ]
        assert.deepStrictEqual([...new Set(yield* Effect.forEach(late, tagOf))], ["ProposalDecided"])
      }
      assert.strictEqual((yield* client.products.get({ storeId, id: product.id })).version, 1)
    })
  )

  it.effect("a member can edit the values of a proposal while approving it, and the agent sees both payloads", () =>
    Effect.gen(function* () {
      const { agent, client, merchantId, product, storeId } = yield* proposer
      const { id } = yield* proposePrice(agent.client, storeId, product.id, 7)
      const { payload } = yield* agent.client.proposals.get({ storeId, id })
      const edited = { ...payload, patch: { price: 6, stock: 9 } }
      const approval = { ...keyedIn(storeId), id, edited }
      const approved = yield* client.proposals.approve(approval)
      const result = [{ resource: "product" as const, id: product.id, version: 2 }]
      assert.deepInclude(approved, { status: "approved", payload, edited, decidedBy: merchantId, result })
      assert.deepStrictEqual(yield* client.proposals.approve(approval), approved)
      assert.deepStrictEqual(yield* agent.client.proposals.get({ storeId, id }), approved)
      assert.deepInclude(yield* client.products.get({ storeId, id: product.id }), { price: 6, stock: 9, version: 2 })
      const [entry] = (yield* client.activity.list({ storeId, resource: "product", limit: 1 })).items
      assert.deepInclude(entry, { actor: { type: "agent", id: agent.id }, approvedBy: merchantId })

      const same = yield* proposePrice(agent.client, storeId, product.id, 8)
      const proposal = yield* client.proposals.get({ storeId, id: same.id })
      assert.isNull(proposal.edited)
      const unedited = { ...keyedIn(storeId), id: same.id, edited: proposal.payload }
      assert.isNull((yield* client.proposals.approve(unedited)).edited)
    })
  )

  it.effect(
    "an edited payload of another target or with invalid values is refused, and the proposal stays pending",
    () =>
      Effect.gen(function* () {
        const { agent, client, product, storeId } = yield* proposer
        const { id: otherId } = yield* performed(
          client.products.create({ ...keyedIn(storeId), product: { name: "Mug" } })
        )
        const { id } = yield* proposePrice(agent.client, storeId, product.id, 7)
        const { payload } = yield* client.proposals.get({ storeId, id })
        const issuesOf = (edited: JsonObject) =>
          Effect.map(Effect.flip(client.proposals.approve({ ...keyedIn(storeId), id, edited })), (error) =>
            error._tag === "BadRequest" ? error.issues : assert.fail(error._tag)
          )
        const asProposed = "must be as in the proposal; only its values can be edited"
        for (const [name, value] of [
          ["storeId", randomUUID()],
          ["id", otherId],
          ["idempotencyKey", randomUUID()],
          ["expectedVersion", 1],
          ["dryRun", true],
          ["reason", "Mine"]
        ] as const) {
          assert.deepStrictEqual(yield* issuesOf({ ...payload, [name]: value }), [`${name}: ${asProposed}`])
        }
        assert.deepStrictEqual(yield* issuesOf({ ...payload, patch: { price: -1 } }), [
          "patch.price: must be a number from 0 to 999999999999999"
        ])
        assert.deepStrictEqual(yield* issuesOf({ ...payload, product: { name: "Pot" } }), [
          "product: is not a field that can be set"
        ])
        assert.strictEqual((yield* client.proposals.get({ storeId, id })).status, "pending")
        const stock = { ...keyedIn(storeId), id: product.id, change: { adjust: 1 } }
        const ofStock = yield* proposed(agent.client.inventory.change(stock))
        const edited = { ...stock, change: { adjust: 1, variantId: randomUUID() } }
        const refused = yield* Effect.flip(client.proposals.approve({ ...keyedIn(storeId), id: ofStock.id, edited }))
        assert.deepInclude({ ...refused }, { issues: [`change.variantId: ${asProposed}`] })
        for (const one of [product.id, otherId]) {
          assert.strictEqual((yield* client.products.get({ storeId, id: one })).version, 1)
        }
      })
  )

  it.effect("only one of 64 concurrent approvals, rejections and withdrawals on two servers succeeds", () =>
    Effect.gen(function* () {
      const { agent, client, cookie, email: _, product, storeId } = yield* proposer
      const url = `${yield* startSecondServer}/rpc`
      const servers = [
        { member: client, agent: agent.client },
        {
          member: yield* makeClient({ url, headers: { cookie } }),
          agent: yield* makeClient({ url, headers: { authorization: agent.authorization } })
        }
      ]
      for (const _ of "abc") {
        const { version } = yield* client.products.get({ storeId, id: product.id })
        const { id } = yield* proposePrice(agent.client, storeId, product.id, 10 + version)
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 64 }, (_, index) => index),
          (index) => {
            const server = servers[index % 2] ?? assert.fail("There are two servers")
            const call = { ...keyedIn(storeId), id }
            if (index % 16 === 1) return tagOf(server.agent.proposals.withdraw(call))
            return tagOf(
              index % 8 === 4
                ? server.member.proposals.reject({ ...call, reason: "No" })
                : server.member.proposals.approve(call)
            )
          },
          { concurrency: "unbounded" }
        )
        const expected = ["done", ...outcomes.slice(1).map(() => "ProposalDecided")]
        assert.sameMembers(outcomes, expected)
        const { status } = yield* client.proposals.get({ storeId, id })
        const after = yield* client.products.get({ storeId, id: product.id })
        assert.strictEqual(after.version, status === "approved" ? version + 1 : version)
      }
    })
  )

  it.effect("only members decide proposals of their store, and agents read and withdraw only their own", () =>
    Effect.gen(function* () {
      const { agent, client, product, storeId } = yield* proposer
      const other = yield* agentOf({ client, storeId })
      const stranger = yield* freshMember()
      const { id } = yield* proposePrice(agent.client, storeId, product.id, 7)
      assert.deepStrictEqual((yield* other.client.proposals.list({ storeId })).items, [])
      assert.lengthOf((yield* agent.client.proposals.list({ storeId })).items, 1)
      const foreignCalls = [
        tagOf(other.client.proposals.get({ storeId, id })),
        tagOf(other.client.proposals.withdraw({ ...keyedIn(storeId), id })),
        tagOf(stranger.client.proposals.get({ storeId: stranger.storeId, id })),
        tagOf(stranger.client.proposals.approve({ ...keyedIn(stranger.storeId), id })),
        tagOf(client.proposals.get({ storeId, id: ProposalId.make(randomUUID()) }))
      ]
      assert.deepStrictEqual([...new Set(yield* Effect.all(foreignCalls))], ["ProposalNotFound"])
      const decisionsOfAgent = [
        tagOf(agent.client.proposals.approve({ ...keyedIn(storeId), id })),
        tagOf(agent.client.proposals.reject({ ...keyedIn(storeId), id, reason: "No" }))
      ]
      assert.deepStrictEqual(yield* Effect.all(decisionsOfAgent), ["AgentRefused", "AgentRefused"])
      const staff = yield* memberOf(storeId, "staff")
      assert.strictEqual((yield* staff.client.proposals.approve({ ...keyedIn(storeId), id })).status, "approved")
    })
  )

  it.effect("decided proposals are listed without the pending ones, newest first, in pages", () =>
    Effect.gen(function* () {
      const { agent, client, product, storeId } = yield* proposer
      const [first, second, third] = yield* Effect.forEach([4, 5, 6, 7], (price) =>
        proposePrice(agent.client, storeId, product.id, price)
      )
      yield* client.proposals.reject({ ...keyedIn(storeId), id: first?.id ?? assert.fail(), reason: "Too cheap" })
      yield* agent.client.proposals.withdraw({ ...keyedIn(storeId), id: second?.id ?? assert.fail() })
      yield* client.proposals.approve({ ...keyedIn(storeId), id: third?.id ?? assert.fail() })
      const request = { storeId, pending: false, limit: 2 }
      const newest = yield* client.proposals.list(request)
      assert.deepStrictEqual(
        newest.items.map(({ id, status }) => [id, status]),
        [
          [third?.id, "approved"],
          [second?.id, "withdrawn"]
        ]
      )
      const older = yield* client.proposals.list({ ...request, cursor: newest.nextCursor ?? assert.fail() })
      assert.isNull(older.nextCursor)
      assert.deepStrictEqual(
        older.items.map(({ id }) => id),
        [first?.id]
      )
    })
  )

  it.effect("a proposal expires after 7 days and is deleted after 30", () =>
    Effect.gen(function* () {
      const { agent, client, product, storeId } = yield* proposer
      const { purge } = yield* Proposals
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* proposePrice(agent.client, storeId, product.id, 7)
      const passDays = (days: number) => sql`
        update proposals set created_at = created_at - ${days} * interval '1 day', expires_at = expires_at - ${days} * interval '1 day'
        where store_id = ${storeId}
      `
      yield* passDays(8)
      assert.deepInclude(yield* agent.client.proposals.get({ storeId, id }), { status: "expired" })
      assert.deepStrictEqual((yield* client.proposals.list({ storeId, pending: true })).items, [])
      const late = yield* Effect.flip(client.proposals.approve({ ...keyedIn(storeId), id }))
      assert.deepInclude({ ...late }, { _tag: "ProposalDecided", status: "expired" })
      yield* purge
      assert.lengthOf((yield* client.proposals.list({ storeId })).items, 1)
      yield* passDays(23)
      assert.strictEqual(yield* purge, 1)
      assert.deepStrictEqual((yield* client.proposals.list({ storeId })).items, [])
    })
  )

  it.effect("an agent cannot exceed its limit of pending proposals, even with concurrent writes", () =>
    Effect.gen(function* () {
      const { agent, product, storeId } = yield* proposer
      const sql = yield* SqlClient.SqlClient
      yield* proposePrice(agent.client, storeId, product.id, 7)
      yield* sql`
        insert into proposals (store_id, id, agent_id, procedure, payload, based_on, created_at, expires_at)
        select store_id, gen_random_uuid(), agent_id, procedure, payload, based_on, created_at, expires_at
        from proposals, generate_series(1, ${MAX_PENDING - 4}) where store_id = ${storeId}
      `
      const outcomes = yield* Effect.all(
        Array.from({ length: 10 }, (_, index) => tagOf(proposePrice(agent.client, storeId, product.id, 20 + index))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(outcomes.toSorted(), [
        ...Array.from({ length: 7 }, () => "TooManyProposals"),
        "done",
        "done",
        "done"
      ])
    })
  )
})
