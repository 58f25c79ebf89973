import { Effect } from "effect"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { portOf } from "./webhooks/Receiver.ts"

/** Starts a proxy to a server. `join` handles each connection; it may connect it to the target by `toTarget`. */
export const tcpProxy = Effect.fn(function* (target: string, join: (client: Socket, toTarget: () => Socket) => void) {
  const open = new Set<Socket>()
  const { hostname: host, port } = new URL(target)
  const toTarget = () => {
    const socket = connect({ port: Number(port), host, noDelay: true })
    open.add(socket.on("error", () => {}))
    return socket
  }
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer({ noDelay: true }, (client) => {
        open.add(client.on("error", () => {}))
        join(client, toTarget)
      })
      await once(server.listen(0, "127.0.0.1"), "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        for (const socket of open) socket.destroy()
      })
  )
  const url = new URL(target)
  url.host = `127.0.0.1:${portOf(server)}`
  const sockets: ReadonlySet<Socket> = open
  return { url: url.href, sockets }
})
