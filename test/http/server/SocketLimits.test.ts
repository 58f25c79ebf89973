import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { once } from "node:events"
import { freshClient } from "../../support/http/Api.ts"
import { requestLargeResponse, dial, DOCS, startLimitedService, textOf } from "../../support/http/Connections.ts"
import { databaseUrl, lockStore, waitForLockWaits, waitUntil } from "../../support/process/Process.ts"
import { lines } from "../../support/http/RawHttp.ts"

const STALL_TIMEOUT = 500

it.live("a client that does not read its responses is disconnected and logged as aborted", () =>
  Effect.gen(function* () {
    const { connections, context, requests } = yield* startLimitedService({
      stallTimeout: STALL_TIMEOUT,
      connections: 100
    })
    const socket = yield* Effect.provide(dial, context)
    // Exceeds the socket buffers of both sides, so that the service has to queue the rest.
    socket.pause().write(DOCS.repeat(10))
    yield* waitUntil(
      Effect.sync(() => requests),
      (entries) => entries.some(({ status }) => status === "aborted")
    )
    yield* waitUntil(connections, (count) => count === 0)
  })
)

it.live("a client that reads slowly and with pauses receives every response", () =>
  Effect.gen(function* () {
    const { context, requests } = yield* startLimitedService({ stallTimeout: STALL_TIMEOUT, connections: 100 })
    const socket = yield* Effect.provide(dial, context)
    let bytes = 0
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      socket.pause()
      setTimeout(() => socket.resume(), 4)
    })
    socket.write(DOCS.repeat(5) + lines("GET /healthz HTTP/1.1", "host: a", "connection: close"))
    const startedAt = performance.now()
    yield* Effect.promise(() => once(socket, "end"))
    assert.isAbove(performance.now() - startedAt, 3 * STALL_TIMEOUT)
    assert.isAbove(bytes, 5 * 3_000_000)
    const entries = yield* waitUntil(
      Effect.sync(() => requests),
      ({ length }) => length === 6
    )
    assert.isTrue(entries.every(({ status }) => status === 200))
  })
)

it.live("the stall timeout does not run while the service prepares a response", () =>
  Effect.gen(function* () {
    const { context } = yield* startLimitedService({ stallTimeout: STALL_TIMEOUT, connections: 100 })
    const status = yield* Effect.provide(
      Effect.gen(function* () {
        const { client, storeId } = yield* freshClient()
        const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
        const creation = yield* Effect.forkChild(client.post("/products", { name: "Cup" }))
        yield* waitForLockWaits(watcher, 1)
        yield* Effect.sleep(3 * STALL_TIMEOUT)
        yield* release
        return (yield* Fiber.join(creation)).status
      }),
      context
    )
    assert.strictEqual(status, 201)
  })
)

/** Returns the statuses of the responses in `text`, after asserting that each is complete. */
const statusesOfComplete = (text: string): ReadonlyArray<number> => {
  if (text === "") return []
  const [head = ""] = text.split("\r\n\r\n", 1)
  const end = head.length + 4 + Number(/^content-length: (\d+)$/im.exec(head)?.[1])
  assert.isAtLeast(text.length, end)
  return [Number(head.split(" ")[1]), ...statusesOfComplete(text.slice(end))]
}

it.live("a connection with unread responses is not closed at the connection limit", () =>
  Effect.gen(function* () {
    const { context } = yield* startLimitedService({ stallTimeout: 60_000, connections: 1 })
    const open = Effect.provide(dial, context)
    const slow = yield* open
    yield* requestLargeResponse(slow)
    assert.strictEqual(yield* textOf(yield* open), "")
    assert.deepStrictEqual(statusesOfComplete(yield* textOf(slow)), [200, 200, 200, 200, 200])
  })
)

it.live("stopping the service waits until a client has read its pending responses", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { context, server } = yield* Scope.provide(
      startLimitedService({ stallTimeout: 60_000, connections: 100 }),
      scope
    )
    const slow = yield* Effect.provide(dial, context)
    const idle = yield* Effect.provide(dial, context)
    idle.write(lines("GET /healthz HTTP/1.1", "host: a"))
    yield* Effect.promise(() => once(idle, "data"))
    yield* requestLargeResponse(slow)
    const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* waitUntil(
      Effect.sync(() => server.listening),
      (listening) => !listening
    )
    const [first, ...others] = statusesOfComplete(yield* textOf(slow))
    assert.strictEqual(first, 200)
    assert.isTrue(others.every((status) => status === 200 || status === 503))
    // The idle keep-alive connection does not delay the stop.
    yield* Fiber.join(stopping)
  })
)
