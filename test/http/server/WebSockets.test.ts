import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { AgentId } from "../../../src/domain/access/Ids.ts"
import { Sessions } from "../../../src/domain/access/Sessions.ts"
import { Merchants } from "../../../src/domain/access/Merchants.ts"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { exchange, lines } from "../../support/http/RawHttp.ts"
import { startSecondServer } from "../../support/process/Process.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { agentOf, freshMember, newKey, sessionOf } from "../../support/rpc/Rpc.ts"
import { performIn } from "../../support/data/Writes.ts"
import { followFrame, openSocket } from "../../support/http/Sockets.ts"

const failure = (requestId: string, _tag: string) => ({ requestId, exit: { cause: [{ error: { _tag } }] } })

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("WebSockets", (it) => {
  it.effect("a WebSocket opens only at /rpc, with a valid session and from the service's own origin", () =>
    Effect.gen(function* () {
      const { cookie } = yield* freshMember()
      const refusals = {
        "another origin": [{ headers: { cookie }, origin: "https://example.com" }, "/rpc", 403],
        "no session": [{}, "/rpc", 401],
        "an invalid session": [{ headers: { cookie: "session=none" } }, "/rpc", 401],
        "another path": [{ headers: { cookie } }, "/nowhere", 404]
      } as const
      for (const [label, [options, path, status]] of Object.entries(refusals)) {
        const { refusal } = yield* openSocket(options, path)
        assert.strictEqual(refusal?.status, status, label)
        assert.match(refusal?.text ?? "", /^\{"error":"[^"]+"\}$/)
      }
      const { origin } = new URL(yield* baseUrl)
      assert.isUndefined((yield* openSocket({ headers: { cookie }, origin })).refusal)
    })
  )

  it.effect("an invalid handshake gets 400 with a JSON error, and other requests ignore the Upgrade header", () =>
    Effect.gen(function* () {
      const { cookie } = yield* freshMember()
      const handshake = ["host: localhost", "connection: upgrade", "upgrade: websocket", `cookie: ${cookie}`]
      const invalid = yield* exchange(yield* baseUrl, lines("GET /rpc HTTP/1.1", ...handshake))
      assert.match(invalid, /^HTTP\/1\.1 400 .*"error":"The WebSocket cannot be opened: [^"]+Sec-WebSocket-Key/s)
      const post = yield* exchange(yield* baseUrl, lines("POST /rpc HTTP/1.1", ...handshake, "content-length: 0"))
      assert.match(post, /^HTTP\/1\.1 415 /)
      const pipelined = lines("GET /healthz HTTP/1.1", "host: localhost") + lines("GET /rpc HTTP/1.1", ...handshake)
      const both = yield* exchange(yield* baseUrl, pipelined)
      assert.match(both, /^HTTP\/1\.1 200 .*HTTP\/1\.1 400 /s)
    })
  )

  it.effect("a protocol version other than 13 gets 426 with version 13 in the response", () =>
    Effect.gen(function* () {
      const { cookie } = yield* freshMember()
      const key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="
      const handshake = ["host: localhost", "connection: upgrade", "upgrade: websocket", `cookie: ${cookie}`, key]
      for (const version of ["8", "7", "14", "13.0", "8, 13"]) {
        const answer = yield* exchange(
          yield* baseUrl,
          lines("GET /rpc HTTP/1.1", ...handshake, `sec-websocket-version: ${version}`)
        )
        assert.match(answer, /^HTTP\/1\.1 426 Upgrade Required\r\n/)
        assert.match(answer, /^sec-websocket-version: 13\r$/im)
        assert.match(answer, /^upgrade: websocket\r$/im)
        assert.match(answer, /"error":"[^"]+13[^"]*"/)
      }
    })
  )

  const frames: Readonly<Record<string, readonly [send: string | Buffer, code: number]>> = {
    "invalid JSON": ["{", 1007],
    "JSON that is not a message": ['{"_tag":"Request"}', 1007],
    "a JSON array": ["[]", 1007],
    "a binary message": [Buffer.from("{}"), 1003],
    "a message over 16 KiB": [JSON.stringify({ _tag: "Request", id: "1", tag: "a".repeat(17_000) }), 1009]
  }
  for (const [name, [frame, code]] of Object.entries(frames)) {
    it.effect(`${name} closes the socket with ${code}`, () =>
      Effect.gen(function* () {
        const { cookie } = yield* freshMember()
        const { closed, socket } = yield* openSocket({ headers: { cookie } })
        socket.send(frame)
        assert.strictEqual((yield* closed).code, code)
      })
    )
  }

  it.effect("a request that cannot be followed fails alone, and the socket stays open", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      const other = yield* freshMember()
      const { next, send } = yield* openSocket({ headers: { cookie } })
      // The service ignores headers inside a message.
      const forged = { headers: [["cookie", other.cookie]] }
      yield* send(followFrame({ storeId: other.storeId }, "1", forged))
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

  it.effect("a socket carries at most eight streams, and a repeated stream id closes it with 1007", () =>
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

  it.effect("a stream sends its next chunk after the Ack of the previous one", () =>
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
      // The first stream still waits for its Ack.
      assert.containSubset(yield* next, { requestId: "2", values: [{ _tag: "Changed", kind: "created" }] })
      yield* send({ _tag: "Ack", requestId: "1" })
      const { requestId, values } = yield* next
      assert.strictEqual(requestId, "1")
      assert.lengthOf(Array.isArray(values) ? values : [], 2)
    })
  )

  it.effect("a client that sends pings but reads nothing is disconnected", () =>
    Effect.gen(function* () {
      const { cookie } = yield* freshMember()
      const { closed, socket } = yield* openSocket({ headers: { cookie } })
      socket.pause()
      const sendPings = Effect.callback<void>((resume) => {
        for (let n = 0; n < 1000; n++) socket.ping("a".repeat(125), true, () => {})
        setImmediate(() => resume(Effect.void))
      })
      yield* Effect.raceFirst(closed, Effect.repeat(sendPings, { until: () => socket.readyState !== socket.OPEN }))
      socket.resume()
      // 1008 if the close frame for too many control frames still reached the client.
      assert.include([1006, 1008], (yield* closed).code)
    })
  )

  it.effect("ending a session closes its sockets with 1008, but not those of other sessions", () =>
    Effect.gen(function* () {
      const { cookie, email, merchantId, storeId } = yield* freshMember()
      const { end, list } = yield* Sessions
      const other = yield* openSocket({ headers: { cookie: yield* sessionOf(email) } })
      const { closed, next, send } = yield* openSocket({ headers: { cookie } })
      yield* send(followFrame({ storeId }))
      yield* next
      const [, first] = yield* list(merchantId)
      assert.isDefined(first)
      if (first !== undefined) yield* end(merchantId, first.sessionId)
      assert.strictEqual((yield* closed).code, 1008)
      yield* other.send({ _tag: "Ping" })
      assert.deepStrictEqual(yield* other.next, { _tag: "Pong" })
      assert.strictEqual((yield* openSocket({ headers: { cookie } })).refusal?.status, 401)
    })
  )

  it.effect("leaving a store closes the sockets that follow it with 1008", () =>
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

  it.effect("an agent's socket receives changes that its scopes allow it to read, until the agent is revoked", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { client, storeId } = member
      const other = yield* freshMember()
      const { id, token } = yield* agentOf(member, { scopes: ["read_products"] })
      const authorization = `Bearer ${token ?? ""}`
      // The service ignores a cookie beside the token.
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
      const withoutRead = yield* openSocket({ headers: { authorization: `Bearer ${writer.token ?? ""}` } })
      yield* withoutRead.send(followFrame({ storeId }))
      assert.containSubset(yield* withoutRead.next, failure("1", "AgentScopeMissing"))
    })
  )

  it.effect("stopping the service closes sockets with 1001, even if one client reads nothing", () =>
    Effect.gen(function* () {
      const { cookie } = yield* freshMember()
      const scope = yield* Scope.make()
      const base = yield* Scope.provide(startSecondServer, scope)
      const responsive = yield* openSocket({ headers: { cookie } }, "/rpc", base)
      const silent = yield* openSocket({ headers: { cookie } }, "/rpc", base)
      silent.socket.pause()
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* responsive.closed).code, 1001)
    })
  )

  it.effect("a merchant may open 32 sockets and a process 1,000; more get 429 or 503 with Retry-After", () =>
    Effect.gen(function* () {
      const cookies = yield* Effect.replicateEffect(
        Effect.flatMap(makeMerchant(), ({ email }) => sessionOf(email)),
        33
      )
      const opened = yield* Effect.forEach(
        cookies.slice(0, 32),
        (cookie) => Effect.replicateEffect(openSocket({ headers: { cookie } }), cookie === cookies[0] ? 33 : 31),
        { concurrency: 8 }
      )
      const [ofFirst = [], ...others] = opened
      assert.deepStrictEqual(ofFirst.map(({ refusal }) => refusal?.status).filter(Boolean), [429])
      const refused = others.flat().filter(({ refusal }) => refusal !== undefined)
      assert.lengthOf(refused, 0)
      const last = yield* Effect.replicateEffect(openSocket({ headers: { cookie: cookies[32] ?? "" } }), 10)
      assert.deepStrictEqual(new Set(last.map(({ refusal }) => refusal?.status)), new Set([undefined, 503]))
      for (const { refusal } of [...ofFirst, ...last]) {
        if (refusal !== undefined) assert.strictEqual(refusal.retryAfter, "5")
      }
      ofFirst[0]?.socket.close()
    })
  )
})
