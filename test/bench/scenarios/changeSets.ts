import { Effect, Fiber } from "effect"
import { createDatabase, openConnection, vacuumAndCheckpoint } from "../database.ts"
import { type ChangeSetRun, changeSetRuns } from "../load/changeSets.ts"
import { makeLoadDriver } from "../load/driver.ts"
import { medianOf } from "../measure/rounds.ts"
import { BOUND_HEADINGS, boundLine } from "../measure/report.ts"
import type { Options } from "../options.ts"
import { idOf, LARGE_STORE, makeFullProduct, PRODUCTS, STORES } from "../seed/population.ts"
import { fillStore } from "../seed/manyProducts.ts"
import { seedServiceAccounts } from "../seed/seed.ts"
import { begin, openTable, step } from "../output.ts"
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

const HEADINGS = ["Change set", "Received, s", "Previewed, s", "Applied, s", "CPU, s", "Changed", "Refused"]

/** Products that are created, deleted by an undo, and restored. */
const CREATED = 10_000

/** Measures change sets, of creations with their undo and of prices, and the effect on other stores. */
export const changeSets = (server: string, { changeSetRows, roundMillis }: Options) =>
  Effect.gen(function* () {
    yield* begin("change-sets", 7)
    yield* step("seeding")
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
    yield* step("reads without a change set")
    yield* probe
    const quiet = medianOf(yield* Effect.replicateEffect(probe, 3))
    let memory = 0

    const printRow = yield* openTable(HEADINGS)
    const measure = Effect.fnUntraced(function* <E, R>(title: string, work: Effect.Effect<ChangeSetRun, E, R>) {
      yield* step(title)
      const run = yield* work
      const times = [run.received, run.previewed, run.applied, run.cpu].map((time) => time.toFixed(1))
      yield* printRow({ cells: [title, ...times, String(run.counts.changed), String(run.counts.refused)] })
      return run
    })
    const prices = (rows: number, price: number) =>
      sets.run(
        range(rows).map((n) => ({
          op: "product.update",
          id: idOf("product", LARGE_STORE.store, n),
          patch: { price: price + n / 100 }
        }))
      )

    const created = yield* measure(
      `${CREATED.toLocaleString("en")} creations`,
      sets.run(range(CREATED).map((n) => ({ op: "product.create", product: makeFullProduct(n) })))
    )
    const undone = yield* measure("Their undo", sets.undo(created.id))
    yield* measure("The undo of the undo", sets.undo(undone.id))
    const alone = yield* measure("10,000 prices", prices(10_000, 10))
    const title = `${changeSetRows.toLocaleString("en")} prices beside reads`
    const all = yield* Effect.forkChild(measure(title, prices(changeSetRows, 20)))
    const loud: Array<number> = []
    while (all.pollUnsafe() === undefined) {
      loud.push(yield* probe)
      memory = Math.max(memory, residentMiB(pid))
    }
    const { applied } = yield* Fiber.join(all)
    const lines = [
      boundLine("CPU of the undo of creations, against theirs", undone.cpu, created.cpu, "s", UNDO_AT_MOST),
      boundLine("10,000 prices, applied", alone.applied, SECONDS_PER_10_000, "s", 1),
      boundLine(`${title}, applied`, applied, (SECONDS_PER_100_000 * changeSetRows) / 100_000, "s", 1),
      boundLine(
        "p99 of the others' reads beside it",
        medianOf(loud),
        Math.max(quiet, ACCEPTABLE / AT_MOST),
        "ms",
        AT_MOST
      ),
      boundLine("Resident memory meanwhile", memory, MEMORY, "MiB", 1)
    ]
    yield* Effect.forEach(lines, yield* openTable(BOUND_HEADINGS))
  }).pipe(Effect.scoped)
