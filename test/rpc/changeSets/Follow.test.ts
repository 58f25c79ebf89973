import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Queue, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { WebSocket } from "ws"
import { Sessions } from "../../../src/domain/access/Sessions.ts"
import { type ChangeSet, ChangeSetId } from "../../../src/domain/changeSets/ChangeSet.ts"
import { Operation } from "../../../src/domain/changeSets/Operation.ts"
import { MAX_FOLLOWERS } from "../../../src/domain/journal/Changes.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { uuidV7 } from "../../../src/domain/Uuid.ts"
import { type Client, makeClient } from "../../../src/rpc/Client.ts"
import { MAX_STREAMS } from "../../../src/rpc/server/Sockets.ts"
import { baseUrl } from "../../support/http/Api.ts"
import { JobsTest, waitForState } from "../../support/http/ChangeSets.ts"
import { followerOf, openSocket } from "../../support/http/Sockets.ts"
import { keyedIn } from "../../support/rpc/Proposals.ts"
import { agentOf, freshMember } from "../../support/rpc/Rpc.ts"

const operations = Schema.decodeUnknownSync(Schema.Array(Operation))([
  { op: "product.create", product: { name: "Cup" } }
])

const create = (client: Client, storeId: StoreId, header: { readonly applyAt?: string } = {}) =>
  client.changeSets.create({ ...keyedIn(storeId), mode: "each", operations, ...header })

/** A set that is scheduled for a time that never comes. */
const scheduled = Effect.fn(function* (client: Client, storeId: StoreId) {
  const { id } = yield* create(client, storeId, { applyAt: "2999-01-01T00:00:00Z" })
  yield* waitForState(id, "ready")
  yield* client.changeSets.apply({ ...keyedIn(storeId), id })
  return id
})

/** An agent whose sockets send its token. */
const followingAgent = Effect.fn(function* (member: Parameters<typeof agentOf>[0]) {
  const agent = yield* agentOf(member)
  const headers = { authorization: agent.authorization }
  const url = `${yield* baseUrl}/rpc`
  const follower = yield* makeClient({ url, headers, webSocket: (address) => new WebSocket(address, { headers }) })
  return { ...agent, follower }
})

const statesOf = (sets: ReadonlyArray<ChangeSet>) => [...new Set(sets.map(({ state }) => state))]

