import { Redacted } from "effect"
import { createHash } from "node:crypto"
import type Pg from "pg"
import { StoreId } from "../../../src/domain/Store.ts"
import { formatStoreToken } from "../../../src/layers/access/StoreTokens.ts"
import { encodeSecret } from "../../../src/layers/webhooks/Signature.ts"
import { EPOCH, idOf, KINDS, tokenOf } from "./population.ts"

/*
 * Stores in cells, with their accounts, apps and deliveries. The sizes of stores fall with their rank: the tenth has a tenth
 * of the products that the first of the series would have.
 */

/** Cells of the stores in turn. The largest store is in the first. */
export const CELLS = ["north", "south", "east", "main"] as const
export type ScaleCell = (typeof CELLS)[number]
export type Databases = Readonly<Record<ScaleCell, Pg.Client>>

export const cellOf = (store: number): ScaleCell => CELLS[store % CELLS.length] ?? "main"

/** Apps of measured requests, each installed on the measured stores, and merchants who are members of them. */
export const READERS = 300

/** Apps with a webhook. Each waits for some events of some stores of every cell. */
const SUBSCRIBERS = 10_000
const BACKLOG_STORES = 10
const EVENTS_OF_STORE = 4

/** Group of the ids of the installations on backlog stores. Smaller groups are those of apps on other stores. */
const BACKLOG_GROUP = 3000

const SCOPES = ["read_products", "write_products", "read_collections", "write_collections"]

export interface Sizes {
  readonly stores: number
  readonly products: number
  readonly largest: number
}

/** A store whose requests are measured. */
export interface MeasuredStore {
  readonly number: number
  readonly title: string
  readonly products: number
}

export const SMALL_PRODUCTS = 100

/** Number of the store that keeps its size, in the cell of the largest one. */
export const smallStoreOf = ({ stores }: Sizes) => Math.ceil(stores / CELLS.length) * CELLS.length

/** Store whose products are the templates, in `main`. */
export const templateStoreOf = (sizes: Sizes) => smallStoreOf(sizes) + CELLS.length - 1

/** Stores that only have deliveries, in turn in all cells. A write to another store reaches no subscriber. */
const backlogStores = (sizes: Sizes): ReadonlyArray<number> =>
  Array.from({ length: BACKLOG_STORES * CELLS.length }, (_, n) => templateStoreOf(sizes) + 1 + n)

export const sizeOf = ({ largest, products, stores }: Sizes, store: number, share: number): number => {
  // The sum of 1/2 to 1/stores.
  const shares = Math.log(stores) + 0.5772 - 1
  const whole = store === 0 ? largest : Math.min(largest, (products - largest) / shares / (store + 1))
  return Math.max(1, Math.round(whole * share))
}

/** Stores that are measured at a share of everything. */
export const measuredStores = (sizes: Sizes, share: number): ReadonlyArray<MeasuredStore> => [
  { number: 0, title: "largest", products: sizeOf(sizes, 0, share) },
  { number: smallStoreOf(sizes), title: "small", products: SMALL_PRODUCTS }
]

export const storeIdOf = (store: number) => StoreId.make(idOf("store", 0, store))
export const productIdOf = (product: number) => idOf("product", 0, product)

/** Token of an app on a measured store. */
export const appToken = (store: number, app: number): string =>
  Redacted.value(
    formatStoreToken("pa_", storeIdOf(store), createHash("sha256").update(`scale ${store} ${app}`).digest())
  )

/** Session of a member of a measured store. */
export const memberSession = (store: number, member: number): string => tokenOf(store * READERS + member)

const ID_FUNCTION = `
  create function scale_id(kind integer, grp integer, n bigint) returns uuid language sql immutable as $$
    select (
      substr(t, 1, 8) || '-' || substr(t, 9) || '-7' || lpad(kind::text, 3, '0') || '-8' || lpad(to_hex(grp), 3, '0')
      || '-' || lpad(to_hex(n), 12, '0')
    )::uuid from lpad(to_hex(${EPOCH}::bigint + n), 12, '0') as t
  $$;
`

