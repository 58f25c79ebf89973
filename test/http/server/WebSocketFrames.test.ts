import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import type { WebSocket } from "ws"
import { MERCHANT_CALLS } from "../../../src/domain/RateLimit.ts"
import { MAX_CONTROL_FRAMES } from "../../../src/http/server/SocketRegistry.ts"
import { MAX_QUEUED, MAX_REFUSED } from "../../../src/rpc/server/SocketFrames.ts"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { connection, globalDatabaseUrl, rowsOf } from "../../support/process/Process.ts"
import { freshMember } from "../../support/rpc/Rpc.ts"
import { followFrame, openSocket } from "../../support/http/Sockets.ts"

const failure = (requestId: string, _tag: string) => ({ requestId, exit: { cause: [{ error: { _tag } }] } })

/** Returns the number of calls in the window of a merchant. */
const windowOf = (merchantId: string) =>
  Effect.gen(function* () {
    const db = yield* connection(yield* globalDatabaseUrl)
    const rows = yield* rowsOf(
      db,
      "select cardinality(hits) as calls from merchant_call_windows where merchant_id = $1",
      [merchantId]
    )
    return Number(rows[0]?.["calls"])
  })

/** Fills the window of a merchant with calls from 30 seconds ago. `left` calls remain. */
const fillWindow = (merchantId: string, left = 0) =>
  Effect.gen(function* () {
    const db = yield* connection(yield* globalDatabaseUrl)
    const hits = `array_fill(clock_micros() - 30 * 1000000, array[${MERCHANT_CALLS - left}])`
    yield* rowsOf(db, `update merchant_call_windows set hits = ${hits} where merchant_id = $1`, [merchantId])
  })

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("WebSocket frames", (it) => {
  it.effect("each request frame counts in the window of its merchant, which HTTP requests share", () =>
    Effect.gen(function* () {
      const { client, cookie, merchantId, storeId } = yield* freshMember()
      const other = yield* freshMember()
      const { next, send } = yield* openSocket({ headers: { cookie } })
      assert.strictEqual(yield* windowOf(merchantId), 1)
      for (let n = 1; n <= 9; n++) yield* send(followFrame({ storeId }, String(n)))
      yield* send(followFrame({ storeId: other.storeId }, "10"))
      yield* send(followFrame({ nonsense: 1 }, "11"))
      yield* send({ ...followFrame({ storeId }, "12"), tag: "nonsense" })
      yield* send({ ...followFrame({ storeId }, "13"), payload: 1 })
      for (let n = 1; n <= 13; n++) yield* next
      assert.strictEqual(yield* windowOf(merchantId), 14)
      // Frames that control a stream do not count.
      yield* send({ _tag: "Ack", requestId: "1" })
      yield* send({ _tag: "Interrupt", requestId: "2" })
      yield* send({ _tag: "Ping" })
      assert.deepStrictEqual(yield* next, { _tag: "Pong" })
      assert.strictEqual(yield* windowOf(merchantId), 14)

      const invalid = yield* openSocket({ headers: { cookie } })
      invalid.socket.send("{")
      assert.strictEqual((yield* invalid.closed).code, 1007)
      assert.strictEqual(yield* windowOf(merchantId), 16)

      yield* fillWindow(merchantId, 1)
      yield* send(followFrame({ storeId: other.storeId }, "20"))
      assert.containSubset(yield* next, failure("20", "StoreNotFound"))
      const refused = yield* Effect.flip(client.store.get({ storeId }))
      assert.strictEqual(refused._tag, "RateLimitExceeded")
      yield* send(followFrame({ storeId: other.storeId }, "21"))
      assert.containSubset(yield* next, failure("21", "RateLimitExceeded"))
    })
  )

  it.effect("16 frames beyond the window get RateLimitExceeded, and the next closes the socket with 1008", () =>
    Effect.gen(function* () {
      const { cookie, merchantId, storeId } = yield* freshMember()
      const { closed, next, send, socket } = yield* openSocket({ headers: { cookie } })
      yield* send(followFrame({ storeId }, "1"))
      yield* next
      yield* fillWindow(merchantId)
      let frames = 0
      socket.on("message", () => frames++)
      for (let n = 2; n <= 200; n++) yield* send(followFrame({ storeId }, String(n)))
      for (let n = 2; n < 2 + MAX_REFUSED; n++) {
        const { exit } = yield* next
        assert.containSubset(exit, { cause: [{ error: { _tag: "RateLimitExceeded" } }] })
        const [, seconds] = /"retryAfter":(\d+)/.exec(JSON.stringify(exit)) ?? []
        assert.isAtLeast(Number(seconds), 1)
        assert.isAtMost(Number(seconds), 30)
      }
      const { code, reason } = yield* closed
      assert.strictEqual(code, 1008)
      assert.match(reason, /^16 calls were rejected\. Wait/)
      assert.strictEqual(frames, MAX_REFUSED)
      assert.strictEqual((yield* openSocket({ headers: { cookie } })).refusal?.status, 429)
    })
  )

  it.effect("more than 600 frames that wait for admission close the socket with 1008", () =>
    Effect.gen(function* () {
      const { cookie } = yield* freshMember()
      const db = yield* connection(yield* globalDatabaseUrl)
      const { hostname, port } = new URL(yield* baseUrl)
      const tcp = connect({ host: hostname, port: Number(port), noDelay: true })
      const { closed, socket } = yield* openSocket({ headers: { cookie }, createConnection: () => tcp })
      // Admission reads the session, so the lock on sessions blocks it.
      yield* rowsOf(db, "begin")
      yield* rowsOf(db, "lock table sessions in access exclusive mode")
      // The service stops reading at 16 frames, so the others have to arrive in the same packet.
      tcp.cork()
      for (let n = 1; n <= 2 * MAX_QUEUED; n++) socket.send(`{"_tag":"Request","id":"${n}","tag":""}`)
      tcp.uncork()
      const { code, reason } = yield* closed
      assert.strictEqual(code, 1008)
      assert.match(reason, /^More than 600 frames are queued/)
      yield* rowsOf(db, "rollback")
    })
  )

  const controlFrames: Readonly<Record<string, (socket: WebSocket) => void>> = {
    "protocol pings": (socket) => socket.ping(),
    "unsolicited pongs": (socket) => socket.pong(),
    "Ping messages": (socket) => socket.send('{"_tag":"Ping"}'),
    "Ack messages without a request": (socket) => socket.send('{"_tag":"Ack","requestId":"1"}'),
    "Interrupt messages without a request": (socket) => socket.send('{"_tag":"Interrupt","requestId":"1"}')
  }
  for (const [name, sendOne] of Object.entries(controlFrames)) {
    it.effect(`more than 60 ${name} in 20 seconds close the socket with 1008`, () =>
      Effect.gen(function* () {
        const { cookie, merchantId } = yield* freshMember()
        const { closed, socket } = yield* openSocket({ headers: { cookie } })
        // Exceeds the limit of two intervals, because an interval may end while the frames are sent.
        for (let n = 0; n <= 2 * MAX_CONTROL_FRAMES; n++) sendOne(socket)
        const { code, reason } = yield* closed
        assert.strictEqual(code, 1008)
        assert.match(reason, /^More than 60 control messages/)
        assert.strictEqual(yield* windowOf(merchantId), 1)
      })
    )
  }

  it.effect("a message of more than 32 fragments closes the socket with 1008", () =>
    Effect.gen(function* () {
      const { cookie } = yield* freshMember()
      const { closed, socket } = yield* openSocket({ headers: { cookie } })
      for (let n = 0; n <= 32; n++) socket.send("", { fin: false })
      assert.strictEqual((yield* closed).code, 1008)
    })
  )
})