layer(JobsTest, { excludeTestServices: true, timeout: "120 seconds" })("Stream of a change set", (it) => {
  it.effect(
    "a follower receives the set at once and after each change, until it is ready and until it is applied",
    () =>
      Effect.gen(function* () {
        const { client, cookie, storeId } = yield* freshMember()
        const { changeSets } = yield* followerOf(cookie)
        const { id } = yield* create(client, storeId)
        const previewed = yield* Stream.runCollect(changeSets.follow({ storeId, id }))
        assert.deepStrictEqual(previewed.at(-1), yield* client.changeSets.get({ storeId, id }))
        assert.deepInclude(previewed.at(-1), { state: "ready", progress: { done: 1, total: 1 } })
        assert.deepStrictEqual(yield* Stream.runCollect(changeSets.follow({ storeId, id })), previewed.slice(-1))

        const later = yield* scheduled(client, storeId)
        const received = yield* Queue.unbounded<ChangeSet>()
        const following = yield* Effect.forkChild(
          Stream.runForEach(changeSets.follow({ storeId, id: later }), (set) => Queue.offer(received, set))
        )
        const first = yield* Queue.take(received)
        assert.deepStrictEqual(first, yield* client.changeSets.get({ storeId, id: later }))
        assert.deepInclude(first, { state: "scheduled", progress: { done: 0, total: 1 } })
        const sql = yield* SqlClient.SqlClient
        yield* sql`update jobs set next_at = now() where subject_id = ${later}`
        yield* Fiber.join(following)
        const rest = yield* Queue.takeAll(received)
        assert.deepStrictEqual(
          statesOf(rest).filter((state) => state !== "applying"),
          ["applied"]
        )
        assert.deepStrictEqual(rest.at(-1), yield* client.changeSets.get({ storeId, id: later }))
      })
  )

  it.effect("followers of one set are independent, and a cancellation ends all of them", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const id = yield* scheduled(client, storeId)
      const { changeSets } = yield* followerOf(cookie)
      const follow = Stream.runCollect(changeSets.follow({ storeId, id }))
      const [one, two] = [yield* Effect.forkChild(follow), yield* Effect.forkChild(follow)]
      yield* Stream.runDrain(Stream.take(changeSets.follow({ storeId, id }), 1))
      yield* client.changeSets.cancel({ ...keyedIn(storeId), id })
      for (const follower of [one, two]) {
        assert.strictEqual(statesOf(yield* Fiber.join(follower)).at(-1), "canceled")
      }
    })
  )

  it.effect("a follower continues over a new socket after a lost connection", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const id = yield* scheduled(client, storeId)
      const sockets: Array<WebSocket> = []
      const { changeSets } = yield* followerOf(cookie, (socket) => void sockets.push(socket))
      const received = yield* Queue.unbounded<ChangeSet>()
      const following = yield* Effect.forkChild(
        Stream.runForEach(changeSets.follow({ storeId, id }), (set) => Queue.offer(received, set))
      )
      const first = yield* Queue.take(received)
      for (const socket of sockets) socket.terminate()
      assert.deepStrictEqual(yield* Queue.take(received), first)
      yield* client.changeSets.cancel({ ...keyedIn(storeId), id })
      yield* Fiber.join(following)
      assert.strictEqual(statesOf(yield* Queue.takeAll(received)).at(-1), "canceled")
    })
  )

  it.effect("members follow every set of their store, agents their own, and nobody those of another store", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { client, cookie, storeId } = member
      const [agent, other] = [yield* followingAgent(member), yield* followingAgent(member)]
      const id = yield* scheduled(agent.client, storeId)
      const first = (from: Client, set = id, store = storeId) =>
        Effect.result(Stream.runCollect(Stream.take(from.changeSets.follow({ storeId: store, id: set }), 1)))
      const tagOf = (from: Client, set?: ChangeSetId, store?: StoreId) =>
        Effect.map(first(from, set, store), (result) =>
          result._tag === "Failure" ? result.failure._tag : result.success.at(0)?.id
        )
      const follower = yield* followerOf(cookie)
      assert.strictEqual(yield* tagOf(follower), id)
      assert.strictEqual(yield* tagOf(agent.follower), id)
      assert.strictEqual(yield* tagOf(other.follower), "ChangeSetNotFound")
      assert.strictEqual(yield* tagOf(follower, ChangeSetId.make(uuidV7(1))), "ChangeSetNotFound")
      const stranger = yield* freshMember()
      assert.strictEqual(yield* tagOf(yield* followerOf(stranger.cookie)), "StoreNotFound")
      assert.strictEqual(yield* tagOf(yield* followerOf(stranger.cookie), id, stranger.storeId), "ChangeSetNotFound")
      yield* client.changeSets.cancel({ ...keyedIn(storeId), id })
    })
  )

  it.effect("the stream fails with NotSignedIn when the session ends", () =>
    Effect.gen(function* () {
      const { client, cookie, merchantId, storeId } = yield* freshMember()
      const id = yield* scheduled(client, storeId)
      const { changeSets } = yield* followerOf(cookie)
      const received = yield* Queue.unbounded<ChangeSet>()
      const following = yield* Effect.forkChild(
        Effect.flip(Stream.runForEach(changeSets.follow({ storeId, id }), (set) => Queue.offer(received, set)))
      )
      yield* Queue.take(received)
      const { end, list } = yield* Sessions
      for (const { sessionId } of yield* list(merchantId)) yield* end(merchantId, sessionId)
      assert.strictEqual((yield* Fiber.join(following))._tag, "NotSignedIn")
    })
  )

  it.effect("a store has 64 followers in a process, and a closed connection frees its places", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const id = yield* scheduled(client, storeId)
      const frame = (n: number) => ({
        _tag: "Request",
        id: String(n),
        tag: "changeSets.follow",
        payload: { storeId, id }
      })
      const open = Effect.fn(function* (streams: number) {
        const socket = yield* openSocket({ headers: { cookie } })
        const answers: Array<Readonly<Record<string, unknown>>> = []
        for (let n = 1; n <= streams; n++) {
          yield* socket.send(frame(n))
          answers.push(yield* socket.next)
        }
        return { ...socket, answers }
      })
      const sockets = yield* Effect.forEach(Array.from({ length: MAX_FOLLOWERS / MAX_STREAMS }), () =>
        open(MAX_STREAMS)
      )
      for (const { answers } of sockets) assert.isTrue(answers.every(({ _tag }) => _tag === "Chunk"))
      const { answers } = yield* open(1)
      assert.match(JSON.stringify(answers), /TooManyFollowers/)
      sockets[0]?.socket.close()
      const { changeSets } = yield* followerOf(cookie)
      const freed = Stream.runDrain(Stream.take(changeSets.follow({ storeId, id }), 1))
      yield* Effect.retry(freed, { while: ({ _tag }) => _tag === "TooManyFollowers" })
    })
  )
})
