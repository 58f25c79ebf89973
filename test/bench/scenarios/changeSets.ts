import { Effect, Fiber } from "effect"
import { createDatabase, openConnection, vacuumAndCheckpoint } from "../database.ts"
import { changeSetRuns } from "../load/changeSets.ts"
import { makeLoadDriver } from "../load/driver.ts"
import { medianOf } from "../measure/rounds.ts"
import { allReached, BOUND_HEADINGS, boundLine, formatTable } from "../measure/report.ts"
import type { Options } from "../options.ts"
import { idOf, LARGE_STORE, makeFullProduct, PRODUCTS, STORES } from "../seed/population.ts"
import { fillStore } from "../seed/manyProducts.ts"
import { seedServiceAccounts } from "../seed/seed.ts"
import { printLine } from "../serverPair.ts"
import { range } from "./attackRequests.ts"
import { residentMiB, SERVICE, startServer } from "../servers.ts"

/** Maximum seconds for applying 10,000 changes of a price, and for all of a large set. */
const SECONDS_PER_10_000 = 10
const SECONDS_PER_100_000 = 90

/** Maximum ratio of the others' p99 to its quiet value, and the p99 in milliseconds that is acceptable in any case. */
const AT_MOST = 5
const ACCEPTABLE = 100

/** Maximum resident memory of the server in MiB. */
const MEMORY = 512

/** Maximum ratio of the CPU of undoing creations to that of the creations. */
const UNDO_AT_MOST = 3

/** Products that are created, deleted by an undo, and restored. */
const CREATED = 10_000

/** Measures change sets, of creations with their undo and of prices, and the effect on other stores. */
export const changeSets = (server: string, { changeSetRows, roundMillis }: Options) =>
  Effect.gen(function* () {
    const url = yield* createDatabase(server, "change_sets")
    const { pid, port } = yield* startServer(SERVICE, url)
    const db = yield* openConnection(url)
    const stores: ReadonlyArray<readonly [store: number, products: number]> = [
      ...Array.from({ length: STORES }, (_, store) => [store, PRODUCTS] as const),
      [LARGE_STORE.store, changeSetRows]
    ]
    yield* Effect.promise(() => seedServiceAccounts(db, stores))
    yield* Effect.promise(() => db.query("update plans set product_limit = $1", [2 * changeSetRows]))
    for (const [store, products] of stores) yield* fillStore(url, store, 0, products)
    yield* vacuumAndCheckpoint(db)
    const sets = yield* changeSetRuns({ db, pid, port })
    const drive = yield* makeLoadDriver
    const probe = Effect.map(
      drive({ port, work: "listFew", connections: 1, requests: 0, millis: roundMillis }),
      ({ p99 }) => p99
    )
    yield* probe
    const quiet = medianOf(yield* Effect.replicateEffect(probe, 3))
    let memory = 0

    const prices = (rows: number, price: number) =>
      sets.run(
        `${rows.toLocaleString("en")} prices`,
        range(rows).map((n) => ({
          op: "product.update",
          id: idOf("product", LARGE_STORE.store, n),
          patch: { price: price + n / 100 }
        }))
      )

    const created = yield* sets.run(
      `${CREATED.toLocaleString("en")} creations`,
      range(CREATED).map((n) => ({ op: "product.create", product: makeFullProduct(n) }))
    )
    const undone = yield* sets.undo("Their undo", created.id)
    yield* sets.undo("The undo of the undo", undone.id)
    const { seconds: alone } = yield* prices(Math.min(10_000, changeSetRows), 10)
    const all = yield* Effect.forkChild(prices(changeSetRows, 20))
    const loud: Array<number> = []
    while (all.pollUnsafe() === undefined) {
      loud.push(yield* probe)
      memory = Math.max(memory, residentMiB(pid))
    }
    const { seconds } = yield* Fiber.join(all)
    const lines = [
      boundLine("CPU of the undo of creations, against theirs", undone.cpu, created.cpu, "s", UNDO_AT_MOST),
      boundLine("10,000 prices, seconds", alone, SECONDS_PER_10_000, "s", 1),
      boundLine(
        `${changeSetRows.toLocaleString("en")} prices beside reads`,
        seconds,
        (SECONDS_PER_100_000 * changeSetRows) / 100_000,
        "s",
        1
      ),
      boundLine(
        "p99 of the others' reads beside it",
        medianOf(loud),
        Math.max(quiet, ACCEPTABLE / AT_MOST),
        "ms",
        AT_MOST
      ),
      boundLine("Resident memory meanwhile", memory, MEMORY, "MiB", 1)
    ]
    yield* printLine(`\n${formatTable(BOUND_HEADINGS, lines)}\n`)
    return allReached(lines)
  }).pipe(Effect.scoped)
