import type Pg from "pg"
import { type CollectionHead, newCollection, CollectionId } from "../../src/domain/catalog/Collection.ts"
import { facetsJson, facetsOf } from "../../src/domain/catalog/Facets.ts"
import { newProduct, type Product, ProductId } from "../../src/domain/catalog/Product.ts"
import type { Order } from "../../src/domain/records/Order.ts"
import { slugify } from "../../src/layers/catalog/Slugify.ts"
import { stringify } from "../../src/domain/Json.ts"
import { indexFacets } from "../../src/layers/catalog/Terms.ts"
import {
  DEEP,
  ENTRIES,
  entryKey,
  entryValue,
  EPOCH,
  fullProduct,
  idOf,
  INSTALLATIONS,
  ORDERS,
  PRODUCTS,
  rulesOf,
  STORES,
  storeOf,
  tokenOf
} from "./population.ts"
import { FIELDS } from "./baseline/fields.ts"
import { insertOurOrders, insertTheirOrders, orderAt } from "./seedOrders.ts"

/** Rows that one statement brings. */
const BATCH = 500
const SCOPES = ["read_products", "write_products", "read_collections", "write_collections", "read_orders"]
const CAPABILITIES = ["app_storage", "customer_pii"]

const range = (count: number, first = 0) => Array.from({ length: count }, (_, index) => first + index)

const batches = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  range(Math.ceil(items.length / BATCH)).map((batch) => items.slice(batch * BATCH, (batch + 1) * BATCH))

/** Stores by number, with how many products each holds. */
const stores: ReadonlyArray<readonly [store: number, products: number]> = [
  ...range(STORES).map((store) => [store, PRODUCTS] as const),
  [DEEP.store, DEEP.products]
]

const productOf = (store: number, n: number): Product => {
  const input = fullProduct(n)
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
    { title, rules: rulesOf(n) },
    { id: CollectionId.make(idOf("collection", DEEP.store, n)), slug: slugify(title), at: new Date(EPOCH + n) }
  )
}

/** Everybody who asks, on both sides. `spare` has an empty window; the others' are full of hits of an hour ago. */
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

