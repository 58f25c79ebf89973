import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Email } from "../../../src/domain/access/Merchants.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { scene, storeProcedures } from "../../support/rpc/Payloads.ts"
import { callLine, clientOf, errorOf, freshMember, memberOf, newKey, post, sessionOf } from "../../support/rpc/Rpc.ts"

const toEmail = Schema.decodeSync(Email)

/** The error of each resource for an id that the store does not have. */
const NOT_FOUND: Readonly<Record<string, string>> = {
  products: "ProductNotFound",
  agents: "AgentNotFound",
  proposals: "ProposalNotFound",
  activity: "EntryNotFound",
  inventory: "ProductNotFound",
  collections: "CollectionNotFound",
  orders: "OrderNotFound",
  customers: "CustomerNotFound"
}

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Access to procedures", (it) => {
  it.effect("every store procedure fails with StoreNotFound for a foreign, a deleted and an unknown store", () =>
    Effect.gen(function* () {
      const { client, payloads, storeId } = yield* scene
      const stranger = yield* freshMember()
      const deleted = yield* freshMember()
      yield* Effect.flatMap(Stores, (stores) => stores.delete(deleted.storeId))
      const before = yield* client.products.list({ storeId })

      assert.sameMembers(Object.keys(payloads), storeProcedures)
      for (const [tag, payload] of Object.entries(payloads)) {
        const call = (storeId: string, cookie: string) => post(callLine(tag, { storeId, ...payload }), { cookie })
        const refused = yield* call(storeId, stranger.cookie)
        assert.deepStrictEqual(errorOf(refused.text), { _tag: "StoreNotFound" }, tag)
        assert.strictEqual((yield* call(deleted.storeId, deleted.cookie)).text, refused.text, tag)
        assert.strictEqual((yield* call(randomUUID(), stranger.cookie)).text, refused.text, tag)
      }
      assert.deepStrictEqual(yield* client.products.list({ storeId }), before)
    })
  )

  it.effect("ids of another store are not found, and that store does not change", () =>
    Effect.gen(function* () {
      const { client, payloads, storeId } = yield* scene
      const stranger = yield* freshMember()
      const before = [yield* client.products.list({ storeId }), yield* client.collections.list({ storeId })]
      const members = yield* client.members.list({ storeId })

      const proceduresById = Object.entries(payloads).filter(
        ([tag, payload]) => "id" in payload && (tag.split(".")[0] ?? "") in NOT_FOUND
      )
      assert.lengthOf(proceduresById, 19)
      for (const [tag, payload] of proceduresById) {
        const { text } = yield* post(callLine(tag, { storeId: stranger.storeId, ...payload }), {
          cookie: stranger.cookie
        })
        assert.strictEqual(errorOf(text)?.["_tag"], NOT_FOUND[tag.split(".")[0] ?? ""], tag)
      }
      const leaving = { ...payloads["members.leave"], storeId: stranger.storeId }
      const left = yield* post(callLine("members.leave", leaving), { cookie: stranger.cookie })
      assert.strictEqual(errorOf(left.text)?.["_tag"], "MemberNotFound")
      assert.deepStrictEqual(
        [yield* client.products.list({ storeId }), yield* client.collections.list({ storeId })],
        before
      )
      assert.deepStrictEqual(yield* client.members.list({ storeId }), members)
    })
  )

  it.effect(
    "every procedure requires a session or token in the HTTP headers and ignores headers of the RPC message",
    () =>
      Effect.gen(function* () {
        const { cookie, payloads, storeId } = yield* scene
        const token = cookie.replace("session=", "")
        const headers = [
          ["cookie", cookie],
          ["authorization", `Bearer ${token}`]
        ]
        for (const tag of Rpcs.requests.keys()) {
          const payload = { storeId, ...Object.entries(payloads).find(([name]) => name === tag)?.[1] }
          for (const http of [
            {},
            { cookie: "session=nobody" },
            { authorization: `Bearer ${token}` },
            { cookie: `__Host-${cookie}` }
          ]) {
            const { status, text } = yield* post(callLine(tag, payload, { headers }), http)
            assert.strictEqual(status, 200)
            const expected = "authorization" in http ? "InvalidToken" : "NotSignedIn"
            assert.deepStrictEqual(errorOf(text), { _tag: expected }, tag)
          }
        }
      })
  )

  it.effect("an ended session is rejected on its next request, and no account can end sessions of another", () =>
    Effect.gen(function* () {
      const { client, cookie, email, storeId } = yield* freshMember()
      const stranger = yield* freshMember()
      const second = yield* clientOf(yield* sessionOf(email))
      const sessions = yield* client.sessions.list({})
      assert.deepStrictEqual(
        sessions.map(({ isCurrent }) => isCurrent),
        [false, true]
      )
      const [newest] = sessions
      if (newest === undefined) return assert.fail("There are two sessions")

      const { sessionId } = newest
      assert.deepStrictEqual(yield* stranger.client.sessions.end({ sessionId }), { sessionId })
      yield* second.store.get({ storeId })
      for (const _ of "twice") assert.deepStrictEqual(yield* client.sessions.end({ sessionId }), { sessionId })
      assert.strictEqual((yield* Effect.flip(second.store.get({ storeId })))._tag, "NotSignedIn")

      // A session can end itself.
      const currentSessionId = sessions[1]?.sessionId
      yield* post(callLine("sessions.end", { sessionId: currentSessionId }), { cookie })
      assert.strictEqual((yield* Effect.flip(client.sessions.list({})))._tag, "NotSignedIn")
    })
  )

  it.effect("only owners list, add and remove members, and the last owner cannot leave", () =>
    Effect.gen(function* () {
      const { client, merchantId, storeId } = yield* freshMember()
      const staff = yield* memberOf(storeId, "staff")
      const guest = yield* makeMerchant()

      yield* staff.client.products.list({ storeId })
      const calls = [
        Effect.flip(staff.client.members.list({ storeId })),
        Effect.flip(
          staff.client.members.join({ storeId, idempotencyKey: newKey(), email: guest.email, role: "owner" })
        ),
        Effect.flip(staff.client.members.leave({ storeId, idempotencyKey: newKey(), merchantId }))
      ]
      for (const call of calls) assert.strictEqual((yield* call)._tag, "OwnersOnly")

      const joined = { merchantId: guest.id, role: "staff" as const }
      for (const _ of "ab") {
        const request = { storeId, idempotencyKey: newKey(), email: guest.email, role: "staff" as const }
        assert.deepStrictEqual(yield* client.members.join(request), joined)
      }
      const listed = (yield* client.members.list({ storeId })).find((one) => one.merchantId === guest.id)
      assert.deepInclude(listed, { name: "Ada", email: guest.email, role: "staff" })
      assert.instanceOf(listed?.createdAt, Date)
      const { merchantId: staffId } = staff
      const leave = () => client.members.leave({ storeId, idempotencyKey: newKey(), merchantId: staffId })
      assert.deepStrictEqual(yield* leave(), { merchantId: staffId })
      assert.strictEqual((yield* Effect.flip(leave()))._tag, "MemberNotFound")
      assert.strictEqual((yield* Effect.flip(staff.client.products.list({ storeId })))._tag, "StoreNotFound")

      const alone = yield* freshMember()
      const last = { storeId: alone.storeId, idempotencyKey: newKey(), merchantId: alone.merchantId }
      assert.strictEqual((yield* Effect.flip(alone.client.members.leave(last)))._tag, "LastOwner")
      const unknownEmail = {
        storeId,
        idempotencyKey: newKey(),
        email: toEmail("nobody@example.com"),
        role: "owner" as const
      }
      assert.strictEqual((yield* Effect.flip(client.members.join(unknownEmail)))._tag, "MerchantNotFound")
    })
  )
})
