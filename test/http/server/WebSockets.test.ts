import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { AgentId } from "../../../src/domain/Actor.ts"
import { Sessions } from "../../../src/domain/access/Sessions.ts"
import { Merchants } from "../../../src/domain/access/Merchants.ts"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { exchange, lines } from "../../support/http/RawHttp.ts"
import { neighbour } from "../../support/process/Process.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { agentOf, freshMember, newKey, sessionOf } from "../../support/rpc/Rpc.ts"
import { performIn } from "../../support/data/Writes.ts"
import { followFrame, openSocket } from "../../support/http/Sockets.ts"

const failure = (requestId: string, _tag: string) => ({ requestId, exit: { cause: [{ error: { _tag } }] } })

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("A socket", (it) => {
  it.effect("is opened at /rpc for who is signed in, from a page of the service's own", () =>
    Effect.gen(function* () {
      const { cookie } = yield* freshMember()
      const refusals = {
        "a page of another site": [{ headers: { cookie }, origin: "https://example.com" }, "/rpc", 403],
        nobody: [{}, "/rpc", 401],
        "a session that is none": [{ headers: { cookie: "session=none" } }, "/rpc", 401],
        "another path": [{ headers: { cookie } }, "/nowhere", 404]
      } as const
      for (const [who, [options, path, status]] of Object.entries(refusals)) {
        const { refusal } = yield* openSocket(options, path)
        assert.strictEqual(refusal?.status, status, who)
        assert.match(refusal?.text ?? "", /^\{"error":"[^"]+"\}$/)
      }
      const { origin } = new URL(yield* baseUrl)
      assert.isUndefined((yield* openSocket({ headers: { cookie }, origin })).refusal)
    })
  )

  it.effect(
    "is refused in the one shape where the handshake is wrong, and other requests are answered as without it",
    () =>
      Effect.gen(function* () {
        const { cookie } = yield* freshMember()
        const asking = ["host: localhost", "connection: upgrade", "upgrade: websocket", `cookie: ${cookie}`]
        const wrong = yield* exchange(yield* baseUrl, lines("GET /rpc HTTP/1.1", ...asking))
        assert.match(wrong, /^HTTP\/1\.1 400 .*"error":"The WebSocket cannot be opened: [^"]+Sec-WebSocket-Key/s)
        const post = yield* exchange(yield* baseUrl, lines("POST /rpc HTTP/1.1", ...asking, "content-length: 0"))
        assert.match(post, /^HTTP\/1\.1 415 /)
        const behind = lines("GET /healthz HTTP/1.1", "host: localhost") + lines("GET /rpc HTTP/1.1", ...asking)
        const both = yield* exchange(yield* baseUrl, behind)
        assert.match(both, /^HTTP\/1\.1 200 .*HTTP\/1\.1 400 /s)
      })
  )

  it.effect("is opened with version 13 of the protocol alone: others get 426, which names it", () =>
    Effect.gen(function* () {
      const { cookie } = yield* freshMember()
      const key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="
      const asking = ["host: localhost", "connection: upgrade", "upgrade: websocket", `cookie: ${cookie}`, key]
      for (const version of ["8", "7", "14", "13.0", "8, 13"]) {
        const answer = yield* exchange(
          yield* baseUrl,
          lines("GET /rpc HTTP/1.1", ...asking, `sec-websocket-version: ${version}`)
        )
        assert.match(answer, /^HTTP\/1\.1 426 Upgrade Required\r\n/)
        assert.match(answer, /^sec-websocket-version: 13\r$/im)
        assert.match(answer, /^upgrade: websocket\r$/im)
        assert.match(answer, /"error":"[^"]+13[^"]*"/)
      }
    })
  )

  const frames: Readonly<Record<string, readonly [send: string | Buffer, code: number]>> = {
    "what is no JSON": ["{", 1007],
    "JSON that is no message": ['{"_tag":"Request"}', 1007],
    "a list": ["[]", 1007],
    bytes: [Buffer.from("{}"), 1003],
    "more than 16 KiB": [JSON.stringify({ _tag: "Request", id: "1", tag: "a".repeat(17_000) }), 1009]
  }
  for (const [name, [frame, code]] of Object.entries(frames)) {
    it.effect(`is closed with ${code} for ${name}`, () =>
      Effect.gen(function* () {
        const { cookie } = yield* freshMember()
        const { closed, socket } = yield* openSocket({ headers: { cookie } })
        socket.send(frame)
        assert.strictEqual((yield* closed).code, code)
      })
    )
  }

  it.effect("fails what cannot be followed by itself, and goes on", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      const other = yield* freshMember()
      const { next, send } = yield* openSocket({ headers: { cookie } })
      // Headers of a message are its own word.
      const lying = { headers: [["cookie", other.cookie]] }
      yield* send(followFrame({ storeId: other.storeId }, "1", lying))
      assert.containSubset(yield* next, failure("1", "StoreNotFound"))
      yield* send(followFrame({ storeId, since: 1 }, "2"))
      assert.containSubset(yield* next, failure("2", "BadRequest"))
      yield* send({ ...followFrame({ storeId }, "3"), tag: "products.list" })
      assert.containSubset(yield* next, failure("3", "BadRequest"))
      for (const after of ["019c1363-49c0-7fff-8000-000000000000", "ffffffff-ffff-4fff-8fff-ffffffffffff"]) {
        yield* send(followFrame({ storeId, after: after.replace(/^019c/, "0180") }, "4"))
        assert.containSubset(yield* next, failure("4", "ChangesGone"))
      }
      yield* send({ _tag: "Ack", requestId: "9" })
      yield* send({ _tag: "Interrupt", requestId: "9" })
      yield* send({ _tag: "Eof" })
      yield* send({ _tag: "Ping" })
      assert.deepStrictEqual(yield* next, { _tag: "Pong" })
      yield* send(followFrame({ storeId }, "5"))
      assert.containSubset(yield* next, { _tag: "Chunk", requestId: "5", values: [{ _tag: "Following" }] })
    })
  )

  it.effect("holds eight streams at once, each with an id of its own", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      const { closed, next, send } = yield* openSocket({ headers: { cookie } })
      for (const id of ["1", "2", "3", "4", "5", "6", "7", "8"]) {
        yield* send(followFrame({ storeId }, id))
        assert.containSubset(yield* next, { _tag: "Chunk", requestId: id })
      }
      yield* send(followFrame({ storeId }, "9"))
      assert.containSubset(yield* next, { requestId: "9", exit: { cause: [{ error: { _tag: "BadRequest" } }] } })
      yield* send(followFrame({ storeId }, "1"))
      assert.strictEqual((yield* closed).code, 1007)
    })
  )

  it.effect("sends on when its client has taken what came before", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const { next, send } = yield* openSocket({ headers: { cookie } })
      yield* send(followFrame({ storeId }))
      yield* next
      yield* client.products.create({ storeId, idempotencyKey: newKey(), product: { name: "Cup" } })
      yield* send(followFrame({ storeId }, "2"))
      yield* next
      yield* send({ _tag: "Ack", requestId: "2" })
      yield* client.products.create({ storeId, idempotencyKey: newKey(), product: { name: "Mug" } })
      // The first stream has waited all the while.
      assert.containSubset(yield* next, { requestId: "2", values: [{ _tag: "Changed", kind: "created" }] })
      yield* send({ _tag: "Ack", requestId: "1" })
      const { requestId, values } = yield* next
      assert.strictEqual(requestId, "1")
      assert.lengthOf(Array.isArray(values) ? values : [], 2)
    })
  )

  it.effect("is ended when its client takes nothing and asks for more, and little waits for it", () =>
    Effect.gen(function* () {
      const { cookie } = yield* freshMember()
      const { closed, socket } = yield* openSocket({ headers: { cookie } })
      socket.pause()
      const ask = Effect.callback<void>((resume) => {
        for (let n = 0; n < 1000; n++) socket.ping("a".repeat(125), true, () => {})
        setImmediate(() => resume(Effect.void))
      })
      yield* Effect.raceFirst(closed, Effect.repeat(ask, { until: () => socket.readyState !== socket.OPEN }))
      socket.resume()
      // 1008 if the refusal of so many control frames still reached the client.
      assert.include([1006, 1008], (yield* closed).code)
    })
  )

  it.effect("is closed when the session ends that it was opened with", () =>
    Effect.gen(function* () {
      const { cookie, email, merchantId, storeId } = yield* freshMember()
      const { end, list } = yield* Sessions
      const kept = yield* openSocket({ headers: { cookie: yield* sessionOf(email) } })
      const { closed, next, send } = yield* openSocket({ headers: { cookie } })
      yield* send(followFrame({ storeId }))
      yield* next
      const [, first] = yield* list(merchantId)
      assert.isDefined(first)
      if (first !== undefined) yield* end(merchantId, first.sessionId)
      assert.strictEqual((yield* closed).code, 1008)
      yield* kept.send({ _tag: "Ping" })
      assert.deepStrictEqual(yield* kept.next, { _tag: "Pong" })
      assert.strictEqual((yield* openSocket({ headers: { cookie } })).refusal?.status, 401)
    })
  )

  it.effect("is closed when who holds it is no longer a member of the store that it tells of", () =>
    Effect.gen(function* () {
      const { cookie, merchantId, storeId } = yield* freshMember({ role: "staff" })
      const { leave } = yield* Merchants
      const perform = yield* performIn(storeId)
      const { closed, next, send } = yield* openSocket({ headers: { cookie } })
      yield* send(followFrame({ storeId }))
      yield* next
      yield* perform(leave(storeId, merchantId))
      assert.strictEqual((yield* closed).code, 1008)
    })
  )

  it.effect("is an agent's by its token: it is told of what its scopes let it read, until it is revoked", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { client, storeId } = member
      const other = yield* freshMember()
      const { id, token } = yield* agentOf(member, { scopes: ["read_products"] })
      const authorization = `Bearer ${token ?? ""}`
      // A cookie that comes along counts for nothing.
      const { closed, next, send } = yield* openSocket({ headers: { authorization, cookie: other.cookie } })
      yield* send(followFrame({ storeId: other.storeId }, "1"))
      assert.containSubset(yield* next, failure("1", "StoreNotFound"))
      yield* send(followFrame({ storeId }, "2"))
      assert.containSubset(yield* next, { values: [{ _tag: "Following" }] })
      yield* send({ _tag: "Ack", requestId: "2" })
      yield* client.collections.create({ storeId, idempotencyKey: newKey(), collection: { title: "Cups" } })
      yield* client.products.create({ storeId, idempotencyKey: newKey(), product: { name: "Cup" } })
      assert.containSubset(yield* next, { values: [{ kind: "created", resource: "product" }] })
      yield* client.agents.revoke({ storeId, idempotencyKey: newKey(), id: AgentId.make(id) })
      assert.strictEqual((yield* closed).code, 1008)
      assert.strictEqual((yield* openSocket({ headers: { authorization } })).refusal?.status, 401)

      const writer = yield* agentOf(member, { scopes: ["write_inventory"] })
      const blind = yield* openSocket({ headers: { authorization: `Bearer ${writer.token ?? ""}` } })
      yield* blind.send(followFrame({ storeId }))
      assert.containSubset(yield* blind.next, failure("1", "AgentScopeMissing"))
    })
  )

  it.effect("is told that the service stops, and holds up the stop no longer than two seconds", () =>
    Effect.gen(function* () {
      const { cookie } = yield* freshMember()
      const scope = yield* Scope.make()
      const base = yield* Scope.provide(neighbour, scope)
      const well = yield* openSocket({ headers: { cookie } }, "/rpc", base)
      const silent = yield* openSocket({ headers: { cookie } }, "/rpc", base)
      silent.socket.pause()
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* well.closed).code, 1001)
    })
  )

  it.effect("is one of 32 of its merchant, and of 1,000 of the process", () =>
    Effect.gen(function* () {
      const crowd = yield* Effect.replicateEffect(
        Effect.flatMap(makeMerchant(), ({ email }) => sessionOf(email)),
        33
      )
      const opened = yield* Effect.forEach(
        crowd.slice(0, 32),
        (cookie) => Effect.replicateEffect(openSocket({ headers: { cookie } }), cookie === crowd[0] ? 33 : 31),
        { concurrency: 8 }
      )
      const [own = [], ...others] = opened
      assert.deepStrictEqual(own.map(({ refusal }) => refusal?.status).filter(Boolean), [429])
      const refused = others.flat().filter(({ refusal }) => refusal !== undefined)
      assert.lengthOf(refused, 0)
      const last = yield* Effect.replicateEffect(openSocket({ headers: { cookie: crowd[32] ?? "" } }), 10)
      assert.deepStrictEqual(new Set(last.map(({ refusal }) => refusal?.status)), new Set([undefined, 503]))
      for (const { refusal } of [...own, ...last]) {
        if (refusal !== undefined) assert.strictEqual(refusal.retryAfter, "5")
      }
      own[0]?.socket.close()
    })
  )
})
