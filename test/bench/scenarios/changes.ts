import { Effect, Fiber, Stream } from "effect"
import { StoreId } from "../../../src/domain/Store.ts"
import { followerAt } from "../../support/rpc/Follower.ts"
import { begin, openTable, printLine, rounds, step } from "../output.ts"
import { openConnection, createDatabase, vacuumAndCheckpoint } from "../database.ts"
import { makeLoadDriver } from "../load/driver.ts"
import { fillStore } from "../seed/manyProducts.ts"
import { medianOf } from "../measure/rounds.ts"
import { memberOf } from "../../support/rpc/Members.ts"
import type { Options } from "../options.ts"
import { idOf, PRODUCTS, STORES } from "../seed/population.ts"
import { BOUND_HEADINGS, boundLine } from "../measure/report.ts"
import { seedServiceAccounts } from "../seed/seed.ts"
import { SERVICE, startServer } from "../servers.ts"

/** Maximum ratio of a write's latency with followers to that without. */
const AT_MOST = 1.05

/** Maximum sockets of a merchant. */
const MANY = 30

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

const storeAt = (n: number) => StoreId.make(idOf("store", 0, n))

/** Measures sequential PATCHes over 50 stores with no, one and 30 followers. */
export const changes = (server: string, options: Options) =>
  Effect.gen(function* () {
    yield* begin("changes", 3)
    yield* step("seeding")
    const url = yield* createDatabase(server, "changes")
    const { port } = yield* startServer(SERVICE, url)
    const db = yield* openConnection(url)
    yield* Effect.promise(() =>
      seedServiceAccounts(
        db,
        range(STORES).map((store) => [store, PRODUCTS] as const)
      )
    )
    for (const store of range(STORES)) yield* fillStore(url, store, 0, PRODUCTS)
    yield* vacuumAndCheckpoint(db)
    const cookie = yield* memberOf(url, range(STORES).map(storeAt))
    const drive = yield* makeLoadDriver
    const write = Effect.map(
      drive({ port, work: "update", connections: 1, requests: 0, millis: options.roundMillis }),
      ({ median }) => median
    )
    yield* write

    const { changes } = yield* followerAt(`http://127.0.0.1:${port}`, cookie)
    const beside = (followers: number) =>
      Effect.gen(function* () {
        let received = 0
        const follow = (store: number) =>
          Stream.runForEach(changes({ storeId: storeAt(store) }), () => Effect.sync(() => void received++))
        const following = yield* Effect.forkChild(
          Effect.forEach(range(followers), follow, { concurrency: "unbounded" })
        )
        yield* Effect.sleep("1 second")
        const median = yield* write
        yield* Fiber.interrupt(following)
        return { median, received }
      })
    const printBound = yield* openTable(BOUND_HEADINGS)
    const received: Array<string> = []
    for (const followers of [1, MANY]) {
      yield* step(`stores followed: ${followers}`)
      const pairs = yield* rounds(
        options.rounds,
        Effect.fnUntraced(function* (round) {
          const first = round % 2 === 0 ? yield* write : undefined
          const { median, received } = yield* beside(followers)
          return { alone: first ?? (yield* write), followed: median, received }
        })
      )
      const alone = medianOf(pairs.map(({ alone }) => alone))
      const ratio = medianOf(pairs.map(({ alone, followed }) => followed / alone))
      yield* printBound(boundLine(`A PATCH, stores followed: ${followers}`, alone * ratio, alone, "ms", AT_MOST))
      received.push(`${followers} followers received ${pairs.map((pair) => pair.received).join(", ")} changes.`)
    }
    yield* printLine(`\n${received.join("\n")}`)
  }).pipe(Effect.scoped)
