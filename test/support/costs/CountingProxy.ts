import { Effect } from "effect"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { portOf } from "../webhooks/Receiver.ts"

/** Traffic through a proxy since its start. */
export interface Traffic {
  /** Bytes from clients to the target, and back. */
  readonly sent: number
  readonly received: number
  /** Times that a client sent data after it had received some: pipelined messages are one round trip. */
  readonly roundTrips: number
}

/** Starts a TCP proxy that counts its traffic. */
export const countingProxy = Effect.fn(function* (target: URL) {
  const open = new Set<Socket>()
  const traffic = { sent: 0, received: 0, roundTrips: 0 }
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer({ noDelay: true }, (near) => {
        const far = connect({ port: Number(target.port), host: target.hostname, noDelay: true })
        let isWaiting = false
        for (const socket of [near, far]) open.add(socket.on("error", () => {}))
        near.on("data", (chunk) => {
          traffic.sent += chunk.length
          if (!isWaiting) traffic.roundTrips += 1
          isWaiting = true
        })
        far.on("data", (chunk) => {
          traffic.received += chunk.length
          isWaiting = false
        })
        near.pipe(far).pipe(near)
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
  const through = new URL(target)
  through.host = `127.0.0.1:${portOf(server)}`
  return { url: through.href, traffic: (): Traffic => ({ ...traffic }) }
})
