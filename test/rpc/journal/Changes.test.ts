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
import { connection, databaseUrl, duringWork, rowsOf, waiting } from "../../support/process/Process.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"
import { followerOf } from "../../support/http/Sockets.ts"

const TOLD = "select id from journal where store_id = $1 and version is not null and id > $2 order by id"

interface Followed {
  readonly cookie: string
  readonly storeId: StoreId
  readonly onOpen?: (socket: WebSocket) => void
}

/** What a follower is told from now on: a change of which it was told is the mark. */
const followed = Effect.fn(function* ({ cookie, onOpen, storeId }: Followed) {
  const { client } = yield* install(storeId)
  const { changes } = yield* followerOf(cookie, onOpen)
  const told = yield* Queue.unbounded<Changed>()
  const following = yield* Deferred.make<void>()
  const onFollowing = () => Deferred.doneUnsafe(following, Effect.void)
  yield* Effect.forkScoped(Stream.runForEach(changes({ storeId, onFollowing }), (change) => Queue.offer(told, change)))
  yield* Deferred.await(following)
  const make = Effect.map(
    Effect.suspend(() => client.post("/products", { name: "Cup" })),
    (made) => String(dataOf(made)["id"])
  )
  const first = yield* make
  const mark = yield* Queue.take(told)
  assert.strictEqual(mark.resourceId, first)
  return { client, make, mark: mark.id, next: Queue.take(told), told }
})

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Changes of a store", (it) => {
  it.effect("are told as they are committed: what became of what, by whom, through what", () =>
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
      const made = dataOf(yield* client.post("/products", { name: "Cup", price: 3 }))
      yield* client.patch(`/products/${String(made["id"])}`, { price: 4 })
      const { id } = yield* member.client.collections
        .create({ storeId, idempotencyKey: newKey(), collection: { title: "Cups" } })
        .pipe(performed)
      yield* client.delete(`/products/${String(made["id"])}`)
      const told = yield* Stream.runCollect(
        Stream.take(changes({ storeId, after: EventId.make(String(before?.["id"])) }), 4)
      )
      const app = { type: "app", id: installation.id }
      const product = { resource: "product", resourceId: made["id"] }
      assert.containSubset(told, [
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

  it.effect(
    "come in the order of their ids: one that is committed late holds up those after it, and none is missed",
    () =>
      Effect.gen(function* () {
        const member = yield* freshMember()
        const { storeId } = member
        const { client, make, next, told } = yield* followed(member)
        const elsewhere = yield* followed(yield* freshMember())
        const [early, late] = [yield* make, yield* make]
        yield* Effect.andThen(next, next)

        // The write of `late` has its id and waits for its key, which somebody else has.
        const url = yield* databaseUrl
        const [holder, watcher] = [yield* connection(url), yield* connection(url)]
        const key = randomUUID()
        yield* rowsOf(holder, "begin")
        yield* rowsOf(
          holder,
          `insert into idempotency_records
           (store_id, actor_id, key, fingerprint, status, body, etag, expires_at)
         select store_id, id, $2, '', 200, '', null, now() + interval '1 day' from installations where store_id = $1`,
          [storeId, key]
        )
        const writing = yield* Effect.forkChild(client.patch(`/products/${late}`, { price: 1 }, { key }))
        yield* duringWork(writing, waiting(watcher, 1))
        assert.strictEqual((yield* client.patch(`/products/${early}`, { price: 2 })).status, 200)
        // It was looked for changes since: those of another store are told.
        for (let n = 0; n < 2; n++) {
          yield* elsewhere.client.post("/products", { name: "Cup" })
          yield* elsewhere.next
        }
        assert.strictEqual(yield* Queue.size(told), 0)

        yield* rowsOf(holder, "rollback")
        assert.strictEqual((yield* Fiber.join(writing)).status, 200)
        const ids = [yield* next, yield* next].map(({ resourceId }) => resourceId)
        assert.deepStrictEqual(ids, [late, early])
      })
  )

  it.effect("are those of no other store, and each once, through 10 broken connections under parallel writes", () =>
    Effect.gen(function* () {
      const members = yield* Effect.all([freshMember(), freshMember()])
      const open = new Set<WebSocket>()
      const onOpen = (socket: WebSocket) => void open.add(socket)
      const all = yield* Effect.forEach(members, (member) => followed({ ...member, onOpen }))
      const writers = yield* Effect.forEach(members, ({ storeId }) => Effect.replicateEffect(install(storeId), 3))
      const write = Effect.fn(function* ({ client }: { readonly client: Client }) {
        const path = `/products/${String(dataOf(yield* client.post("/products", { name: "Cup" }))["id"])}`
        for (let n = 0; n < 4; n++) yield* client.patch(path, { price: n + 1 })
      })
      const cut = Effect.sync(() => open.forEach((socket) => socket.terminate()))
      for (let n = 0; n < 10; n++) {
        const before = yield* Effect.forEach(all, ({ told }) => Queue.size(told))
        const writing = Effect.forEach(writers.flat(), write, { concurrency: "unbounded" })
        yield* Effect.all([writing, cut], { concurrency: "unbounded" })
        // It follows again, and was told of something since.
        for (const [index, { told }] of all.entries()) {
          yield* Effect.repeat(Effect.andThen(Effect.sleep("20 millis"), Queue.size(told)), {
            until: (size) => size > (before[index] ?? 0)
          })
        }
      }
      const db = yield* connection(yield* databaseUrl)
      for (const [index, { mark, told }] of all.entries()) {
        const rows = yield* rowsOf(db, TOLD, [members[index]?.storeId, mark])
        assert.lengthOf(rows, 10 * 3 * 5)
        assert.deepStrictEqual(
          (yield* Queue.takeN(told, rows.length)).map(({ id }) => String(id)),
          rows.map(({ id }) => String(id))
        )
        assert.strictEqual(yield* Queue.size(told), 0)
      }
    })
  )

  it.effect("are followed by whose window of calls is full once it takes another", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { mark, make } = yield* followed(member)
      const id = yield* make
      const db = yield* connection(yield* databaseUrl)
      yield* rowsOf(
        db,
        `update merchant_call_windows set hits = array_fill(clock_micros() - 58 * 1000000, array[${MERCHANT_CALLS}]) where merchant_id = $1`,
        [member.merchantId]
      )
      const { changes } = yield* followerOf(member.cookie)
      const [told] = yield* Stream.runCollect(Stream.take(changes({ storeId: member.storeId, after: mark }), 1))
      assert.strictEqual(told?.resourceId, id)
    })
  )

  it.effect("are followed on over another socket, after a pause, by a client whose socket was closed with 1008", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const opened: Array<{ readonly socket: WebSocket; readonly at: number }> = []
      const onOpen = (socket: WebSocket) => void opened.push({ socket, at: performance.now() })
      const { make, next } = yield* followed({ ...member, onOpen })
      const [first] = opened
      assert.isDefined(first)
      if (first === undefined) return
      const closed = Effect.callback<number>((resume) => {
        first.socket.once("close", (code: number) => resume(Effect.succeed(code)))
        for (let n = 0; n <= 2 * MAX_CONTROL_FRAMES; n++) first.socket.ping()
      })
      assert.strictEqual(yield* closed, 1008)
      const closedAt = performance.now()
      const id = yield* make
      assert.strictEqual((yield* next).resourceId, id)
      assert.lengthOf(opened, 2)
      assert.isAbove((opened[1]?.at ?? 0) - closedAt, 4_500)
    })
  )

  it.effect("are followed no more by whose session has ended: that is a failure, and no silence", () =>
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
