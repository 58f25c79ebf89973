import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Presence } from "../../../src/domain/access/Presence.ts"
import { makeClient } from "../../../src/rpc/Client.ts"
import { IsolatedApiTest } from "../../support/http/Api.ts"
import { startSecondServer } from "../../support/process/Process.ts"
import { tagOf } from "../../support/rpc/Proposals.ts"
import { agentOf, freshMember, memberOf, newKey } from "../../support/rpc/Rpc.ts"

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Presence", (it) => {
  it.effect("members see who else has the same form open, on every server, until they leave", () =>
    Effect.gen(function* () {
      const { storeId, ...ada } = yield* freshMember()
      const bob = yield* memberOf(storeId, "staff")
      const url = `${yield* startSecondServer}/rpc`
      const bobElsewhere = yield* makeClient({ url, headers: { cookie: bob.cookie } })
      const form = { storeId, kind: "product" as const, id: randomUUID(), isOpen: true }
      assert.deepStrictEqual(yield* ada.client.presence.announce(form), [])
      assert.deepStrictEqual(yield* ada.client.presence.announce(form), [], "A member is not told of themselves")
      const [seen, ...others] = yield* bobElsewhere.presence.announce(form)
      assert.deepInclude(seen, { memberId: ada.merchantId, name: "Ada" })
      assert.deepStrictEqual(others, [])
      const [again] = yield* bobElsewhere.presence.announce(form)
      assert.strictEqual(again?.openedAt, seen?.openedAt)
      const ids = Effect.map(ada.client.presence.announce(form), (members) => members.map(Struct.get("memberId")))
      assert.deepStrictEqual(yield* ids, [bob.merchantId])

      assert.deepStrictEqual(yield* bobElsewhere.presence.announce({ ...form, isOpen: false }), [])
      assert.deepStrictEqual(yield* ids, [])
    })
  )

  it.effect("a form of another kind, resource or store is another form, and agents and strangers are refused", () =>
    Effect.gen(function* () {
      const { storeId, ...ada } = yield* freshMember()
      const bob = yield* memberOf(storeId)
      const stranger = yield* freshMember()
      const form = { storeId, kind: "product" as const, id: randomUUID(), isOpen: true }
      yield* ada.client.presence.announce(form)
      assert.deepStrictEqual(yield* bob.client.presence.announce({ ...form, kind: "collection" }), [])
      assert.deepStrictEqual(yield* bob.client.presence.announce({ ...form, id: randomUUID() }), [])
      assert.deepStrictEqual(yield* stranger.client.presence.announce({ ...form, storeId: stranger.storeId }), [])
      assert.strictEqual(yield* tagOf(stranger.client.presence.announce(form)), "StoreNotFound")
      const agent = yield* agentOf({ client: ada.client, storeId })
      assert.strictEqual(yield* tagOf(agent.client.presence.announce(form)), "AgentRefused")
      assert.deepStrictEqual(yield* ada.client.presence.announce(form), [])
    })
  )

  it.effect("a form that is not announced for 25 seconds, or whose member was removed, is no longer open", () =>
    Effect.gen(function* () {
      const { storeId, ...ada } = yield* freshMember()
      const bob = yield* memberOf(storeId, "staff")
      const form = { storeId, kind: "store" as const, id: storeId, isOpen: true }
      const { purge } = yield* Presence
      const sql = yield* SqlClient.SqlClient
      const passSeconds = (seconds: number) => sql`
        update open_forms set opened_at = opened_at - ${seconds} * interval '1 second',
          expires_at = expires_at - ${seconds} * interval '1 second'
        where store_id = ${storeId}
      `
      yield* bob.client.presence.announce(form)
      yield* passSeconds(20)
      const [open] = yield* ada.client.presence.announce(form)
      assert.strictEqual(open?.memberId, bob.merchantId)
      yield* passSeconds(6)
      assert.deepStrictEqual(yield* ada.client.presence.announce(form), [])
      assert.strictEqual(yield* purge, 1)

      yield* bob.client.presence.announce(form)
      yield* passSeconds(26)
      yield* bob.client.presence.announce(form)
      const [reopened] = yield* ada.client.presence.announce(form)
      assert.isAbove(Date.parse(reopened?.openedAt ?? ""), Date.parse(open?.openedAt ?? ""))
      yield* ada.client.members.leave({ storeId, idempotencyKey: newKey(), merchantId: bob.merchantId })
      assert.deepStrictEqual(yield* ada.client.presence.announce(form), [])
    })
  )
})
