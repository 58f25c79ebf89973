import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Stream } from "effect"
import { randomUUID } from "node:crypto"
import type { WebSocket } from "ws"
import { Sessions } from "../../../src/domain/access/Sessions.ts"
import { MERCHANT_CALLS } from "../../../src/domain/RateLimit.ts"
import { MAX_CONTROL_FRAMES } from "../../../src/http/server/SocketRegistry.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Changed, EventId, performed } from "../../../src/rpc/Client.ts"
import { ApiTest, type Client, dataOf, install } from "../../support/http/Api.ts"
import {
  connection,
  databaseUrl,
  duringWork,
  globalDatabaseUrl,
  rowsOf,
  waitForLockWaits
} from "../../support/process/Process.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"
import { followerOf } from "../../support/http/Sockets.ts"

const CHANGE_IDS = "select id from journal where store_id = $1 and version is not null and id > $2 order by id"

interface FollowOptions {
  readonly cookie: string
  readonly storeId: StoreId
  readonly onOpen?: (socket: WebSocket) => void
}

/** Follows a store from now on, and waits for a first change, whose id is `mark`. */
const startFollower = Effect.fn(function* ({ cookie, onOpen, storeId }: FollowOptions) {
  const { client } = yield* install(storeId)
  const { changes } = yield* followerOf(cookie, onOpen)
  const received = yield* Queue.unbounded<Changed>()
  const following = yield* Deferred.make<void>()
  const onFollowing = () => Deferred.doneUnsafe(following, Effect.void)
  yield* Effect.forkScoped(
    Stream.runForEach(changes({ storeId, onFollowing }), (change) => Queue.offer(received, change))
  )
  yield* Deferred.await(following)
  const createProduct = Effect.map(
    Effect.suspend(() => client.post("/products", { name: "Cup" })),
    (response) => String(dataOf(response)["id"])
  )
  const first = yield* createProduct
  const mark = yield* Queue.take(received)
  assert.strictEqual(mark.resourceId, first)
  return { client, createProduct, mark: mark.id, next: Queue.take(received), received }
})

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Change stream of a store", (it) => {
  it.effect("a change has kind, resource, version, actor, surface and changed members", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { merchantId, storeId } = member
      const { client, installation } = yield* install(storeId)
      const { changes } = yield* followerOf(member.cookie)
      yield* client.post("/products", { name: "Before" })
      const db = yield* connection(yield* databaseUrl)
      const [before] = yield* rowsOf(db, "select id from journal where store_id = $1 and version is not null", [
        storeId
      ])
      const created = dataOf(yield* client.post("/products", { name: "Cup", price: 3 }))
      yield* client.patch(`/products/${String(created["id"])}`, { price: 4 })
      const { id } = yield* member.client.collections
        .create({ storeId, idempotencyKey: newKey(), collection: { title: "Cups" } })
        .pipe(performed)
      yield* client.delete(`/products/${String(created["id"])}`)
      const received = yield* Stream.runCollect(
        Stream.take(changes({ storeId, after: EventId.make(String(before?.["id"])) }), 4)
      )
      const app = { type: "app", id: installation.id }
      const product = { resource: "product", resourceId: created["id"] }
      assert.containSubset(received, [
        { ...product, kind: "created", actor: app, surface: "rest", version: 1, members: [] },
        { ...product, kind: "updated", actor: app, version: 2, members: ["price", "updatedAt", "version"] },
        {
          resource: "collection",
          resourceId: id,
          kind: "created",
          actor: { type: "merchant", id: merchantId },
          surface: "rpc"
        },
        { ...product, kind: "deleted", actor: app, version: 2, members: [] }
      ])
    })
  )

  it.effect("changes arrive in the order of their ids; a late commit delays the changes after it", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { storeId } = member
      const { client, createProduct, next, received } = yield* startFollower(member)
      const otherStore = yield* startFollower(yield* freshMember())
      const [early, late] = [yield* createProduct, yield* createProduct]
      yield* Effect.andThen(next, next)

      // The write of `late` has its journal id and waits for its idempotency key, which `holder` has locked.
      const url = yield* databaseUrl
      const [holder, watcher] = [yield* connection(url), yield* connection(url)]
      const key = randomUUID()
      yield* rowsOf(holder, "begin")
      yield* rowsOf(
        holder,
        `insert into idempotency_records
           (store_id, actor_id, key, fingerprint, outcome, expires_at)
         select store_id, id, $2, '', '', now() + interval '1 day' from installations where store_id = $1`,
        [storeId, key]
      )
      const writing = yield* Effect.forkChild(client.patch(`/products/${late}`, { price: 1 }, { key }))
      yield* duringWork(writing, waitForLockWaits(watcher, 1))
      assert.strictEqual((yield* client.patch(`/products/${early}`, { price: 2 })).status, 200)
      // The changes of another store arrive, so the service has read the journal since.
      for (let n = 0; n < 2; n++) {
        yield* otherStore.client.post("/products", { name: "Cup" })
        yield* otherStore.next
      }
      assert.strictEqual(yield* Queue.size(received), 0)

      yield* rowsOf(holder, "rollback")
      assert.strictEqual((yield* Fiber.join(writing)).status, 200)
      const ids = [yield* next, yield* next].map(({ resourceId }) => resourceId)
      assert.deepStrictEqual(ids, [late, early])
    })
  )

  it.effect("each change of the followed store arrives once, across 10 broken connections under parallel writes", () =>
    Effect.gen(function* () {
      const members = yield* Effect.all([freshMember(), freshMember()])
      const sockets = new Set<WebSocket>()
      const onOpen = (socket: WebSocket) => void sockets.add(socket)
      const all = yield* Effect.forEach(members, (member) => startFollower({ ...member, onOpen }))
      const writers = yield* Effect.forEach(members, ({ storeId }) => Effect.replicateEffect(install(storeId), 3))
      const write = Effect.fn(function* ({ client }: { readonly client: Client }) {
        const path = `/products/${String(dataOf(yield* client.post("/products", { name: "Cup" }))["id"])}`
        for (let n = 0; n < 4; n++) yield* client.patch(path, { price: n + 1 })
      })
      const disconnect = Effect.sync(() => sockets.forEach((socket) => socket.terminate()))
      for (let n = 0; n < 10; n++) {
        const before = yield* Effect.forEach(all, ({ received }) => Queue.size(received))
        const writing = Effect.forEach(writers.flat(), write, { concurrency: "unbounded" })
        yield* Effect.all([writing, disconnect], { concurrency: "unbounded" })
        // Each follower has reconnected once it has received another change.
        for (const [index, { received }] of all.entries()) {
          yield* Effect.repeat(Effect.andThen(Effect.sleep("20 millis"), Queue.size(received)), {
            until: (size) => size > (before[index] ?? 0)
          })
        }
      }
      const db = yield* connection(yield* databaseUrl)
      for (const [index, { mark, received }] of all.entries()) {
        const rows = yield* rowsOf(db, CHANGE_IDS, [members[index]?.storeId, mark])
        assert.lengthOf(rows, 10 * 3 * 5)
        assert.deepStrictEqual(
          (yield* Queue.takeN(received, rows.length)).map(({ id }) => String(id)),
          rows.map(({ id }) => String(id))
        )
        assert.strictEqual(yield* Queue.size(received), 0)
      }
    })
  )

  it.effect("a merchant with a full call window follows as soon as the window admits a call", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { mark, createProduct } = yield* startFollower(member)
      const id = yield* createProduct
      const db = yield* connection(yield* globalDatabaseUrl)
      yield* rowsOf(
        db,
        `update merchant_call_windows set hits = array_fill(clock_micros() - 58 * 1000000, array[${MERCHANT_CALLS}]) where merchant_id = $1`,
        [member.merchantId]
      )
      const { changes } = yield* followerOf(member.cookie)
      const [received] = yield* Stream.runCollect(Stream.take(changes({ storeId: member.storeId, after: mark }), 1))
      assert.strictEqual(received?.resourceId, id)
    })
  )

  it.effect("a client whose socket is closed with 1008 follows on over a new socket after a pause", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const opened: Array<{ readonly socket: WebSocket; readonly at: number }> = []
      const onOpen = (socket: WebSocket) => void opened.push({ socket, at: performance.now() })
      const { createProduct, next } = yield* startFollower({ ...member, onOpen })
      const [first] = opened
      assert.isDefined(first)
      if (first === undefined) return
      const closed = Effect.callback<number>((resume) => {
        first.socket.once("close", (code: number) => resume(Effect.succeed(code)))
        for (let n = 0; n <= 2 * MAX_CONTROL_FRAMES; n++) first.socket.ping()
      })
      assert.strictEqual(yield* closed, 1008)
      const closedAt = performance.now()
      const id = yield* createProduct
      assert.strictEqual((yield* next).resourceId, id)
      assert.lengthOf(opened, 2)
      assert.isAbove((opened[1]?.at ?? 0) - closedAt, 4_500)
    })
  )

  it.effect("the stream fails with NotSignedIn when the session ends, and with StoreNotFound for a foreign store", () =>
    Effect.gen(function* () {
      const { cookie, merchantId, storeId } = yield* freshMember()
      const { changes } = yield* followerOf(cookie)
      const following = yield* Effect.forkChild(Effect.flip(Stream.runDrain(changes({ storeId }))))
      const { end, list } = yield* Sessions
      for (const { sessionId } of yield* list(merchantId)) yield* end(merchantId, sessionId)
      assert.strictEqual((yield* Fiber.join(following))._tag, "NotSignedIn")

      const other = yield* freshMember()
      const { changes: foreign } = yield* followerOf(other.cookie)
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(foreign({ storeId }))))._tag, "StoreNotFound")
    })
  )
})
