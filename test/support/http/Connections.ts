import { Config, Context, Effect, Layer } from "effect"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { type AccessEntry, AccessLog } from "../../../src/http/server/AccessLog.ts"
import { listen, HttpListener, type SocketLimits } from "../../../src/http/server/HttpListener.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { ServerLive } from "../../../src/Server.ts"
import { baseUrl } from "./Api.ts"
import { PostgresTest } from "../postgres/PostgresTest.ts"
import { lines } from "./RawHttp.ts"

/** The service with small socket limits, its access log, and its lower layers. */
export const startLimitedService = Effect.fn(function* (limits: Partial<SocketLimits>) {
  const requests: Array<AccessEntry> = []
  const context = yield* Layer.build(
    ServerLive.pipe(
      Layer.provideMerge(listen({ host: Config.succeed("127.0.0.1"), port: Config.succeed(0) }, limits)),
      Layer.provide(Layer.succeed(AccessLog, (access: AccessEntry) => void requests.push(access))),
      Layer.provideMerge(DomainLive),
      Layer.provideMerge(PostgresTest)
    )
  )
  const server = Context.get(context, HttpListener)
  const connections = Effect.callback<number>((resume) => {
    server.getConnections((_, count) => resume(Effect.succeed(count)))
  })
  return { context, requests, connections, server }
})

/** Opens a connection to the service from a local address. */
export const dialFrom = Effect.fn(function* (localAddress: string) {
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

export const dial = dialFrom("127.0.0.1")

export const textOf = (socket: Socket) =>
  Effect.callback<string>((resume) => {
    let text = ""
    socket.setEncoding("latin1").on("data", (chunk: string) => void (text += chunk))
    socket.once("close", () => resume(Effect.succeed(text)))
  })

export const DOCS = lines("GET /docs HTTP/1.1", "host: a")

/** Requests more data than both socket buffers hold, and waits for its first bytes. */
export const requestLargeResponse = Effect.fn(function* (socket: Socket) {
  socket.write(DOCS.repeat(4) + lines("GET /docs HTTP/1.1", "host: a", "connection: close"))
  yield* Effect.promise(() => once(socket, "readable"))
})
