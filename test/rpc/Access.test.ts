import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Email } from "../../src/domain/access/Merchants.ts"
import { Stores } from "../../src/domain/access/Stores.ts"
import { CreateCollection } from "../../src/domain/catalog/Collection.ts"
import { CreateProduct } from "../../src/domain/catalog/Product.ts"
import { performed } from "../../src/rpc/Client.ts"
import { Rpcs } from "../../src/rpc/Rpcs.ts"
import { ApiTest } from "../support/Api.ts"
import {
  callLine,
  clientOf,
  errorOf,
  freshMember,
  makeMerchant,
  memberOf,
  newKey,
  post,
  sessionOf
} from "../support/Rpc.ts"

const toEmail = Schema.decodeSync(Email)
const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)

/** What each procedure is asked with in a store of its own: a procedure that is not here fails the tests that walk them. */
const payloadsOf = (product: string, collection: string, entry: string, merchantId: string, email: string) => {
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
    "activity.list": {},
    "activity.get": { id: entry },
    "activity.undo": { idempotencyKey: randomUUID(), id: entry },
    "activity.undoSpan": {
      idempotencyKey: randomUUID(),
      actorId: merchantId,
      since: "2026-01-31T09:30:00Z",
      until: "2026-01-31T09:30:00Z"
    },
    "store.get": {},
    "members.list": {},
    "members.join": { email, role: "staff" },
    "members.leave": { merchantId }
  }
}

const inStores = [...Rpcs.requests.keys()].filter((tag) => !tag.startsWith("sessions."))

/** A store with something in it. */
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
  return { ...member, payloads: payloadsOf(product.id, collection.id, entry?.id ?? "", merchantId, email) }
})

layer(ApiTest)("who may call", (it) => {
  it.scoped("another store, one that was deleted and none are refused alike, on every procedure that names one", () =>
    Effect.gen(function* () {
      const { client, payloads, storeId } = yield* scene
      const stranger = yield* freshMember()
      const deleted = yield* freshMember()
      yield* Effect.flatMap(Stores, (stores) => stores.delete(deleted.storeId))
      const before = yield* client.products.list({ storeId })

      assert.sameMembers(Object.keys(payloads), inStores)
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

  it.scoped("ids of another store mean nothing in one's own", () =>
    Effect.gen(function* () {
      const { client, payloads, storeId } = yield* scene
      const stranger = yield* freshMember()
      const before = [yield* client.products.list({ storeId }), yield* client.collections.list({ storeId })]
      const members = yield* client.members.list({ storeId })

      const named = Object.entries(payloads).filter(([, payload]) => "id" in payload)
      assert.lengthOf(named, 8)
      for (const [tag, payload] of named) {
        const { text } = yield* post(callLine(tag, { storeId: stranger.storeId, ...payload }), {
          cookie: stranger.cookie
        })
        const expected = { products: "ProductNotFound", collections: "CollectionNotFound", activity: "EntryNotFound" }
        assert.propertyVal(expected, tag.split(".")[0] ?? "", errorOf(text)?.["_tag"], tag)
      }
      const leaving = { ...payloads["members.leave"], storeId: stranger.storeId }
      const left = yield* post(callLine("members.leave", leaving), { cookie: stranger.cookie })
      assert.isUndefined(errorOf(left.text))
      assert.deepStrictEqual(
        [yield* client.products.list({ storeId }), yield* client.collections.list({ storeId })],
        before
      )
      assert.deepStrictEqual(yield* client.members.list({ storeId }), members)
    })
  )

  it.scoped("who is not signed in is refused on every procedure, whatever the call says of itself", () =>
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
          assert.deepStrictEqual(errorOf(text), { _tag: "NotSignedIn" }, tag)
        }
      }
    })
  )

  it.scoped("a session that is ended is refused with its next call, and nobody ends another's", () =>
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

      // Its own, in the same body as a call that needs it: that call had begun with who it was.
      const own = sessions[1]?.sessionId
      yield* post(callLine("sessions.end", { sessionId: own }), { cookie })
      assert.strictEqual((yield* Effect.flip(client.sessions.list({})))._tag, "NotSignedIn")
    })
  )

  it.scoped("owners let members in and out; staff is refused; one owner stays", () =>
    Effect.gen(function* () {
      const { client, merchantId, storeId } = yield* freshMember()
      const staff = yield* memberOf(storeId, "staff")
      const guest = yield* makeMerchant

      yield* staff.client.products.list({ storeId })
      const calls = [
        Effect.asVoid(staff.client.members.list({ storeId })),
        Effect.asVoid(staff.client.members.join({ storeId, email: guest.email, role: "owner" })),
        Effect.asVoid(staff.client.members.leave({ storeId, merchantId }))
      ]
      for (const call of calls) assert.strictEqual((yield* Effect.flip(call))._tag, "OwnersOnly")

      const joined = { merchantId: guest.id, role: "staff" as const }
      for (const _ of "ab") {
        assert.deepStrictEqual(yield* client.members.join({ storeId, email: guest.email, role: "staff" }), joined)
      }
      const listed = (yield* client.members.list({ storeId })).find((one) => one.merchantId === guest.id)
      assert.deepInclude(listed, { name: "Ada", email: guest.email, role: "staff" })
      assert.instanceOf(listed?.createdAt, Date)
      for (const _ of "ab") {
        assert.deepStrictEqual(yield* client.members.leave({ storeId, merchantId: staff.merchantId }), {
          merchantId: staff.merchantId
        })
      }
      assert.strictEqual((yield* Effect.flip(staff.client.products.list({ storeId })))._tag, "StoreNotFound")

      const alone = yield* freshMember()
      const last = { storeId: alone.storeId, merchantId: alone.merchantId }
      assert.strictEqual((yield* Effect.flip(alone.client.members.leave(last)))._tag, "LastOwner")
      const nobody = { storeId, email: toEmail("nobody@example.com"), role: "owner" as const }
      assert.strictEqual((yield* Effect.flip(client.members.join(nobody)))._tag, "MerchantNotFound")
    })
  )
})
