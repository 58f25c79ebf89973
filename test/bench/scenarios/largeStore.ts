import { Effect } from "effect"
import { printLine } from "../serverPair.ts"
import { openConnection, createDatabase, vacuumAndCheckpoint } from "../database.ts"
import { makeLoadDriver } from "../load/driver.ts"
import { fillStore } from "../seed/manyProducts.ts"
import { compareLatency } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { LARGE_STORE } from "../seed/population.ts"
import { BOUND_HEADINGS, boundLine, formatTable } from "../measure/report.ts"
import { seedServiceAccounts } from "../seed/seed.ts"
import { SERVICE, startServer } from "../servers.ts"

const seedLargeStore = (url: string, products: number) =>
  Effect.gen(function* () {
    const db = yield* openConnection(url)
    yield* Effect.promise(() => seedServiceAccounts(db, [[LARGE_STORE.store, products]]))
    yield* fillStore(url, LARGE_STORE.store, LARGE_STORE.products - products, LARGE_STORE.products)
    yield* vacuumAndCheckpoint(db)
  }).pipe(Effect.scoped)

/** Compares the last page of a store with a million products with its first page. */
export const largeStore = (server: string, options: Options) =>
  Effect.gen(function* () {
    const url = yield* createDatabase(server, "million")
    const { port } = yield* startServer(SERVICE, url)
    const startedAt = Date.now()
    yield* seedLargeStore(url, options.largeStoreProducts)
    yield* printLine(
      `Seeded ${options.largeStoreProducts.toLocaleString("en")} products in ${Math.round((Date.now() - startedAt) / 1000)} s.`
    )
    const drive = yield* makeLoadDriver
    const [last, first] = yield* compareLatency(port, drive, ["lastPage", "firstPage"], options)
    const title = `Last page of ${options.largeStoreProducts.toLocaleString("en")} products, against the first (50 products each)`
    const line = boundLine(title, last, first, "ms", 1.5)
    yield* printLine(`\n${formatTable(BOUND_HEADINGS, [line])}\n`)
    return line.reached
  }).pipe(Effect.scoped)
