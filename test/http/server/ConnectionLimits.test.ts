import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { once } from "node:events"
import { isLoopback } from "../../../src/http/server/ConnectionLimits.ts"
import { freshClient } from "../../support/http/Api.ts"
import { requestLargeResponse, dial, dialFrom, startLimitedService, textOf } from "../../support/http/Connections.ts"
import { databaseUrl, lockStore, waitForLockWaits, waitUntil } from "../../support/process/Process.ts"
import { lines } from "../../support/http/RawHttp.ts"
import { freshMember } from "../../support/rpc/Rpc.ts"
import { openSocket } from "../../support/http/Sockets.ts"

const HEALTH = lines("GET /healthz HTTP/1.1", "host: a", "connection: close")

/** Bytes of an incomplete or an already answered request, and the bytes that complete the connection's last request. */
const unfinished: Readonly<Record<string, readonly [sent: string, rest: string]>> = {
  nothing: ["", HEALTH],
  "half of the headers": ["GET /healthz HTTP/1.1\r\n", "host: a\r\nconnection: close\r\n\r\n"],
  "half of a body": [
    `${lines("POST /auth/sign-in HTTP/1.1", "host: localhost", "connection: close", "content-type: application/json", "content-length: 2")}{`,
    "}"
  ],
  "one answered request": [lines("GET /healthz HTTP/1.1", "host: a"), HEALTH]
}
for (const [sentBefore, [sent, rest]] of Object.entries(unfinished)) {
  it.live(`a new connection closes the one that has been idle longest if all sent ${sentBefore}`, () =>
    Effect.gen(function* () {
      const { connections, context } = yield* startLimitedService({ connections: 3 })
      const open = Effect.provide(dial, context)
      const idle = yield* Effect.replicateEffect(
        Effect.tap(open, (socket) =>
          Effect.promise(async () => {
            if (sent !== "") socket.write(sent)
            if (rest === HEALTH && sent !== "") await once(socket, "data")
          })
        ),
        3
      )
      yield* waitUntil(connections, (count) => count === 3)
      const [oldest, second, third] = idle
      assert.isDefined(oldest)
      assert.isDefined(second)
      assert.isDefined(third)
      const [, answer] = yield* Effect.all(
        [
          Effect.promise(() => once(oldest, "close")),
          Effect.flatMap(open, (newcomer) =>
            Effect.andThen(
              Effect.sync(() => newcomer.write(HEALTH)),
              textOf(newcomer)
            )
          )
        ],
        { concurrency: 2 }
      )
      assert.match(answer, /^HTTP\/1\.1 200 /)
      for (const remaining of [second, third]) {
        remaining.write(rest)
        assert.match(yield* textOf(remaining), /^HTTP\/1\.1 [24]\d\d /)
      }
    })
  )
}

it.live("a connection with a running request is not closed at the connection limit", () =>
  Effect.gen(function* () {
    const { context } = yield* startLimitedService({ connections: 1 })
    yield* Effect.provide(
      Effect.gen(function* () {
        const { client, storeId } = yield* freshClient()
        const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
        const writing = yield* dial
        const body = '{"name":"Cup"}'
        const head = [
          "POST /api/platform/v1/products HTTP/1.1",
          "host: a",
          "connection: close",
          `authorization: Bearer ${client.token}`,
          "idempotency-key: 019c1363-49c0-7fff-8000-000000000000",
          "content-type: application/json",
          `content-length: ${body.length}`
        ]
        writing.write(lines(...head) + body)
        yield* waitForLockWaits(watcher, 1)
        assert.strictEqual(yield* textOf(yield* dial), "")
        const response = yield* Effect.forkChild(textOf(writing))
        yield* release
        assert.match(yield* Fiber.join(response), /^HTTP\/1\.1 201 /)
      }),
      context
    )
  })
)

it.live("a WebSocket is not closed at the connection limit", () =>
  Effect.gen(function* () {
    const { context } = yield* startLimitedService({ connections: 1 })
    yield* Effect.provide(
      Effect.gen(function* () {
        const { cookie } = yield* freshMember()
        const { next, send } = yield* openSocket({ headers: { cookie } })
        assert.strictEqual(yield* textOf(yield* dial), "")
        yield* send({ _tag: "Ping" })
        assert.deepStrictEqual(yield* next, { _tag: "Pong" })
      }),
      context
    )
  })
)

it.live("an address over its limit loses its own longest idle connection, not those of other addresses", () =>
  Effect.gen(function* () {
    const { connections, context } = yield* startLimitedService({
      connections: 10,
      perAddress: 2,
      isExempt: () => false
    })
    const from = (address: string) => Effect.provide(dialFrom(address), context)
    const other = yield* from("127.0.0.3")
    const [oldest, second] = [yield* from("127.0.0.2"), yield* from("127.0.0.2")]
    yield* waitUntil(connections, (count) => count === 3)
    yield* Effect.all([Effect.promise(() => once(oldest, "close")), from("127.0.0.2")], { concurrency: 2 })
    yield* waitUntil(connections, (count) => count === 3)

    // Connections with unread responses are not closed.
    yield* requestLargeResponse(second)
    const busy = yield* from("127.0.0.2")
    yield* requestLargeResponse(busy)
    assert.strictEqual(yield* textOf(yield* from("127.0.0.2")), "")
    other.write(HEALTH)
    assert.match(yield* textOf(other), /^HTTP\/1\.1 200 /)
  })
)

it.live("the limit per address does not apply to exempt addresses", () =>
  Effect.gen(function* () {
    const limits = { connections: 4, perAddress: 1, isExempt: (address: string) => address === "127.0.0.2" }
    const { connections, context } = yield* startLimitedService(limits)
    const from = (address: string) => Effect.provide(dialFrom(address), context)
    yield* Effect.replicateEffect(from("127.0.0.2"), 3)
    const single = yield* from("127.0.0.3")
    yield* waitUntil(connections, (count) => count === 4)
    yield* Effect.all([Effect.promise(() => once(single, "close")), from("127.0.0.3")], { concurrency: 2 })
    yield* waitUntil(connections, (count) => count === 4)
  })
)

it("isLoopback recognizes IPv4 and IPv6 loopback addresses", () => {
  for (const address of ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"]) assert.isTrue(isLoopback(address))
  for (const address of ["128.0.0.1", "10.0.0.1", "::2", "::ffff:10.0.0.1"]) assert.isFalse(isLoopback(address))
})
