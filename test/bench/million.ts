import { Effect } from "effect"
import { say } from "./arena.ts"
import { connection, freshDatabase, settle } from "./cluster.ts"
import { makeDriver } from "./driver.ts"
import { fillStore } from "./manyProducts.ts"
import { compareLatency } from "./measure.ts"
import type { Options } from "./options.ts"
import { VAST } from "./population.ts"
import { BOUND_HEADINGS, boundLine, table } from "./report.ts"
import { seedOurAccounts } from "./seed.ts"
import { SERVICE, startServer } from "./servers.ts"

const seedVast = (url: string, products: number) =>
  Effect.gen(function* () {
    const db = yield* connection(url)
    yield* Effect.promise(() => seedOurAccounts(db, [[VAST.store, products]]))
    yield* fillStore(url, VAST.store, VAST.products - products, VAST.products)
    yield* settle(db)
  }).pipe(Effect.scoped)

/** The last page of a store of a million products against its first. */
export const million = (server: string, options: Options) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase(server, "million")
    const { port } = yield* startServer(SERVICE, url)
    const startedAt = Date.now()
    yield* seedVast(url, options.vastProducts)
    yield* say(
      `Seeded ${options.vastProducts.toLocaleString("en")} products in ${Math.round((Date.now() - startedAt) / 1000)} s.`
    )
    const drive = yield* makeDriver
    const [last, first] = yield* compareLatency(port, drive, ["lastPage", "firstPage"], options)
    const title = `Last page of ${options.vastProducts.toLocaleString("en")} products, against the first (50 products each)`
    const line = boundLine(title, last, first, "ms", 1.5)
    yield* say(`\n${table(BOUND_HEADINGS, [line])}\n`)
    return line.reached
  }).pipe(Effect.scoped)
