import { Effect } from "effect"
import { begin, openTable, step } from "../output.ts"
import { openConnection, createDatabase, vacuumAndCheckpoint } from "../database.ts"
import { makeLoadDriver } from "../load/driver.ts"
import { fillStore } from "../seed/manyProducts.ts"
import { compareLatency } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { LARGE_STORE } from "../seed/population.ts"
import { BOUND_HEADINGS, boundLine } from "../measure/report.ts"
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
    const products = options.largeStoreProducts.toLocaleString("en")
    yield* begin("million", 2)
    yield* step(`seeding ${products} products`)
    const url = yield* createDatabase(server, "million")
    const { port } = yield* startServer(SERVICE, url)
    yield* seedLargeStore(url, options.largeStoreProducts)
    yield* step("last and first page")
    const drive = yield* makeLoadDriver
    const [last, first] = yield* compareLatency(port, drive, ["lastPage", "firstPage"], options)
    const printBound = yield* openTable(BOUND_HEADINGS)
    yield* printBound(
      boundLine(`Last page of ${products} products, against the first (50 each)`, last, first, "ms", 1.5)
    )
  }).pipe(Effect.scoped)