/** Stores, installations, tokens and windows of the service. */
export const seedOurAccounts = async (db: Pg.Client, mine = stores): Promise<void> => {
  await db.query(
    `
    insert into stores (id, name, plan, currency_code, product_count)
    select id, name, 'scale', 'EUR', product_count
    from json_to_recordset($1) as given (id uuid, name text, product_count integer)
  `,
    [storeRows(mine)]
  )
  const rows = JSON.stringify(accounts(mine))
  // An app for each installation, of its id: an app is installed on a store once.
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

const seedTheirAccounts = async (db: Pg.Client): Promise<void> => {
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

/** What `layers/catalog/ProductRepository` would store, made by the code that it uses. */
export const ourRowOf = (storeId: string, product: Product) => {
  const facets = facetsOf(product)
  return {
    document: stringify(product),
    facets: facetsJson(facets),
    terms: `{${indexFacets(storeId, facets).terms.join(",")}}`,
    description: facets.description
  }
}

const insertOurs = async (db: Pg.Client, storeId: string, products: ReadonlyArray<Product>): Promise<void> => {
  const rows = products.map((product) => ourRowOf(storeId, product))
  await db.query(
    `
    with given as materialized (
      select (document::json ->> 'id')::uuid as id, (document::json ->> 'version')::integer as version, document::json,
        facets::jsonb, terms::uuid[], description
      from json_to_recordset($2) as given (document text, facets text, terms text, description text)
    ), made as (
      insert into products (store_id, id, version, slug, document, bytes, bytes_of, facets, description)
      select $1, id, version, facets ->> 'slug', document, octet_length(document::text), version, facets, description
      from given
    )
    insert into product_keys (store_id, id, price, stock, terms)
    select $1, id, (facets ->> 'price')::numeric, (facets ->> 'stock')::numeric, terms from given
  `,
    [storeId, JSON.stringify(rows)]
  )
}

const columns = Object.entries(FIELDS)

const insertTheirs = async (db: Pg.Client, storeId: string, products: ReadonlyArray<Product>): Promise<void> => {
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

/** Collections of ours, which hold no products of their own. */
export const insertOurCollections = async (
  db: Pg.Client,
  storeId: string,
  heads: ReadonlyArray<CollectionHead>
): Promise<void> => {
  await db.query(
    `insert into collections (store_id, document, bytes, bytes_of)
     select $1, value::json, octet_length(value), (value::json ->> 'version')::integer from unnest($2::text[]) as value`,
    [storeId, heads.map(stringify)]
  )
}

const insertTheirCollections = async (
  db: Pg.Client,
  storeId: string,
  heads: ReadonlyArray<CollectionHead>
): Promise<void> => {
  await db.query(
    `
    insert into collections (
      store_id, id, title, type, is_active, slug, disjunctive, rules, created_at, updated_at
    )
    select $1, id, title, type, "isActive", slug, disjunctive, rules, "createdAt", "updatedAt"
    from json_to_recordset($2) as given (
      id uuid, title text, type text, "isActive" boolean, slug text, disjunctive boolean, rules jsonb,
      "createdAt" timestamptz, "updatedAt" timestamptz
    )
  `,
    [storeId, stringify(heads)]
  )
}

/** Entries of app data for every installation, which `owner` names in the tables and `from` in that of installations. */
const insertEntries = (owner: string, from: string) => async (db: Pg.Client) => {
  const given = range(ENTRIES).map((n) => ({ key: entryKey(n), value: entryValue(n) }))
  await db.query(
    `
    insert into app_data (${owner}, namespace, key, value, bytes, created_at, updated_at)
    select ${from}, 'settings', key, value::json, octet_length(value), at, at
    from installations, json_to_recordset($1) as given (key text, value text), to_timestamp($2) as at
  `,
    [JSON.stringify(given), EPOCH / 1000]
  )
  await db.query(`
    insert into app_data_usage (${owner}, entries, bytes) select ${owner}, count(*), sum(bytes) from app_data group by ${owner}
  `)
}

/** How the tables of one kind of server are filled. */
export interface Seeding {
  readonly accounts: (db: Pg.Client) => Promise<void>
  readonly entries: (db: Pg.Client) => Promise<void>
  readonly products: (db: Pg.Client, storeId: string, products: ReadonlyArray<Product>) => Promise<void>
  readonly orders: (db: Pg.Client, storeId: string, orders: ReadonlyArray<Order>) => Promise<void>
  readonly collections: (db: Pg.Client, storeId: string, heads: ReadonlyArray<CollectionHead>) => Promise<void>
}

export const OURS: Seeding = {
  accounts: seedOurAccounts,
  entries: insertEntries("store_id, installation_id", "store_id, id"),
  products: insertOurs,
  orders: insertOurOrders,
  collections: insertOurCollections
}
export const THEIRS: Seeding = {
  accounts: seedTheirAccounts,
  entries: insertEntries("installation_id", "id"),
  products: insertTheirs,
  orders: insertTheirOrders,
  collections: insertTheirCollections
}

/** The same stores, products, collections and installations for all. */
export const seed = async (sides: ReadonlyArray<readonly [db: Pg.Client, seeding: Seeding]>): Promise<void> => {
  for (const [db, { accounts, entries }] of sides) {
    await accounts(db)
    await entries(db)
  }
  for (const [store, count] of stores) {
    const storeId = idOf("store", 0, store)
    for (const batch of batches(range(count))) {
      const made = batch.map((n) => productOf(store, n))
      await Promise.all(sides.map(([db, { products }]) => products(db, storeId, made)))
    }
  }
  for (const store of range(STORES)) {
    const placed = range(ORDERS).map((n) => orderAt(store, n))
    await Promise.all(sides.map(([db, { orders }]) => orders(db, idOf("store", 0, store), placed)))
  }
  const heads = range(DEEP.collections).map(collectionOf)
  for (const [db, { collections }] of sides) await collections(db, idOf("store", 0, DEEP.store), heads)
}
