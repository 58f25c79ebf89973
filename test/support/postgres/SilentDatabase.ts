import { Effect } from "effect"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { portOf } from "../webhooks/Receiver.ts"

/** Proxy to a database that can drop all data while its connections stay open. */
export const wayTo = (url: string) =>
  Effect.gen(function* () {
    const database = new URL(url)
    const open = new Set<Socket>()
    let isFrozen = false
    const server = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((near) => {
          open.add(near.on("error", () => {}))
          if (isFrozen) return
          const far = connect(Number(database.port), database.hostname)
          open.add(far.on("error", () => {}))
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
    const through = new URL(url)
    through.host = `127.0.0.1:${portOf(server)}`
    return {
      url: through.href,
      freeze: () => {
        isFrozen = true
        for (const socket of open) socket.unpipe().resume()
      },
      thaw: () => {
        isFrozen = false
        for (const socket of open) socket.destroy()
      }
    }
  })
