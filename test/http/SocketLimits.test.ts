import { assert, it } from "@effect/vitest"
import { Config, Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { type Access, AccessLog } from "../../src/http/AccessLog.ts"
import { isLoopback, networkOf } from "../../src/http/ConnectionLimits.ts"
import { listen, Listener, type SocketLimits } from "../../src/http/Listener.ts"
import { DomainLive } from "../../src/layers/Domain.ts"
import { ServerLive } from "../../src/Server.ts"
import { freshClient, baseUrl } from "../support/Api.ts"
import { PostgresTest } from "../support/PostgresTest.ts"
import { databaseUrl, holdStore, waiting, watch } from "../support/Process.ts"
import { lines } from "../support/Raw.ts"
import { freshMember } from "../support/Rpc.ts"
import { openSocket } from "../support/Sockets.ts"

const STALLED = 500

/** The service with limits that a test can reach, the requests it told its log of, and everything below it. */
const serviceOf = Effect.fn(function* (limits: Partial<SocketLimits>) {
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

/** A connection to the service, from an address of this machine. */
const dialFrom = Effect.fn(function* (localAddress: string) {
  const { hostname: host, port } = new URL(yield* baseUrl)
  return yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = connect({ port: Number(port), host, localAddress })
      socket.on("error", () => undefined)
      await once(socket, "connect")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )
})

const dial = dialFrom("127.0.0.1")

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

/** Asks for more than the buffers of both sides of a connection take, and waits until the first of it is there. */
const askForMuch = Effect.fn(function* (socket: Socket) {
  socket.write(DOCS.repeat(4) + lines("GET /docs HTTP/1.1", "host: a", "connection: close"))
  yield* Effect.promise(() => once(socket, "readable"))
})

const HEALTH = lines("GET /healthz HTTP/1.1", "host: a", "connection: close")

/** What a connection can have sent that is no whole request, or was answered already; and the rest of it. */
const unfinished: Readonly<Record<string, readonly [sent: string, rest: string]>> = {
  nothing: ["", HEALTH],
  "half a head": ["GET /healthz HTTP/1.1\r\n", "host: a\r\nconnection: close\r\n\r\n"],
  "half a body": [
    `${lines("POST /auth/sign-in HTTP/1.1", "host: a", "connection: close", "content-type: application/json", "content-length: 2")}{`,
    "}"
  ],
  "a request that was answered": [lines("GET /healthz HTTP/1.1", "host: a"), HEALTH]
}
for (const [what, [sent, rest]] of Object.entries(unfinished)) {
  it.scopedLive(`a client gets in where all connections sent ${what}: the one that has waited longest is closed`, () =>
    Effect.gen(function* () {
      const { connections, context } = yield* serviceOf({ connections: 3 })
      const open = Effect.provide(dial, context)
      const silent = yield* Effect.replicateEffect(
        Effect.tap(open, (socket) =>
          Effect.promise(async () => {
            if (sent !== "") socket.write(sent)
            if (rest === HEALTH && sent !== "") await once(socket, "data")
          })
        ),
        3
      )
      yield* watch(connections, (count) => count === 3)
      const [oldest, second, third] = silent
      assert.isDefined(oldest)
      assert.isDefined(second)
      assert.isDefined(third)
      const [, answer] = yield* Effect.all(
        [
          Effect.promise(() => once(oldest, "close")),
          Effect.flatMap(open, (newcomer) =>
            Effect.zipRight(
              Effect.sync(() => newcomer.write(HEALTH)),
              textOf(newcomer)
            )
          )
        ],
        { concurrency: 2 }
      )
      assert.match(answer, /^HTTP\/1\.1 200 /)
      for (const kept of [second, third]) {
        kept.write(rest)
        assert.match(yield* textOf(kept), /^HTTP\/1\.1 [24]\d\d /)
      }
    })
  )
}

it.scopedLive("a request that is being worked on keeps its connection when there are too many", () =>
  Effect.gen(function* () {
    const { context } = yield* serviceOf({ connections: 1 })
    yield* Effect.provide(
      Effect.gen(function* () {
        const { client, storeId } = yield* freshClient()
        const { release, watcher } = yield* holdStore(yield* databaseUrl, storeId)
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
        yield* waiting(watcher, 1)
        assert.strictEqual(yield* textOf(yield* dial), "")
        const answered = yield* Effect.fork(textOf(writing))
        yield* release
        assert.match(yield* answered, /^HTTP\/1\.1 201 /)
      }),
      context
    )
  })
)

it.scopedLive("a WebSocket keeps its connection when there are too many", () =>
  Effect.gen(function* () {
    const { context } = yield* serviceOf({ connections: 1 })
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

it.scopedLive("one address cannot take all connections: beyond its bound it makes room itself", () =>
  Effect.gen(function* () {
    const { connections, context } = yield* serviceOf({ connections: 10, perAddress: 2, isExempt: () => false })
    const from = (address: string) => Effect.provide(dialFrom(address), context)
    const other = yield* from("127.0.0.3")
    const [oldest, second] = [yield* from("127.0.0.2"), yield* from("127.0.0.2")]
    yield* watch(connections, (count) => count === 3)
    yield* Effect.all([Effect.promise(() => once(oldest, "close")), from("127.0.0.2")], { concurrency: 2 })
    yield* watch(connections, (count) => count === 3)

    // Who is served makes no room.
    yield* askForMuch(second)
    const busy = yield* from("127.0.0.2")
    yield* askForMuch(busy)
    assert.strictEqual(yield* textOf(yield* from("127.0.0.2")), "")
    other.write(HEALTH)
    assert.match(yield* textOf(other), /^HTTP\/1\.1 200 /)
  })
)

it.scopedLive("an address that many clients share takes as many connections as there are", () =>
  Effect.gen(function* () {
    const limits = { connections: 4, perAddress: 1, isExempt: (address: string) => address === "127.0.0.2" }
    const { connections, context } = yield* serviceOf(limits)
    const from = (address: string) => Effect.provide(dialFrom(address), context)
    yield* Effect.replicateEffect(from("127.0.0.2"), 3)
    const single = yield* from("127.0.0.3")
    yield* watch(connections, (count) => count === 4)
    yield* Effect.all([Effect.promise(() => once(single, "close")), from("127.0.0.3")], { concurrency: 2 })
    yield* watch(connections, (count) => count === 4)
  })
)

it("connections are counted by address: of IPv6, by its first 64 bits", () => {
  const networks = [
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::1", "2001:db8:1:2"],
    ["2001:db8::1:2:3:4:5", "2001:db8:0:1"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["::", "0:0:0:0"]
  ] as const
  for (const [address, network] of networks) assert.strictEqual(networkOf(address), network)
})

it("programs on this machine are told from others by their address", () => {
  for (const address of ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"]) assert.isTrue(isLoopback(address))
  for (const address of ["128.0.0.1", "10.0.0.1", "::2", "::ffff:10.0.0.1"]) assert.isFalse(isLoopback(address))
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
