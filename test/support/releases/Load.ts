import { Effect, Fiber } from "effect"
import { waitUntil } from "../process/Process.ts"
import { type Calls, idOf } from "./Calls.ts"

const CLIENTS = 3

/**
 * Starts concurrent clients of servers. They create products, which all servers patch, patch one product together, write app
 * data and read lists. The first answer that is not a success fails the load.
 */
export const startLoad = Effect.fnUntraced(function* (servers: ReadonlyArray<Calls>, shared: string) {
  let isOver = false
  let rounds = 0
  const round = (client: number) =>
    Effect.gen(function* () {
      for (const server of servers) {
        const id = idOf(yield* server.post("/products", { name: `Cup ${client}`, price: 1 }))
        for (const other of servers) yield* other.patch(`/products/${id}`, { price: 2 + rounds, tags: ["load"] })
        yield* server.patch(`/products/${shared}`, { price: 3 + rounds, stock: client })
        yield* server.put("/app-data/settings", { key: `theme-${client}`, value: { rounds } })
        yield* server.page("/products?limit=5")
        yield* server.page("/collections?limit=5")
        yield* server.page("/orders?limit=5")
      }
      rounds += 1
    }).pipe(Effect.repeat({ until: () => isOver }))
  const running = yield* Effect.forkChild(
    Effect.forEach(Array.from({ length: CLIENTS }).keys(), round, { concurrency: "unbounded", discard: true })
  )
  const progress = (before: number) =>
    waitUntil(
      Effect.sync(() => rounds),
      (now) => now >= before + CLIENTS
    )
  /** Waits until each client has done some more rounds, and ends them. */
  const end = Effect.gen(function* () {
    yield* Effect.raceFirst(progress(rounds), Fiber.join(running))
    isOver = true
    yield* Fiber.join(running)
  })
  return { end }
})
