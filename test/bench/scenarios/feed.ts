import { Duration, Effect } from "effect"
import { makeClient } from "../../../src/rpc/Client.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { begin, openTable, rounds, step } from "../output.ts"
import { createDatabase, openConnection, vacuumAndCheckpoint } from "../database.ts"
import { fillStore } from "../seed/manyProducts.ts"
import { medianOf } from "../measure/rounds.ts"
import { memberOf } from "../../support/rpc/Members.ts"
import type { Options } from "../options.ts"
import { idOf, LARGE_STORE } from "../seed/population.ts"
import { seedServiceAccounts } from "../seed/seed.ts"
import { SERVICE, startServer } from "../servers.ts"

const ROUNDS = 5

/** Products of the small store, and the maximum milliseconds of its digest. */
const SMALL = { store: 1, products: 10_000, digest: 40 }

/** Maximum milliseconds of the digest of a million products, and of a page of a filtered list. */
const LARGE = { digest: 3_000, page: 1_000 }

const storeAt = (store: number) => StoreId.make(idOf("store", 0, store))

/** Measures digests of stores with ten thousand and a million products, and pages of filtered lists. */
export const feed = (server: string, { largeStoreProducts }: Options) =>
  Effect.gen(function* () {
    const products = largeStoreProducts.toLocaleString("en")
    yield* begin("feed", 6)
    yield* step(`seeding ${products} products`)
    const url = yield* createDatabase(server, "feed")
    const { port } = yield* startServer(SERVICE, url)
    const db = yield* openConnection(url)
    yield* Effect.promise(() =>
      seedServiceAccounts(db, [
        [LARGE_STORE.store, largeStoreProducts],
        [SMALL.store, SMALL.products]
      ])
    )
    yield* fillStore(url, LARGE_STORE.store, LARGE_STORE.products - largeStoreProducts, LARGE_STORE.products)
    yield* fillStore(url, SMALL.store, 0, SMALL.products)
    yield* vacuumAndCheckpoint(db)
    const [small, large] = [storeAt(SMALL.store), storeAt(LARGE_STORE.store)]
    const cookie = yield* memberOf(url, [small, large])
    const client = yield* makeClient({ url: `http://127.0.0.1:${port}/rpc`, headers: { cookie } })
    const digest = (storeId: StoreId) => client.digest.get({ storeId, resource: "products" })
    const list = (filter: object) => client.products.list({ storeId: large, limit: 200, ...filter })
    const cases = [
      ["Digest of 10,000 products", SMALL.digest, digest(small)],
      [`Digest of ${products} products`, LARGE.digest, digest(large)],
      [`Page of a range of ${products} products`, LARGE.page, list({ range: "a7" })],
      ["Page of changed products, from the journal", LARGE.page, list({ updatedSince: new Date().toISOString() })],
      ["Page of changed products, from the list", LARGE.page, list({ updatedSince: "2020-01-31T09:30:00.000Z" })]
    ] as const
    const printRow = yield* openTable(["Read", "Median", "At most"])
    for (const [title, most, call] of cases) {
      yield* step(title)
      const times = yield* rounds(ROUNDS, () =>
        Effect.map(Effect.timed(Effect.asVoid<object, unknown, never>(call)), ([took]) => Duration.toMillis(took))
      )
      const median = medianOf(times)
      yield* printRow({ cells: [title, `${median.toFixed(0)} ms`, `${most} ms`], reached: median <= most })
    }
  }).pipe(Effect.scoped)
