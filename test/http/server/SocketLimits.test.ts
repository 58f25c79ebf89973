import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { once } from "node:events"
import { freshClient } from "../../support/http/Api.ts"
import { askForMuch, dial, DOCS, serviceOf, textOf } from "../../support/http/Connections.ts"
import { databaseUrl, holdStore, waiting, watch } from "../../support/process/Process.ts"
import { lines } from "../../support/http/RawHttp.ts"

const STALLED = 500

it.live("a client that takes nothing of its answers is given up, and the log says so", () =>
  Effect.gen(function* () {
    const { connections, context, requests } = yield* serviceOf({ stallTimeout: STALLED, connections: 100 })
    const socket = yield* Effect.provide(dial, context)
    // More than the buffers of both sides of a connection take: the rest waits in the service.
    socket.pause().write(DOCS.repeat(10))
    yield* watch(
      Effect.sync(() => requests),
      (told) => told.some(({ status }) => status === "aborted")
    )
    yield* watch(connections, (count) => count === 0)
  })
)

it.live("a client that reads slowly gets all of it, however often it pauses", () =>
  Effect.gen(function* () {
    const { context, requests } = yield* serviceOf({ stallTimeout: STALLED, connections: 100 })
    const socket = yield* Effect.provide(dial, context)
    let bytes = 0
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      socket.pause()
      setTimeout(() => socket.resume(), 4)
    })
    socket.write(DOCS.repeat(5) + lines("GET /healthz HTTP/1.1", "host: a", "connection: close"))
    const began = performance.now()
    yield* Effect.promise(() => once(socket, "end"))
    assert.isAbove(performance.now() - began, 3 * STALLED)
    assert.isAbove(bytes, 5 * 3_000_000)
    const told = yield* watch(
      Effect.sync(() => requests),
      ({ length }) => length === 6
    )
    assert.isTrue(told.every(({ status }) => status === 200))
  })
)

it.live("a client that waits for its answer longer than it may take to read it gets it", () =>
  Effect.gen(function* () {
    const { context } = yield* serviceOf({ stallTimeout: STALLED, connections: 100 })
    const status = yield* Effect.provide(
      Effect.gen(function* () {
        const { client, storeId } = yield* freshClient()
        const { release, watcher } = yield* holdStore(yield* databaseUrl, storeId)
        const writing = yield* Effect.forkChild(client.post("/products", { name: "Cup" }))
        yield* waiting(watcher, 1)
        yield* Effect.sleep(3 * STALLED)
        yield* release
        return (yield* Fiber.join(writing)).status
      }),
      context
    )
    assert.strictEqual(status, 201)
  })
)

/** The statuses of the answers in `text`, none of which may lack a byte. */
const wholeAnswers = (text: string): ReadonlyArray<number> => {
  if (text === "") return []
  const [head = ""] = text.split("\r\n\r\n", 1)
  const end = head.length + 4 + Number(/^content-length: (\d+)$/im.exec(head)?.[1])
  assert.isAtLeast(text.length, end)
  return [Number(head.split(" ")[1]), ...wholeAnswers(text.slice(end))]
}

it.live("a client that has not yet taken its answers keeps its connection when there are too many", () =>
  Effect.gen(function* () {
    const { context } = yield* serviceOf({ stallTimeout: 60_000, connections: 1 })
    const open = Effect.provide(dial, context)
    const slow = yield* open
    yield* askForMuch(slow)
    assert.strictEqual(yield* textOf(yield* open), "")
    assert.deepStrictEqual(wholeAnswers(yield* textOf(slow)), [200, 200, 200, 200, 200])
  })
)

it.live("a client that has not yet taken its answers gets them whole when the service stops, which waits for it", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { context, server } = yield* Scope.provide(serviceOf({ stallTimeout: 60_000, connections: 100 }), scope)
    const slow = yield* Effect.provide(dial, context)
    const idle = yield* Effect.provide(dial, context)
    idle.write(lines("GET /healthz HTTP/1.1", "host: a"))
    yield* Effect.promise(() => once(idle, "data"))
    yield* askForMuch(slow)
    const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* watch(
      Effect.sync(() => server.listening),
      (listening) => !listening
    )
    const [first, ...others] = wholeAnswers(yield* textOf(slow))
    assert.strictEqual(first, 200)
    assert.isTrue(others.every((status) => status === 200 || status === 503))
    // It waits for nobody else, and so not for the connection that is kept for later.
    yield* Fiber.join(stopping)
  })
)