/** Adds apps and plans, and turns triggers off for these connections. */
export const prepareAccounts = async (dbs: Databases): Promise<void> => {
  for (const db of Object.values(dbs)) {
    await db.query(ID_FUNCTION)
    await db.query("set session_replication_role = replica; set synchronous_commit = off")
  }
  await dbs.main.query("update plans set product_limit = 100000000")
  await dbs.main.query(
    `insert into apps (id, name, scopes, capabilities)
     select scale_id(${KINDS.app}, 0, n), 'App ' || n, $2, '{}' from generate_series(0, $1::integer - 1) n`,
    [READERS + SUBSCRIBERS, SCOPES]
  )
}

/** SQL of the id of an installation. */
export const installationOf = (app: string, store: string) =>
  `scale_id(${KINDS.installation}, (${app})::integer, ${store})`

/** Adds stores with an owner and three apps each, by their numbers. */
export const addStores = async (dbs: Databases, numbers: ReadonlyArray<number>) => {
  for (const cell of CELLS) {
    const mine = numbers.filter((number) => cellOf(number) === cell)
    if (cell !== "main") {
      await dbs.main.query(
        `insert into directory (store_id, cell) select scale_id(${KINDS.store}, 0, n), $2 from unnest($1::integer[]) n`,
        [mine, cell]
      )
    }
    const merchants = `
      select scale_id(${KINDS.merchant}, 0, n) as id, scale_id(${KINDS.store}, 0, n) as store, n from unnest($1::integer[]) n
    `
    await dbs.main.query(
      `with given as (${merchants}), made as (
         insert into merchants (id, email, name, password_hash) select id, id || '@scale.example', 'Ada', '-' from given
       ), windows as (insert into merchant_call_windows (merchant_id) select id from given), indexed as (
         insert into merchant_stores (merchant_id, store_id) select id, store from given where $2
       )
       insert into sessions (token_hash, id, merchant_id, address, created_at, seen_at, ends_at, last_end)
       select sha256(id::text::bytea), id, id, '-', now(), now(), now() + interval '10 days', now() + interval '10 days'
       from given`,
      [mine, cell !== "main"]
    )
    await dbs[cell].query(
      `with given as (${merchants}), stored as (
         insert into stores (id, name, plan, currency_code) select store, 'Store ' || n, 'scale', 'EUR' from given
       ), joined as (insert into members (store_id, merchant_id, role) select store, id, 'owner' from given), held as (
         select store, ${installationOf("app", "n")} as id, scale_id(${KINDS.app}, 0, app) as app, n
         from given cross join generate_series(0, 2) app
       ), installed as (
         insert into installations (store_id, id, app_id, scopes) select store, id, app, '{read_products}' from held
       ), windows as (insert into rate_windows (store_id, installation_id) select store, id from held)
       insert into access_tokens (token_hash, store_id, installation_id, expires_at)
       select sha256(id::text::bytea), store, id, now() + interval '10 days' from held`,
      [mine]
    )
  }
}

