import { Effect } from "effect"
import { newProduct, ProductId } from "../../../src/domain/catalog/Product.ts"
import { slugify } from "../../../src/layers/catalog/Slugify.ts"
import { openConnection } from "../database.ts"
import { EPOCH, makeFullProduct, idOf } from "./population.ts"
import { makeServiceRow } from "./seed.ts"

/** Rows of one statement, and concurrent statements: one per core. */
const STEP = 10_000
const LANES = 2

/** Placeholder of a product's number, which the database replaces. Templates have it and the numbers after it. */
const NUMBER = 987_654_300

/** Full product with placeholders for its id and number. */
const template = (store: number, number: number) => {
  const input = makeFullProduct(number)
  const id = idOf("product", store, number)
  const at = new Date(EPOCH)
  const product = newProduct(input, { id: ProductId.make(id), slug: slugify(input.name), at, currencyCode: "EUR" })
  const { price, slug, stock } = product
  return {
    id,
    slug,
    price: JSON.stringify(price),
    stock: JSON.stringify(stock),
    ...makeServiceRow(idOf("store", 0, store), product)
  }
}

/** Inserts products. Their ids are those of `idOf`. */
const INSERT = `
  with made as (
    insert into products (store_id, id, version, slug, document, bytes, bytes_of, facets, description)
    select
      $1, id::uuid, 1, replace($11, $7, n::text), document::json, octet_length(document), 1,
      replace(replace($3, $6, id), $7, n::text)::jsonb, $5
    from (
      select n, substr(time, 1, 8) || '-' || substr(time, 9) || substr($6, 14, 11) || lpad(to_hex(n), 12, '0') as id
      from (select n, lpad(to_hex($8::bigint + n), 12, '0') as time from generate_series($9::integer, $10::integer, $14::integer) as n)
    ), lateral replace(replace($2, $6, id), $7, n::text) as document
    returning store_id, id
  )
  insert into product_keys (store_id, id, price, stock, terms) select store_id, id, $12, $13, $4::uuid[] from made
`

/**
 * Inserts full products with the numbers from `first` to before `end`. They differ in their number and id only, or in price,
 * stock, name, vendor and tags too if there are more `templates`.
 */
export const fillStore = (
  url: string,
  store: number,
  first: number,
  end: number,
  templates = 1
): Effect.Effect<void> => {
  const numbers = Array.from({ length: templates }, (_, index) => NUMBER + index)
  const made = numbers.map((number) => ({ number, ...template(store, number) }))
  const starts = Array.from({ length: Math.ceil((end - first) / STEP) }, (_, index) => first + index * STEP)
  return Effect.forEach(
    Array.from({ length: LANES }, (_, lane) => starts.filter((_, index) => index % LANES === lane)),
    (mine) =>
      Effect.gen(function* () {
        const db = yield* openConnection(url)
        yield* Effect.promise(() => db.query("set synchronous_commit = off"))
        for (const start of mine) {
          const last = Math.min(start + STEP, end) - 1
          for (const [
            index,
            { description, document, facets, id, number, price, slug, stock, terms }
          ] of made.entries()) {
            const places = [id, number, EPOCH, start + index, last]
            const values = [
              idOf("store", 0, store),
              document,
              facets,
              terms,
              description,
              ...places,
              slug,
              price,
              stock
            ]
            yield* Effect.promise(() => db.query({ name: "step", text: INSERT, values: [...values, templates] }))
          }
        }
      }).pipe(Effect.scoped),
    { concurrency: LANES, discard: true }
  )
}
