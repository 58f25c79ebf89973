import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Email } from "../../../src/domain/access/Merchants.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { putCustomers, putOrders } from "../../support/data/Records.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import {
  agentOf,
  callLine,
  clientOf,
  errorOf,
  freshMember,
  memberOf,
  newKey,
  post,
  sessionOf
} from "../../support/rpc/Rpc.ts"

const toEmail = Schema.decodeSync(Email)
const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)

/** A payload of every procedure of a store. The tests fail for a procedure that is missing here. */
const payloadsOf = (
  ids: Readonly<Record<"product" | "collection" | "order" | "customer" | "agent" | "entry" | "proposal", string>>,
  merchantId: string,
  email: string
) => {
  const { agent, collection, customer, entry, order, product, proposal } = ids
  return {
    "products.list": {},
    "products.get": { id: product },
    "products.create": { idempotencyKey: randomUUID(), product: { name: "Stray" } },
    "products.update": { idempotencyKey: randomUUID(), id: product, patch: { name: "Stray" } },
    "products.delete": { idempotencyKey: randomUUID(), id: product },
    "collections.list": {},
    "collections.get": { id: collection },
    "collections.create": { idempotencyKey: randomUUID(), collection: { title: "Stray" } },
    "collections.update": { idempotencyKey: randomUUID(), id: collection, patch: { title: "Stray" } },
    "collections.delete": { idempotencyKey: randomUUID(), id: collection },
    "products.search": { query: "secret" },
    "products.summaries": { ids: [product] },
    "collections.preview": { id: collection },
    "collections.why": { id: collection, productId: product },
    "inventory.change": { idempotencyKey: randomUUID(), id: product, change: { adjust: 1 } },
    "orders.list": {},
    "orders.get": { id: order },
    "customers.list": {},
    "customers.get": { id: customer },
    "activity.list": {},
    "activity.get": { id: entry },
    "activity.names": { ids: [product] },
    "activity.undo": { idempotencyKey: randomUUID(), id: entry },
    "activity.undoSpan": {
      idempotencyKey: randomUUID(),
      actorId: merchantId,
      since: "2026-01-31T09:30:00Z",
      until: "2026-01-31T09:30:00Z"
    },
    "store.get": {},
    "installations.list": {},
    "installations.get": { id: product },
    "installations.requests": { id: product },
    "installations.suspend": { idempotencyKey: randomUUID(), id: product },
    "installations.resume": { idempotencyKey: randomUUID(), id: product },
    "installations.uninstall": { idempotencyKey: randomUUID(), id: product },
    "webhooks.get": { installationId: product },
    "webhooks.pause": { idempotencyKey: randomUUID(), installationId: product },
    "webhooks.resume": { idempotencyKey: randomUUID(), installationId: product },
    "deliveries.list": { installationId: product },
    "deliveries.get": { installationId: product, eventId: product },
    "deliveries.redeliver": { idempotencyKey: randomUUID(), installationId: product, eventId: product },
    "billing.plans": { installationId: product },
    "billing.current": { installationId: product },
    "billing.subscriptions": {},
    "billing.subscribe": { idempotencyKey: randomUUID(), installationId: product, planId: product },
    "billing.change": { idempotencyKey: randomUUID(), installationId: product, planId: product },
    "billing.cancel": { idempotencyKey: randomUUID(), installationId: product },
    "members.list": {},
    "settings.update": { idempotencyKey: randomUUID(), settings: { name: "Stray" } },
    "members.join": { idempotencyKey: randomUUID(), email, role: "staff" },
    "members.leave": { idempotencyKey: randomUUID(), merchantId },
    "agents.create": { idempotencyKey: randomUUID(), agent: { name: "Stray", scopes: [] } },
    "agents.list": {},
    "agents.update": { idempotencyKey: randomUUID(), id: agent, patch: {} },
    "agents.revoke": { idempotencyKey: randomUUID(), id: agent },
    "proposals.list": {},
    "proposals.get": { id: proposal },
    "proposals.approve": { idempotencyKey: randomUUID(), id: proposal },
    "proposals.reject": { idempotencyKey: randomUUID(), id: proposal, reason: "Stray" },
    "proposals.withdraw": { idempotencyKey: randomUUID(), id: proposal }
  }
}

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

/** Procedures that name a store. The others belong to the account of the caller. */
const storeProcedures = [...Rpcs.requests.keys()].filter(
  (tag) => !/^(?:account|sessions|apps|appWebhooks|appDeliveries)\./.test(tag)
)

/** A store with one resource of each kind. */
const scene = Effect.gen(function* () {
  const member = yield* freshMember()
  const { client, email, merchantId, storeId } = member
  const product = yield* client.products
    .create({
      storeId,
      idempotencyKey: newKey(),
      product: toProduct({ name: "Secret" })
    })
    .pipe(performed)
  const collection = yield* client.collections
    .create({
      storeId,
      idempotencyKey: newKey(),
      collection: toCollection({ title: "Secret" })
    })
    .pipe(performed)
  const [entry] = (yield* client.activity.list({ storeId })).items
  const agent = yield* agentOf(member, { proposalsOnly: true })
  const change = { storeId, idempotencyKey: newKey(), id: product.id, patch: { price: 3 } }
  const proposed = yield* agent.client.products.update(change)
  const proposal = "proposal" in proposed ? proposed.proposal.id : assert.fail("The agent may only propose")
  const [customer] = yield* putCustomers(storeId, [{ name: "Secret" }])
  const [order] = yield* putOrders(storeId, [{ customerId: customer?.id }])
  const ids = {
    product: product.id,
    collection: collection.id,
    order: String(order?.id),
    customer: String(customer?.id),
    agent: agent.id,
    entry: String(entry?.id),
    proposal
  }
  return { ...member, payloads: payloadsOf(ids, merchantId, email) }
})

layer(ApiTest)("Access to procedures", (it) => {
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
