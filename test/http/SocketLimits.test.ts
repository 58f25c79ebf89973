import { assert, it } from "@effect/vitest"
import { Config, Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { type Access, AccessLog } from "../../src/http/AccessLog.ts"
import { listen, Listener, type SocketLimits } from "../../src/http/Listener.ts"
import { DomainLive } from "../../src/layers/Domain.ts"
import { ServerLive } from "../../src/Server.ts"
import { freshClient, baseUrl } from "../support/Api.ts"
import { PostgresTest } from "../support/PostgresTest.ts"
import { databaseUrl, holdStore, waiting, watch } from "../support/Process.ts"
import { lines } from "../support/Raw.ts"

const STALLED = 500

/** The service with limits that a test can reach, the requests it told its log of, and everything below it. */
const serviceOf = Effect.fn(function* (limits: SocketLimits) {
  const requests: Array<Access> = []
  const context = yield* Layer.build(
    ServerLive.pipe(
      Layer.provideMerge(listen({ host: Config.succeed("127.0.0.1"), port: Config.succeed(0) }, limits)),
      Layer.provide(Layer.succeed(AccessLog, (access: Access) => void requests.push(access))),
      Layer.provideMerge(DomainLive),
      Layer.provideMerge(PostgresTest)
    )
  )
  const server = Context.get(context, Listener)
  const connections = Effect.async<number>((resume) => {
    server.getConnections((_, count) => resume(Effect.succeed(count)))
  })
  return { context, requests, connections, server }
})

/** A connection to the service, and what has come back on it. */
const dial = Effect.gen(function* () {
  const { hostname, port } = new URL(yield* baseUrl)
  return yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = connect(Number(port), hostname)
      socket.on("error", () => undefined)
      await once(socket, "connect")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )
})

const textOf = (socket: Socket) =>
  Effect.async<string>((resume) => {
    let text = ""
    socket.setEncoding("latin1").on("data", (chunk: string) => void (text += chunk))
    socket.once("close", () => resume(Effect.succeed(text)))
  })

const DOCS = lines("GET /docs HTTP/1.1", "host: a")

it.scopedLive("a client that takes nothing of its answers is given up, and the log says so", () =>
  Effect.gen(function* () {
    const { connections, context, requests } = yield* serviceOf({ stalled: STALLED, connections: 100 })
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

it.scopedLive("a client that reads slowly gets all of it, however often it pauses", () =>
  Effect.gen(function* () {
    const { context, requests } = yield* serviceOf({ stalled: STALLED, connections: 100 })
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

it.scopedLive("a client that waits for its answer longer than it may take to read it gets it", () =>
  Effect.gen(function* () {
    const { context } = yield* serviceOf({ stalled: STALLED, connections: 100 })
    const status = yield* Effect.provide(
      Effect.gen(function* () {
        const { client, storeId } = yield* freshClient()
        const { release, watcher } = yield* holdStore(yield* databaseUrl, storeId)
        const writing = yield* Effect.fork(client.post("/products", { name: "Cup" }))
        yield* waiting(watcher, 1)
        yield* Effect.sleep(3 * STALLED)
        yield* release
        return (yield* writing).status
      }),
      context
    )
    assert.strictEqual(status, 201)
  })
)

it.scopedLive(
  "a connection beyond the bound is closed unanswered, and those kept for later make room for the next",
  () =>
    Effect.gen(function* () {
      const { connections, context } = yield* serviceOf({ stalled: 60_000, connections: 2 })
      const open = Effect.provide(dial, context)
      const [idle, half] = [yield* open, yield* open]
      idle.write(lines("GET /healthz HTTP/1.1", "host: a"))
      yield* Effect.promise(() => once(idle, "data"))
      half.write("GET /healthz HTTP/1.1\r\n")
      yield* watch(connections, (count) => count === 2)

      assert.strictEqual(yield* textOf(yield* open), "")
      yield* watch(connections, (count) => count === 1)
      const next = yield* open
      next.write(lines("GET /healthz HTTP/1.1", "host: a", "connection: close"))
      assert.match(yield* textOf(next), /^HTTP\/1\.1 200 /)
      half.write("host: a\r\nconnection: close\r\n\r\n")
      assert.match(yield* textOf(half), /^HTTP\/1\.1 200 /)
    })
)

/** Asks for more than the buffers of both sides of a connection take, and waits until the first of it is there. */
const askForMuch = Effect.fn(function* (socket: Socket) {
  socket.write(DOCS.repeat(4) + lines("GET /docs HTTP/1.1", "host: a", "connection: close"))
  yield* Effect.promise(() => once(socket, "readable"))
})

/** The statuses of the answers in `text`, none of which may lack a byte. */
const wholeAnswers = (text: string): ReadonlyArray<number> => {
  if (text === "") return []
  const [head = ""] = text.split("\r\n\r\n", 1)
  const end = head.length + 4 + Number(/^content-length: (\d+)$/im.exec(head)?.[1])
  assert.isAtLeast(text.length, end)
  return [Number(head.split(" ")[1]), ...wholeAnswers(text.slice(end))]
}

it.scopedLive("a client that has not yet taken its answers keeps its connection when there are too many", () =>
  Effect.gen(function* () {
    const { context } = yield* serviceOf({ stalled: 60_000, connections: 1 })
    const open = Effect.provide(dial, context)
    const slow = yield* open
    yield* askForMuch(slow)
    assert.strictEqual(yield* textOf(yield* open), "")
    assert.deepStrictEqual(wholeAnswers(yield* textOf(slow)), [200, 200, 200, 200, 200])
  })
)

it.scopedLive(
  "a client that has not yet taken its answers gets them whole when the service stops, which waits for it",
  () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { context, server } = yield* Scope.extend(serviceOf({ stalled: 60_000, connections: 100 }), scope)
      const slow = yield* Effect.provide(dial, context)
      const idle = yield* Effect.provide(dial, context)
      idle.write(lines("GET /healthz HTTP/1.1", "host: a"))
      yield* Effect.promise(() => once(idle, "data"))
      yield* askForMuch(slow)
      const stopping = yield* Effect.fork(Scope.close(scope, Exit.void))
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
