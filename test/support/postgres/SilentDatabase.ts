import { Effect } from "effect"
import { tcpProxy } from "../TcpProxy.ts"

/** Proxy to a database that can drop all data while its connections stay open. */
export const wayTo = (database: string) =>
  Effect.gen(function* () {
    let isFrozen = false
    const { sockets, url } = yield* tcpProxy(database, (client, toTarget) => {
      if (!isFrozen) client.pipe(toTarget()).pipe(client)
    })
    return {
      url,
      freeze: () => {
        isFrozen = true
        for (const socket of sockets) socket.unpipe().resume()
      },
      thaw: () => {
        isFrozen = false
        for (const socket of sockets) socket.destroy()
      }
    }
  })