/** Installs the apps of requests on a measured store, and adds its members. */
const addReaders = async (dbs: Databases, store: number) => {
  const readers = Array.from({ length: READERS }, (_, n) => n)
  await dbs[cellOf(store)].query(
    `with given as (
       select scale_id(${KINDS.store}, 0, $2) as store, ${installationOf("app - 1", "$2")} as id,
         scale_id(${KINDS.app}, 0, app - 1) as app, token
       from unnest($1::text[]) with ordinality as given (token, app)
     ), installed as (
       insert into installations (store_id, id, app_id, scopes)
       select store, id, app, $3 from given
       on conflict (store_id, id) do update set scopes = excluded.scopes
     ), windows as (
       insert into rate_windows (store_id, installation_id) select store, id from given on conflict do nothing
     )
     insert into access_tokens (token_hash, store_id, installation_id, expires_at)
     select sha256(token::bytea), store, id, now() + interval '10 days' from given`,
    [readers.map((app) => appToken(store, app)), store, SCOPES]
  )
  const members = `
    select scale_id(${KINDS.merchant}, 1, $2::integer * ${READERS} + n) as id, scale_id(${KINDS.store}, 0, $2) as store, token
    from unnest($1::text[]) with ordinality as given (token, n)
  `
  const values = [readers.map((member) => memberSession(store, member)), store]
  await dbs.main.query(
    `with given as (${members}), made as (
       insert into merchants (id, email, name, password_hash) select id, id || '@scale.example', 'Ada', '-' from given
     ), windows as (insert into merchant_call_windows (merchant_id) select id from given), indexed as (
       insert into merchant_stores (merchant_id, store_id) select id, store from given
     )
     insert into sessions (token_hash, id, merchant_id, address, created_at, seen_at, ends_at, last_end)
     select sha256(token::bytea), id, id, '-', now(), now(), now() + interval '10 days', now() + interval '10 days'
     from given`,
    values
  )
  await dbs[cellOf(store)].query(
    `insert into members (store_id, merchant_id, role) select store, id, 'owner' from (${members}) given`,
    values
  )
}

/** Adds the stores that exist from the start: the measured ones, that of the templates and those with a backlog. */
export const addMeasuredStores = async (dbs: Databases, sizes: Sizes): Promise<void> => {
  const numbers = [0, smallStoreOf(sizes), templateStoreOf(sizes)]
  await addStores(dbs, [...numbers, ...backlogStores(sizes)])
  for (const number of numbers) await addReaders(dbs, number)
}

/** Adds a share of the subscribers, with pending deliveries in each cell. */
export const addDeliveries = async (dbs: Databases, sizes: Sizes, share: number) => {
  const end = READERS + Math.round(SUBSCRIBERS * share)
  await dbs.main.query(
    `insert into webhooks (app_id, url, kinds, secret)
     select scale_id(${KINDS.app}, 0, n), 'https://app.example.com/' || n, '{catalog.product.updated.v1}', $3
     from generate_series($1::integer, $2::integer - 1) n`,
    [READERS, end, encodeSecret(Buffer.alloc(32, 1))]
  )
  for (const cell of CELLS) {
    const db = dbs[cell]
    const stores = backlogStores(sizes).filter((number) => cellOf(number) === cell)
    await db.query("set session_replication_role = origin")
    await db.query(
      `with given as materialized (
         select scale_id(${KINDS.store}, 0, number) as store, place,
           scale_id(${KINDS.collection}, place::integer, n) as event, n
         from unnest($1::integer[]) with ordinality s (number, place)
         cross join generate_series(1, ${EVENTS_OF_STORE}) n
       ), made as (
         insert into events (store_id, id, kind, occurred_at, actor_type, resource_id, resource_version, payload)
         select store, event, 'catalog.product.updated.v1', now(), 'merchant', event, 1, t.document
         from given join scale_templates t on t.place = n on conflict do nothing
       ), subscribed as materialized (
         select store, event, n, scale_id(${KINDS.app}, 0, app) as app,
           scale_id(${KINDS.installation}, ${BACKLOG_GROUP} + place::integer, app) as installation
         from given cross join generate_series($2::integer, $3::integer - 1) app
       ), installed as (
         insert into installations (store_id, id, app_id, scopes)
         select store, installation, app, '{read_products}'::text[] from subscribed where n = 1
       )
       insert into deliveries (store_id, event_id, installation_id, app_id)
       select store, event, installation, app from subscribed`,
      [stores, READERS, end]
    )
    // A worker moves the wakeups to their endpoints, whose statistics the measurement needs.
    await db.query(
      `with woken as (delete from wakeups returning app_id, next_at)
       insert into endpoints (app_id, next_at) select app_id, min(next_at) from woken group by app_id`
    )
    await db.query("set session_replication_role = replica")
  }
}
