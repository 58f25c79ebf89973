import { Effect } from "effect"
import { newProduct, ProductId } from "../../src/domain/catalog/Product.ts"
import { slugOf } from "../../src/domain/catalog/Slug.ts"
import { say } from "./arena.ts"
import { connection, freshDatabase } from "./cluster.ts"
import { makeDriver } from "./driver.ts"
import { compareLatency } from "./measure.ts"
import type { Options } from "./options.ts"
import { EPOCH, fullProduct, idOf, VAST } from "./population.ts"
import { BOUND_HEADINGS, boundLine, table } from "./report.ts"
import { ourRowOf, seedOurAccounts } from "./seed.ts"
import { startServer } from "./servers.ts"

/** Rows of one statement, and statements at once: one for each core. */
const STEP = 10_000
const LANES = 2

/** What tells one product from the next; the database writes each one's own over it. */
const NUMBER = 987_654_321
const ID = idOf("product", VAST.store, NUMBER)

/** A full product with markers for its id and its number. */
const template = () => {
  const input = fullProduct(NUMBER)
  const product = newProduct(input, {
    id: ProductId.make(ID),
    slug: slugOf(input.name),
    at: new Date(EPOCH),
    currencyCode: "EUR"
  })
  return ourRowOf(idOf("store", 0, VAST.store), product)
}

/** The same ids as `idOf` makes, by the database. */
const INSERT = `
  with made as (
    insert into products (store_id, document, bytes, facets, description)
    select $1, document::json, octet_length(document), replace(replace($3, $6, id), $7, n::text)::jsonb, $5
    from (
      select n, substr(time, 1, 8) || '-' || substr(time, 9) || substr($6, 14, 11) || lpad(to_hex(n), 12, '0') as id
      from (select n, lpad(to_hex($8::bigint + n), 12, '0') as time from generate_series($9::integer, $10::integer) as n)
    ), lateral replace(replace($2, $6, id), $7, n::text) as document
    returning store_id, id, price, stock
  )
  insert into product_keys (store_id, id, price, stock, terms) select store_id, id, price, stock, $4::uuid[] from made
`

const seedVast = (url: string, products: number) =>
  Effect.gen(function* () {
    const storeId = idOf("store", 0, VAST.store)
    const { description, document, facets, terms } = template()
    const first = yield* connection(url)
    yield* Effect.promise(() => seedOurAccounts(first, [[VAST.store, products]]))
    const starts = Array.from({ length: products / STEP }, (_, index) => VAST.products - products + index * STEP)
    yield* Effect.forEach(
      Array.from({ length: LANES }, (_, lane) => starts.filter((start) => (start / STEP) % LANES === lane)),
      (mine) =>
        Effect.gen(function* () {
          const db = yield* connection(url)
          yield* Effect.promise(() => db.query("set synchronous_commit = off"))
          for (const start of mine) {
            const values = [storeId, document, facets, terms, description, ID, NUMBER, EPOCH, start, start + STEP - 1]
            yield* Effect.promise(() => db.query({ name: "step", text: INSERT, values }))
          }
        }).pipe(Effect.scoped),
      { concurrency: LANES, discard: true }
    )
    yield* Effect.promise(() => first.query("vacuum (analyze)"))
    yield* Effect.promise(() => first.query("checkpoint"))
  }).pipe(Effect.scoped)

/** The last page of a store of a million products against its first. */
export const million = (server: string, options: Options) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase(server, "million")
    const { port } = yield* startServer("ours", url)
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
