import { Effect } from "effect"
import { tcpProxy } from "../TcpProxy.ts"

/** Traffic through a proxy since its start. */
export interface Traffic {
  /** Bytes from clients to the target, and back. */
  readonly sent: number
  readonly received: number
  /** Times that a client sent data after it had received some: pipelined messages are one round trip. */
  readonly roundTrips: number
}

/** Starts a proxy to a server that counts its traffic. */
export const countingProxy = Effect.fn(function* (server: string) {
  const traffic = { sent: 0, received: 0, roundTrips: 0 }
  const { url } = yield* tcpProxy(server, (client, toTarget) => {
    const target = toTarget()
    let isWaiting = false
    client.on("data", (chunk) => {
      traffic.sent += chunk.length
      if (!isWaiting) traffic.roundTrips += 1
      isWaiting = true
    })
    target.on("data", (chunk) => {
      traffic.received += chunk.length
      isWaiting = false
    })
    client.pipe(target).pipe(client)
  })
  return { url, traffic: (): Traffic => ({ ...traffic }) }
})
