import type { PgClient } from "@effect/sql-pg"
import { Effect, Option, Schema } from "effect"
import { facetsJson, facetsOf, termsOf } from "../../domain/catalog/Facets.ts"
import { Product, ProductId } from "../../domain/catalog/Product.ts"
import type { DocumentPage, JsonText } from "../../domain/Document.ts"
import { parse } from "../../domain/Json.ts"
import type { PageRequest } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { oneRowOf, rowOf } from "../Rows.ts"

const pageOf = oneRowOf(
  Schema.Struct({ items: Schema.String, nextCursor: Schema.NullOr(Schema.typeSchema(ProductId)) })
)

const lockedOf = rowOf(Schema.Struct({ document: Schema.String, at: Schema.DateFromSelf, eventId: Schema.String }))
const versionOf = rowOf(Schema.Struct({ version: Schema.Int }))

const decode = Schema.decodeUnknown(Product)

/** What is stored beside the document, for rules to ask. */
const derived = (store: StoreId, product: Product) => {
  const facets = facetsOf(product)
  return { facets: facetsJson(facets), terms: termsOf(store, facets), description: facets.description }
}

/** SQL for products, and nothing else: no permissions, no limits, no events. Failures of the database are defects. */
export const makeProductRepo = (sql: PgClient.PgClient) => {
  return {
    /** One row more than asked for is looked at, to know whether there is another page. */
    page: (store: StoreId, { cursor, limit }: PageRequest<ProductId>): Effect.Effect<DocumentPage<ProductId>> =>
      pageOf(sql`
        with page as (
          select id, document, row_number() over (order by id) as place from products
          where store_id = ${store} ${cursor === undefined ? sql`` : sql`and id > ${cursor}`}
          order by id limit ${limit + 1}
        )
        select
          '[' || coalesce(string_agg(document::text, ',' order by id) filter (where place <= ${limit}), '') || ']'
            as items,
          case when count(*) > ${limit} then max(id::text) filter (where place = ${limit}) end as "nextCursor"
        from page
      `),

    insert: (store: StoreId, product: Product, document: JsonText) => {
      const { description, facets, terms } = derived(store, product)
      return sql`
        insert into products (store_id, document, facets, terms, description)
        values (${store}, ${document}, ${facets}, ${terms}, ${description})
      `
    },

    update: (store: StoreId, product: Product, document: JsonText) => {
      const { description, facets, terms } = derived(store, product)
      return sql`
        update products
        set document = ${document}, facets = ${facets}, terms = ${terms}, description = ${description}
        where store_id = ${store} and id = ${product.id}
      `
    },

    /** The product, which nobody else changes until the transaction ends, with the time and an id for its event. */
    lock: (store: StoreId, id: ProductId) =>
      Effect.flatMap(
        lockedOf(sql`
          with held as materialized (
            select document from products where store_id = ${store} and id = ${id} for no key update
          )
          select document::text as document, clock_timestamp() as at, uuid_v7(clock_micros()) as "eventId" from held
        `),
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: ({ document, ...rest }) =>
            Effect.orDie(Effect.map(decode(parse(document)), (product) => Option.some({ product, document, ...rest })))
        })
      ),

    lockVersion: (store: StoreId, id: ProductId) =>
      versionOf(sql`select version from products where store_id = ${store} and id = ${id} for update`),

    delete: (store: StoreId, id: ProductId) => sql`delete from products where store_id = ${store} and id = ${id}`,

    /** Of these ids the ones that are products of the store, which stay until the transaction ends. */
    hold: (store: StoreId, ids: ReadonlyArray<ProductId>): Effect.Effect<ReadonlySet<unknown>> =>
      Effect.orDie(
        Effect.map(
          sql<{ readonly id: string }>`
            select id from products where store_id = ${store} and id = any(${ids}::uuid[]) for key share
          `,
          (rows) => new Set(rows.map(({ id }) => id))
        )
      )
  }
}
