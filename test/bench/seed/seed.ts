import { nameSchemas } from "./schemas.ts"
import type Pg from "pg"
import { type CollectionHead, newCollection, CollectionId } from "../../../src/domain/catalog/Collection.ts"
import { facetsJson, facetsOf } from "../../../src/domain/catalog/Facets.ts"
import { newProduct, type Product, ProductId } from "../../../src/domain/catalog/Product.ts"
import type { Order } from "../../../src/domain/records/Order.ts"
import { slugify } from "../../../src/layers/catalog/Slugify.ts"
import { nullableCode } from "../../../src/layers/catalog/ProductRows.ts"
import { indexFacets } from "../../../src/layers/catalog/Terms.ts"
import {
  MEDIUM_STORE,
  ENTRIES,
  entryKey,
  entryValue,
  EPOCH,
  makeFullProduct,
  idOf,
  INSTALLATIONS,
  ORDERS,
  PRODUCTS,
  makeRules,
  STORES,
  storeOf,
  tokenOf
} from "./population.ts"
import { FIELDS } from "../baseline/fields.ts"
import { insertBaselineCollections, insertServiceCollections } from "./collections.ts"
import { insertServiceOrders, insertBaselineOrders, makeOrder } from "./orders.ts"

/** Rows of one statement. */
const BATCH = 500
const SCOPES = [
  "read_products",
  "write_products",
  "read_collections",
  "write_collections",
  "read_orders",
  "write_files"
]
const CAPABILITIES = ["app_storage", "customer_pii"]

const range = (count: number, first = 0) => Array.from({ length: count }, (_, index) => first + index)

const batches = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  range(Math.ceil(items.length / BATCH)).map((batch) => items.slice(batch * BATCH, (batch + 1) * BATCH))

/** Store numbers with their number of products. */
const stores: ReadonlyArray<readonly [store: number, products: number]> = [
  ...range(STORES).map((store) => [store, PRODUCTS] as const),
  [MEDIUM_STORE.store, MEDIUM_STORE.products]
]

const productOf = (store: number, n: number): Product => {
  const input = makeFullProduct(n)
  return newProduct(input, {
    id: ProductId.make(idOf("product", store, n)),
    slug: slugify(input.name),
    at: new Date(EPOCH + n),
    currencyCode: "EUR"
  })
}

const collectionOf = (n: number) => {
  const title = `Automated collection ${n}`
  return newCollection(
    { title, rules: makeRules(n) },
    { id: CollectionId.make(idOf("collection", MEDIUM_STORE.store, n)), slug: slugify(title), at: new Date(EPOCH + n) }
  )
}

/** Installations on both servers. The window of `spare` is empty; the others are full of requests of an hour ago. */
const accounts = (mine: ReadonlyArray<readonly [store: number, products: number]>) => {
  const known = new Set(mine.map(([store]) => store))
  return Object.values(INSTALLATIONS)
    .flatMap(({ count, first }) => range(count, first))
    .filter((installation) => known.has(storeOf(installation)))
    .map((n) => ({
      store_id: idOf("store", 0, storeOf(n)),
      id: idOf("installation", 0, n),
      token: tokenOf(n),
      past: n === INSTALLATIONS.spare.first ? 0 : 100
    }))
}

const accountRows = `
  json_to_recordset($1) as given (store_id uuid, id uuid, token text, past integer)
`

const storeRows = (mine: ReadonlyArray<readonly [store: number, products: number]>) =>
  JSON.stringify(
    mine.map(([n, products]) => ({ id: idOf("store", 0, n), name: `Store ${n}`, product_count: products }))
  )

/** Inserts stores, installations, tokens and rate windows of the service. */
export const seedServiceAccounts = async (db: Pg.Client, mine = stores): Promise<void> => {
  await nameSchemas(db)
  await db.query(
    `
    insert into stores (id, name, plan, currency_code, product_count)
    select id, name, 'scale', 'EUR', product_count
    from json_to_recordset($1) as given (id uuid, name text, product_count integer)
  `,
    [storeRows(mine)]
  )
  const rows = JSON.stringify(accounts(mine))
  // Each installation has an app with the same id, because a store installs an app once.
  await db.query(`insert into apps (id, name, scopes, capabilities) select id, 'Bench', $2, $3 from ${accountRows}`, [
    rows,
    SCOPES,
    CAPABILITIES
  ])
  await db.query(
    `
    insert into installations (store_id, id, app_id, scopes, capabilities) select store_id, id, id, $2, $3 from ${accountRows}
  `,
    [rows, SCOPES, CAPABILITIES]
  )
  await db.query(
    `
    insert into access_tokens (token_hash, store_id, installation_id, expires_at)
    select sha256(token::bytea), store_id, id, now() + interval '1 day' from ${accountRows}
  `,
    [rows]
  )
  await db.query(
    `
    insert into rate_windows (store_id, installation_id, hits)
    select store_id, id, array_fill(clock_micros() - 3600000000, array[past]) from ${accountRows}
  `,
    [rows]
  )
}

const seedBaselineAccounts = async (db: Pg.Client): Promise<void> => {
  await db.query(
    `
    insert into stores (id, name, plan, currency_code, product_count)
    select id, name, 'scale', 'EUR', product_count
    from json_to_recordset($1) as given (id uuid, name text, product_count integer)
  `,
    [storeRows(stores)]
  )
  const rows = JSON.stringify(accounts(stores))
  await db.query(
    `
    insert into installations (store_id, id, scopes, capabilities) select store_id, id, $2, $3 from ${accountRows}
  `,
    [rows, SCOPES, CAPABILITIES]
  )
  await db.query(
    `
    insert into access_tokens (token_hash, installation_id, expires_at)
    select sha256(token::bytea), id, now() + interval '1 day' from ${accountRows}
  `,
    [rows]
  )
  await db.query(
    `
    insert into rate_windows (installation_id, hits)
    select id, array_fill(now() - interval '1 hour', array[past]) from ${accountRows}
  `,
    [rows]
  )
}

