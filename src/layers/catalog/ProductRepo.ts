import type { PgClient } from "@effect/sql-pg"
import { Effect, Option, Schema } from "effect"
import { type Facets, facetsJson, facetsOf } from "../../domain/catalog/Facets.ts"
import { Product, ProductId } from "../../domain/catalog/Product.ts"
import type { DocumentPage, JsonText } from "../../domain/Document.ts"
import { parse, stringify } from "../../domain/Json.ts"
import { PAGE_BYTES, type PageRequest } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Reads } from "../Reads.ts"
import { oneRowOf, rowOf } from "../Rows.ts"
import { asks } from "../Transaction.ts"
import { write } from "../Writes.ts"
import { BYTES_BEFORE, ROWS_BEFORE } from "./Sizes.ts"
import { hasTermsOf, termsOf } from "./Terms.ts"

const pageOf = oneRowOf(
  Schema.Struct({ items: Schema.String, nextCursor: Schema.NullOr(Schema.typeSchema(ProductId)) })
)

const versionOf = rowOf(Schema.Struct({ version: Schema.Int }))

/** What a document says. Whether it may was seen when it was written, by the rules of that day, which may since be stricter. */
const decode = Schema.decodeUnknownSync(Schema.encodedSchema(Product))

const INSERT = `
  insert into products (store_id, document, bytes, bytes_of, facets, description) values ($1, $2, $3, $4, $5, $6)
`
const INSERT_KEYS = "insert into product_keys (store_id, id, price, stock, terms) values ($1, $2, $3, $4, $5)"

const UPDATE = `
  update products set document = $3, bytes = $4, bytes_of = $5, facets = $6, description = $7
  where store_id = $1 and id = $2
`
const UPDATE_NUMBERS = "update product_keys set price = $3, stock = $4 where store_id = $1 and id = $2"
const UPDATE_KEYS = "update product_keys set price = $3, stock = $4, terms = $5 where store_id = $1 and id = $2"

const LOCK = `
  with held as materialized (
    select document from products where store_id = $1 and id = $2 for no key update
  )
  select document::text as document, clock_timestamp() as at, uuid_v7(clock_micros()) as "eventId" from held
`

const lock = asks(LOCK, Schema.Struct({ document: Schema.String, at: Schema.DateFromSelf, eventId: Schema.String }))

const termsText = (store: StoreId, facets: Facets) => `{${termsOf(store, facets).join(",")}}`

/** SQL for products, and nothing else: no permissions, no limits, no events. Failures of the database are defects. */
export const makeProductRepo = (sql: PgClient.PgClient, reads: Reads) => {
  const rowsBefore = sql.literal(ROWS_BEFORE)
  const bytesBefore = sql.literal(BYTES_BEFORE)

  return {
    /**
     * One row more than asked for is looked at, to know whether there is another page. Documents are read, and so taken
     * out of their compression, only as far as the page goes.
     */
    page: (store: StoreId, { cursor, limit }: PageRequest<ProductId>): Effect.Effect<DocumentPage<ProductId>> =>
      pageOf(
        reads.rows(sql`
          with page as (
            select id, document, ${rowsBefore} < ${limit} and ${bytesBefore} < ${PAGE_BYTES} as fits from products
            where store_id = ${store} ${cursor === undefined ? sql`` : sql`and id > ${cursor}`}
            order by id limit ${limit + 1}
          )
          select
            '[' || coalesce(string_agg(document::text, ',' order by id) filter (where fits), '') || ']' as items,
            case when not bool_and(fits) then max(id::text) filter (where fits) end as "nextCursor"
          from page
        `)
      ),

    /** The product, and what rules ask most of it: two writes of one transaction. */
    insert: (store: StoreId, product: Product, document: JsonText) => {
      const facets = facetsOf(product)
      const numbers = [stringify(product.price), stringify(product.stock)]
      return [
        write(INSERT, [
          store,
          document,
          Buffer.byteLength(document),
          product.version,
          facetsJson(facets),
          facets.description
        ]),
        write(INSERT_KEYS, [store, product.id, ...numbers, termsText(store, facets)])
      ]
    },

    /** The same of a product that there is; terms that stay need not be made, nor looked up in their index. */
    update: (store: StoreId, before: Product, product: Product, document: JsonText) => {
      const facets = facetsOf(product)
      const numbers = [stringify(product.price), stringify(product.stock)]
      return [
        write(UPDATE, [
          store,
          product.id,
          document,
          Buffer.byteLength(document),
          product.version,
          facetsJson(facets),
          facets.description
        ]),
        hasTermsOf(before, product)
          ? write(UPDATE_NUMBERS, [store, product.id, ...numbers])
          : write(UPDATE_KEYS, [store, product.id, ...numbers, termsText(store, facets)])
      ]
    },

    /** The product, which nobody else changes until the transaction ends, with the time and an id for its event. */
    lock: (store: StoreId, id: ProductId) =>
      Effect.map(
        lock(store, id),
        Option.map(({ document, ...rest }) => ({ product: { ...decode(parse(document)), id }, document, ...rest }))
      ),

    lockVersion: (store: StoreId, id: ProductId) =>
      versionOf(sql`select version from products where store_id = ${store} and id = ${id} for update`),

    delete: (store: StoreId, id: ProductId) => sql`delete from products where store_id = ${store} and id = ${id}`,

    /** Of these ids the ones that are products of the store, which stay until the transaction ends. */
    hold: (store: StoreId, ids: ReadonlyArray<ProductId>): Effect.Effect<ReadonlySet<unknown>> =>
      Effect.orDie(
        Effect.map(
          sql<{ readonly id: string }>`
            select id from products where store_id = ${store} and id = any(${`{${ids.join(",")}}`}::uuid[]) for key share
          `,
          (rows) => new Set(rows.map(({ id }) => id))
        )
      )
  }
}
