import { Effect } from "effect"
import { createDatabase, openConnection, vacuumAndCheckpoint } from "../database.ts"
import { medianOf } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { fillStore } from "../seed/manyProducts.ts"
import { INSTALLATIONS, installationAt, LARGE_STORE, tokenOf } from "../seed/population.ts"
import { seedServiceAccounts } from "../seed/seed.ts"
import { begin, openTable, step } from "../output.ts"
import { SERVICE, startServer } from "../servers.ts"

const rule = (field: string, relation: string, value: unknown) => ({ field, relation, value })

/** Number of different prices, stocks, names, vendors and tags of the products. */
const TEMPLATES = 100

/** Filters by title. Some match all products, others a tenth or none. */
const FILTERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "no filter": {},
  "an indexed rule of all products": { rules: JSON.stringify([rule("category", "equals", "Furniture")]) },
  "an indexed rule of half of them": { rules: JSON.stringify([rule("tags", "equals", "oak")]) },
  "an indexed rule without matches": { rules: JSON.stringify([rule("tags", "equals", "none")]) },
  "a rule on the price": { rules: JSON.stringify([rule("price", "greater_than", 50)]) },
  "a rule on the SKU": { rules: JSON.stringify([rule("sku", "ends_with", "7")]) },
  "a rule on the description": { rules: JSON.stringify([rule("description", "contains", "oiled")]) },
  "a search": { search: "furniture" }
}

const SORTS = ["name", "price", "stock", "createdAt", "updatedAt"].flatMap((name) => [name, `-${name}`])

const REPEATS = 5

/** Bounds in milliseconds of a page in a small store and in a large one, which may refuse with 422. */
const [SMALL, LARGE] = [50, 1000]

/** Measures each filter with each sort order on a store with this many products. */
const measureStore = (server: string, products: number, bound: number) =>
  Effect.gen(function* () {
    yield* step(`seeding ${products.toLocaleString("en")} products`)
    const url = yield* createDatabase(server, "lists")
    const { port } = yield* startServer(SERVICE, url)
    const db = yield* openConnection(url)
    yield* Effect.promise(() => seedServiceAccounts(db, [[LARGE_STORE.store, products]]))
    yield* fillStore(url, LARGE_STORE.store, LARGE_STORE.products - products, LARGE_STORE.products, TEMPLATES)
    yield* vacuumAndCheckpoint(db)
    let request = 0
    const read = (query: string) =>
      Effect.promise(async () => {
        const token = tokenOf(installationAt("vast", request++ % INSTALLATIONS.vast.count))
        const startedAt = performance.now()
        const response = await fetch(`http://127.0.0.1:${port}/api/platform/v1/products/search?${query}`, {
          headers: { authorization: `Bearer ${token}` }
        })
        await response.arrayBuffer()
        return { millis: performance.now() - startedAt, status: response.status }
      })
    const printRow = yield* openTable([
      `${products.toLocaleString("en")} products`,
      "Slowest, ms",
      "Sort",
      "Refused",
      "At most"
    ])
    yield* Effect.forEach(Object.entries(FILTERS), ([title, filter]) =>
      Effect.gen(function* () {
        yield* step(`${title}, ${products.toLocaleString("en")} products`)
        let worst = { sort: "", millis: 0 }
        const refused: Array<string> = []
        for (const sort of SORTS) {
          const query = new URLSearchParams({ ...filter, sort }).toString()
          const results = yield* Effect.replicateEffect(read(query), REPEATS)
          if (results.some(({ status }) => status !== 200)) refused.push(sort)
          const millis = medianOf(results.map(({ millis }) => millis))
          if (!refused.includes(sort) && millis > worst.millis) worst = { sort, millis }
        }
        const isWithin = worst.millis <= bound && (bound === LARGE || refused.length === 0)
        const cells = [title, worst.millis.toFixed(1), worst.sort, refused.join(" "), String(bound)]
        yield* printRow({ cells, reached: isWithin })
      })
    )
  }).pipe(Effect.scoped)

/** Measures pages of products by filter and sort order in a store of 10,000 products and in a large one. */
export const lists = (server: string, { largeStoreProducts }: Options) =>
  Effect.gen(function* () {
    yield* begin("lists", 2 * (Object.keys(FILTERS).length + 1))
    yield* measureStore(server, 10_000, SMALL)
    yield* measureStore(server, largeStoreProducts, LARGE)
  })
