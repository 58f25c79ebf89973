import { Effect } from "effect"
import { facetsOf } from "../../../src/domain/catalog/Facets.ts"
import type { Product } from "../../../src/domain/catalog/Product.ts"
import { wordsOf } from "../../../src/domain/catalog/SearchWords.ts"
import { termOf } from "../../../src/layers/catalog/Terms.ts"
import { PARTITION_MILLIS } from "../../../src/layers/journal/Journal.ts"
import { KINDS, makeFullProduct } from "./population.ts"
import {
  addDeliveries,
  addStores,
  appToken,
  cellOf,
  CELLS,
  type Databases,
  installationOf,
  READERS,
  sizeOf,
  type Sizes,
  SMALL_PRODUCTS,
  smallStoreOf,
  storeIdOf,
  templateStoreOf
} from "./scaleStores.ts"

/* Products are copies of products that the service created, with new ids and numbers. */

/** Products that share a tag. */
const BATCH = 50

const TEMPLATES = 200

/** Placeholders of the number of a product and of its batch. Texts of equal length keep the size of documents even. */
const NUMBER = 987_654_000
const BATCH_NUMBER = "555555555"

/** Products of a statement. */
const STEP = 10_000

const FUNCTIONS = `
  create function scale_term(store uuid, key text) returns uuid language sql immutable as $$
    select encode(substr(sha256(convert_to(store || '/' || key, 'UTF8')), 1, 16), 'hex')::uuid
  $$;
  create function scale_text(template text, number text, n integer) returns text language sql immutable as $$
    select replace(replace(template, number, n::text), '${BATCH_NUMBER}', (n / ${BATCH})::text)
  $$;
  create unlogged table scale_templates (
    place integer primary key, id text, number text, slug text, document text, facets text, description text, sku text,
    barcode text, price numeric, stock numeric, keys text[], words text[], word_keys text[]
  );
`

/** The products that the service creates as templates, by the token that creates each. */
export const templateRequests = (sizes: Sizes) =>
  Array.from({ length: TEMPLATES }, (_, place) => ({
    token: appToken(templateStoreOf(sizes), place % READERS),
    product: {
      ...makeFullProduct(NUMBER + place),
      barcode: `4006${NUMBER + place}`,
      tags: [...(makeFullProduct(NUMBER + place).tags ?? []), `batch-${BATCH_NUMBER}`]
    }
  }))

const INDEXED = ["tags", "vendorName", "productType", "category", "categoryId", "categoryName"] as const
const SEARCHED: ReadonlySet<string> = new Set(["tags", "vendorName", "category"])

/** Keys of the terms of a product, and its words with the keys that they lead to, as `Terms.ts` makes them. */
const indexOf = (product: Product) => {
  const facets = facetsOf(product)
  const values = INDEXED.flatMap((field) =>
    [facets[field]].flat().flatMap((text) => (typeof text === "string" ? [{ field, text }] : []))
  )
  const names = wordsOf(product.name, 32).map((word) => ({ word, key: `word/${word}` }))
  const words = values
    .filter(({ field }) => SEARCHED.has(field))
    .flatMap(({ field, text }) => wordsOf(text, 8).map((word) => ({ word, key: `${field}/${text}` })))
  return {
    keys: [...new Set([...values.map(({ field, text }) => `${field}/${text}`), ...names.map(({ key }) => key)])],
    words: [...names, ...words]
  }
}

interface CreatedRow {
  readonly id: string
  readonly slug: string
  readonly document: string
  readonly product: Product
  readonly facets: string
  readonly description: string
  readonly sku: string
  readonly barcode: string
  readonly price: string
  readonly stock: string
  readonly terms: ReadonlyArray<string>
}

/** Copies the products that the service created to all cells. Fails if their terms are not those that the fill computes. */
export const copyTemplates = async (dbs: Databases, sizes: Sizes): Promise<void> => {
  const store = storeIdOf(templateStoreOf(sizes))
  const { rows } = await dbs.main.query<CreatedRow>(
    `select p.id, slug, document::text, document as product, facets::text, description, sku, barcode, price, stock,
       terms::text[] as terms
     from products p join product_keys k using (store_id, id) where store_id = $1 order by p.id`,
    [store]
  )
  for (const db of Object.values(dbs)) await db.query(FUNCTIONS)
  if (rows.length !== TEMPLATES) throw new Error(`The service created ${rows.length} templates`)
  for (const [place, { product, terms, ...row }] of rows.entries()) {
    const { keys, words } = indexOf(product)
    const expected = keys.map((key) => termOf(store, ...splitKey(key)).replaceAll("-", ""))
    const stored = terms.map((term) => term.replaceAll("-", ""))
    if (expected.toSorted().join() !== stored.toSorted().join()) throw new Error(`Other terms: ${JSON.stringify(keys)}`)
    const number = /\d{9}/.exec(row.slug)?.[0] ?? ""
    const columns = {
      place,
      ...row,
      number,
      keys,
      words: words.map(({ word }) => word),
      word_keys: words.map(({ key }) => key)
    }
    for (const db of Object.values(dbs)) {
      await db.query("insert into scale_templates select * from json_populate_record(null::scale_templates, $1)", [
        JSON.stringify(columns)
      ])
    }
  }
}