/** Row of a product, made by the functions that `layers/catalog` uses. */
export const makeServiceRow = (storeId: string, product: Product) => {
  const facets = facetsOf(product)
  const [sku, barcode] = [nullableCode(product.sku), nullableCode(product.barcode)]
  return {
    sku,
    barcode,
    document: JSON.stringify(product),
    facets: facetsJson(facets),
    terms: `{${indexFacets(storeId, facets).terms.join(",")}}`,
    description: facets.description
  }
}

const insertServiceProducts = async (
  db: Pg.Client,
  storeId: string,
  products: ReadonlyArray<Product>
): Promise<void> => {
  const rows = products.map((product) => makeServiceRow(storeId, product))
  await db.query(
    `
    with given as materialized (
      select (document::json ->> 'id')::uuid as id, (document::json ->> 'version')::integer as version, document::json,
        facets::jsonb, terms::uuid[], description, sku, barcode
      from json_to_recordset($2)
        as given (document text, facets text, terms text, description text, sku text, barcode text)
    ), made as (
      insert into products (store_id, id, version, slug, document, bytes, bytes_of, facets, description)
      select $1, id, version, facets ->> 'slug', document, octet_length(document::text), version, facets, description
      from given
    )
    insert into product_keys (store_id, id, price, stock, terms, sku, barcode)
    select $1, id, (facets ->> 'price')::numeric, (facets ->> 'stock')::numeric, terms, sku, barcode from given
  `,
    [storeId, JSON.stringify(rows)]
  )
}

const columns = Object.entries(FIELDS)

const insertBaselineProducts = async (
  db: Pg.Client,
  storeId: string,
  products: ReadonlyArray<Product>
): Promise<void> => {
  const rows = products.map((product) => {
    const fields = new Map<string, unknown>(Object.entries(product))
    return {
      ...Object.fromEntries(columns.map(([name, [column]]) => [column, fields.get(name)])),
      store_id: storeId,
      id: product.id,
      version: product.version,
      tags_lower: product.tags.map((tag) => tag.toLowerCase()),
      created_at: product.createdAt,
      updated_at: product.updatedAt
    }
  })
  await db.query(`insert into products select * from json_populate_recordset(null::products, $1)`, [
    JSON.stringify(rows)
  ])
}

/** Inserts app data of all installations. `owner` are the key columns, `from` the columns of installations. */
const insertEntries = (owner: string, from: string) => async (db: Pg.Client) => {
  const entries = range(ENTRIES).map((n) => ({ key: entryKey(n), value: entryValue(n) }))
  await db.query(
    `
    insert into app_data (${owner}, namespace, key, value, bytes, created_at, updated_at)
    select ${from}, 'settings', key, value::json, octet_length(value), at, at
    from installations, json_to_recordset($1) as given (key text, value text), to_timestamp($2) as at
  `,
    [JSON.stringify(entries), EPOCH / 1000]
  )
  await db.query(`
    insert into app_data_usage (${owner}, entries, bytes) select ${owner}, count(*), sum(bytes) from app_data group by ${owner}
  `)
}

/** Inserts the population into the tables of one server. */
export interface Seeding {
  readonly accounts: (db: Pg.Client) => Promise<void>
  readonly entries: (db: Pg.Client) => Promise<void>
  readonly products: (db: Pg.Client, storeId: string, products: ReadonlyArray<Product>) => Promise<void>
  readonly orders: (db: Pg.Client, storeId: string, orders: ReadonlyArray<Order>) => Promise<void>
  readonly collections: (db: Pg.Client, storeId: string, heads: ReadonlyArray<CollectionHead>) => Promise<void>
}

export const SERVICE_SEEDING: Seeding = {
  accounts: seedServiceAccounts,
  entries: insertEntries("store_id, installation_id", "store_id, id"),
  products: insertServiceProducts,
  orders: insertServiceOrders,
  collections: insertServiceCollections
}
export const BASELINE_SEEDING: Seeding = {
  accounts: seedBaselineAccounts,
  entries: insertEntries("installation_id", "id"),
  products: insertBaselineProducts,
  orders: insertBaselineOrders,
  collections: insertBaselineCollections
}

/** Inserts the same population into all databases. */
export const seed = async (sides: ReadonlyArray<readonly [db: Pg.Client, seeding: Seeding]>): Promise<void> => {
  for (const [db, { accounts, entries }] of sides) {
    await accounts(db)
    await entries(db)
  }
  for (const [store, count] of stores) {
    const storeId = idOf("store", 0, store)
    for (const batch of batches(range(count))) {
      const rows = batch.map((n) => productOf(store, n))
      await Promise.all(sides.map(([db, { products }]) => products(db, storeId, rows)))
    }
  }
  for (const store of range(STORES)) {
    const orderRows = range(ORDERS).map((n) => makeOrder(store, n))
    await Promise.all(sides.map(([db, { orders }]) => orders(db, idOf("store", 0, store), orderRows)))
  }
  const heads = range(MEDIUM_STORE.collections).map(collectionOf)
  for (const [db, { collections }] of sides) await collections(db, idOf("store", 0, MEDIUM_STORE.store), heads)
}
