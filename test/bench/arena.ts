import { Effect, type Scope } from "effect"
import { connection, freshDatabase } from "./cluster.ts"
import { seed } from "./seed.ts"
import { type RunningServer, type Side, startServer } from "./servers.ts"

export type Arena = Readonly<Record<Side, RunningServer>>

export const say = (line: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${line}\n`)
  })

/** Both servers, each in its own process on its own freshly seeded database, until the scope ends. */
export const openArena = (server: string): Effect.Effect<Arena, never, Scope.Scope> =>
  Effect.gen(function* () {
    const urls = { ours: yield* freshDatabase(server, "ours"), rival: yield* freshDatabase(server, "rival") }
    // Each makes its tables when it starts.
    const ours = yield* startServer("ours", urls.ours)
    const rival = yield* startServer("rival", urls.rival)
    const startedAt = Date.now()
    yield* Effect.scoped(
      Effect.gen(function* () {
        const [a, b] = [yield* connection(urls.ours), yield* connection(urls.rival)]
        yield* Effect.promise(() => seed(a, b))
      })
    )
    yield* say(`Seeded both databases in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`)
    return { ours, rival }
  })