const splitKey = (key: string) => {
  const [field = "", ...value] = key.split("/")
  const found = [...INDEXED, "word" as const].find((one) => one === field)
  if (found === undefined) throw new Error(key)
  return [found, value.join("/")] as const
}

/** Numbers of words that each product has for itself or its batch. */
const IS_OWN = `(word_keys[i] like '%' || t.number || '%' or word_keys[i] like '%${BATCH_NUMBER}%')`

const FILL = `
  with made as materialized (
    select
      s.store, s.number as store_number, n, scale_id(${KINDS.product}, 0, n) as id, t.number, t.description,
      replace(scale_text(t.document, t.number, n), t.id, scale_id(${KINDS.product}, 0, n)::text) as document,
      scale_text(t.facets, t.number, n) as facets, scale_text(t.slug, t.number, n) as slug,
      scale_text(t.sku, t.number, n) as sku, scale_text(t.barcode, t.number, n) as barcode, t.price, t.stock, t.keys,
      t.place, t.words, t.word_keys
    from (select scale_id(${KINDS.store}, 0, number) as store, * from unnest($1::integer[], $2::integer[], $3::integer[])
      as s (number, first, last)) s
    cross join generate_series(s.first, s.last) n
    join scale_templates t on t.place = n % ${TEMPLATES}
  ), kept as (
    insert into products (store_id, id, version, slug, document, bytes, bytes_of, facets, description)
    select store, id, 1, slug, document::json, octet_length(document), 1, facets::jsonb, description from made
  ), keys as (
    insert into product_keys (store_id, id, price, stock, terms, sku, barcode)
    select store, id, price, stock, array(
      select scale_term(store, scale_text(key, number, n)) from unnest(keys) key
    ), sku, barcode from made
  ), words as (
    insert into search_words (store_id, word, term)
    select distinct store, scale_text(words[i], t.number, n), scale_term(store, scale_text(word_keys[i], t.number, n))
    from made t cross join generate_subscripts(t.words, 1) i
    where ${IS_OWN} or n < ${TEMPLATES}
    on conflict do nothing
  ), records as (
    insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
    select store, ${installationOf("0", "store_number")}, 'scale-' || n, sha256(id::text::bytea), '{"status":204}',
      now() + interval '1 day'
    from made where n % 10 = 0
  ), listed as (
    select *, $4::bigint + n as micros from made
  )
  insert into journal (
    store_id, id, part, at, actor_type, actor_id, surface, hops, resource, resource_id, version, before, after, omitted
  )
  select store, uuid_v7(micros), (micros / 1000 / ${PARTITION_MILLIS} % 16)::smallint,
    to_timestamp(micros / 1e6), 'app', ${installationOf("0", "store_number")}, 'rest', 0, 'product', id, 1,
    '{"price":1}', json_build_object('price', price)::text, '{}'
  from listed
`

interface Range {
  readonly store: number
  readonly first: number
  readonly last: number
}

/** Splits the ranges of a cell into statements of about as many products. */
const statementsOf = (ranges: ReadonlyArray<Range>) => {
  const pieces = ranges.flatMap(({ first, last, store }) =>
    Array.from({ length: Math.ceil((last - first + 1) / STEP) }, (_, n) => ({
      store,
      first: first + n * STEP,
      last: Math.min(last, first + (n + 1) * STEP - 1)
    }))
  )
  const statements: Array<Array<Range>> = []
  let room = 0
  for (const piece of pieces) {
    const size = piece.last - piece.first + 1
    if (room < size) {
      statements.push([])
      room = STEP
    }
    statements.at(-1)?.push(piece)
    room -= size
  }
  return statements
}

/** Fills cells with a share of everything. Products have been created since `micros`. */
export const fillScale = (dbs: Databases, sizes: Sizes, share: number, micros: number) =>
  Effect.gen(function* () {
    const numbers = Array.from({ length: Math.max(1, Math.round(sizes.stores * share)) }, (_, number) => number)
    // The largest store exists from the start.
    yield* Effect.promise(() => addStores(dbs, numbers.slice(1)))
    const ranges = [
      ...numbers.map((store) => ({ store, first: 0, last: sizeOf(sizes, store, share) - 1 })),
      { store: smallStoreOf(sizes), first: 0, last: SMALL_PRODUCTS - 1 }
    ]
    yield* Effect.forEach(
      CELLS,
      (cell) =>
        Effect.promise(async () => {
          const mine = ranges.filter(({ store }) => cellOf(store) === cell)
          for (const some of statementsOf(mine)) {
            const columns = [
              some.map(({ store }) => store),
              some.map(({ first }) => first),
              some.map(({ last }) => last)
            ]
            await dbs[cell].query({ name: "fill", text: FILL, values: [...columns, micros] })
          }
          await dbs[cell].query(
            `update stores set product_count = size
             from unnest($1::integer[], $2::integer[]) as given (n, size) where id = scale_id(${KINDS.store}, 0, n)`,
            [mine.map(({ store }) => store), mine.map(({ last }) => last + 1)]
          )
        }),
      { concurrency: "unbounded", discard: true }
    )
    yield* Effect.promise(() => addDeliveries(dbs, sizes, share))
    for (const db of Object.values(dbs)) yield* Effect.promise(() => db.query("vacuum (analyze)"))
    yield* Effect.promise(() => dbs.main.query("checkpoint"))
    return numbers.length
  })
