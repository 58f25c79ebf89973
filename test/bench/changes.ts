import { Effect, Fiber, Stream } from "effect"
import { StoreId } from "../../src/domain/Store.ts"
import { followerAt } from "../support/Follower.ts"
import { say } from "./arena.ts"
import { connection, freshDatabase, settle } from "./cluster.ts"
import { makeDriver } from "./driver.ts"
import { fillStore } from "./manyProducts.ts"
import { middle } from "./measure.ts"
import { memberOf } from "../support/Members.ts"
import type { Options } from "./options.ts"
import { idOf, PRODUCTS, STORES } from "./population.ts"
import { allReached, BOUND_HEADINGS, boundLine, table } from "./report.ts"
import { seedOurAccounts } from "./seed.ts"
import { SERVICE, startServer } from "./servers.ts"

/** What a follower may add to the latency of a write: the ratio of two rounds that follow each other. */
const AT_MOST = 1.05

/** Sockets that one merchant may hold. */
const MANY = 30

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

const storeAt = (n: number) => StoreId.make(idOf("store", 0, n))

/** What those who follow stores cost a write: a PATCH at a time, over 50 stores, beside none, one and 30 followers. */
export const changes = (server: string, { rounds, roundMillis }: Options) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase(server, "changes")
    const { port } = yield* startServer(SERVICE, url)
    const db = yield* connection(url)
    yield* Effect.promise(() =>
      seedOurAccounts(
        db,
        range(STORES).map((store) => [store, PRODUCTS] as const)
      )
    )
    for (const store of range(STORES)) yield* fillStore(url, store, 0, PRODUCTS)
    yield* settle(db)
    const cookie = yield* memberOf(url, range(STORES).map(storeAt))
    const drive = yield* makeDriver
    const write = Effect.map(
      drive({ port, work: "update", connections: 1, requests: 0, millis: roundMillis }),
      ({ median }) => median
    )
    yield* write

    const { changes } = yield* followerAt(`http://127.0.0.1:${port}`, cookie)
    const beside = (followers: number) =>
      Effect.gen(function* () {
        let told = 0
        const follow = (store: number) =>
          Stream.runForEach(changes({ storeId: storeAt(store) }), () => Effect.sync(() => void told++))
        const following = yield* Effect.forkChild(
          Effect.forEach(range(followers), follow, { concurrency: "unbounded" })
        )
        yield* Effect.sleep("1 second")
        const median = yield* write
        yield* Fiber.interrupt(following)
        return { median, told }
      })
    const lines = []
    for (const followers of [1, MANY]) {
      const pairs = []
      for (const round of range(rounds)) {
        const first = round % 2 === 0 ? yield* write : undefined
        const { median, told } = yield* beside(followers)
        pairs.push({ alone: first ?? (yield* write), followed: median, told })
      }
      const alone = middle(pairs.map(({ alone }) => alone))
      const ratio = middle(pairs.map(({ alone, followed }) => followed / alone))
      yield* say(`${followers} followers were told of ${pairs.map(({ told }) => told).join(", ")} changes`)
      lines.push(boundLine(`A PATCH, stores followed: ${followers}`, alone * ratio, alone, "ms", AT_MOST))
    }
    yield* say(`\n${table(BOUND_HEADINGS, lines)}\n`)
    return allReached(lines)
  }).pipe(Effect.scoped)
