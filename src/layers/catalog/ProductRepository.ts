import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { CatalogRequest } from "../../domain/catalog/ListFilter.ts"
import { ProductDocument } from "../../domain/catalog/Documents.ts"
import { ProductId } from "../../domain/catalog/Product.ts"
import type { ProductReferences, StoredProduct } from "../../domain/catalog/ProductState.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import type { ExternalId } from "../../domain/imports/Put.ts"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { StoreId } from "../../domain/Store.ts"
import { resolveExternalIds } from "../imports/ExternalIds.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { completeMarked } from "../sql/Documents.ts"
import { orDefect } from "../sql/Errors.ts"
import { pageReader } from "../sql/Pages.ts"
import { rowList } from "../sql/RowList.ts"
import { constant, type Fragment, type Statement } from "../sql/Statement.ts"
import { traced } from "../telemetry/Traced.ts"
import { selectProducts } from "./ProductPages.ts"
import { KEY_COLUMNS, PRODUCT_COLUMNS, type ProductRow } from "./ProductRows.ts"
import { PRODUCT_TEXT, SUMMARY } from "./Columns.ts"

const readPage = pageReader(ProductId, ProductDocument)

const SCHEMA_HASH = constant(ProductDocument.schemaHash)

/** References to a product that is locked for deletion: no other transaction can add it to a collection. */
const References = Schema.Struct({
  memberships: Schema.NullOr(Schema.String),
  externalId: Schema.NullOr(Schema.String)
})

const parse = (json: JsonText): StoredProduct => ({ product: ProductDocument.parse(json), json })

const parseAll = (rows: ReadonlyArray<{ readonly id: ProductId; readonly json: JsonText }>) =>
  new Map(rows.map(({ id, json }) => [id, parse(json)] as const))

const Key = Schema.Struct({ store: StoreId, id: ProductId })

/** Queries of products, without permissions, limits and events. Writes take lists: one product is a list of one. */
export class ProductRepository extends Context.Service<ProductRepository>()("layers/catalog/ProductRepository", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { journalDays } = yield* OperatorLimits

    const find = SqlSchema.findOneOption({
      Request: Key,
      Result: Schema.Struct({
        id: Schema.toType(ProductId),
        version: Schema.Int,
        json: Schema.String
      }),
      execute: ({ id, store }) => sql`
        select id, version, ${PRODUCT_TEXT} as json from products where store_id = ${store} and id = ${id}
      `
    })

    const lockRow = SqlSchema.findOneOption({
      Request: Key,
      Result: Schema.Struct({ json: Schema.String, clock: Schema.NumberFromString }),
      execute: ({ id, store }) => sql`
        with locked as materialized (
          select document from products where store_id = ${store} and id = ${id} for no key update
        )
        select document::text as json, change_clock(${store}) as clock from locked
      `
    })

    const lockForDeletion = (document: Fragment) =>
      SqlSchema.findAll({
        Request: Schema.Struct({ store: StoreId, ids: Schema.String }),
        Result: Schema.Struct({ id: Schema.toType(ProductId), json: Schema.String, ...References.fields }),
        execute: ({ ids, store }) => sql`
          with locked as materialized (
            select id, document from products
            where store_id = ${store} and id = any((select ${ids}::uuid[])::uuid[]) order by id for update
          )
          select id, ${document} as json, memberships_of(${store}, locked.id) as memberships,
            (select external_id from external_ids where store_id = ${store} and resource_id = locked.id) as "externalId"
          from locked
        `
      })
    const lockDocuments = lockForDeletion(sql`document::text`)
    const lockReferences = lockForDeletion(sql`''`)

    const lockKeys = SqlSchema.findAll({
      Request: Schema.Struct({ store: StoreId, ids: Schema.String }),
      Result: Schema.Struct({ id: Schema.toType(ProductId) }),
      execute: ({ ids, store }) => sql`
        select id from products where store_id = ${store} and id = any(${ids}::uuid[]) for key share
      `
    })

    const lockImported = SqlSchema.findAll({
      Request: Schema.Struct({ store: StoreId, externalIds: Schema.Array(Schema.String) }),
      Result: Schema.Struct({ externalId: Schema.String, id: Schema.toType(ProductId), json: Schema.String }),
      execute: ({ externalIds, store }) => sql`
        select requested.external_id as "externalId", locked.id, locked.document::text as json
        from ${resolveExternalIds(store, "product", externalIds)}, lateral (
          select p.id, p.document from products p
          where p.store_id = ${store} and p.id = resolved.id for no key update
        ) as locked
      `
    })

    const selectListed = (store: string, ids: string) => sql`
      select id, document::text as json from products
      where store_id = ${store} and id = any((select ${ids}::uuid[])::uuid[])
    `

    const lockListed = SqlSchema.findAll({
      Request: Schema.Struct({ store: StoreId, ids: Schema.String }),
      Result: Schema.Struct({ id: Schema.toType(ProductId), json: Schema.String }),
      // The list is in a subquery, which hides its length from the planner (see updateProducts).
      execute: ({ ids, store }) => sql`${selectListed(store, ids)} order by id for no key update`
    })

    const findListed = SqlSchema.findAll({
      Request: Schema.Struct({ store: StoreId, ids: Schema.String }),
      Result: Schema.Struct({ id: Schema.toType(ProductId), json: Schema.String }),
      execute: ({ ids, store }) => selectListed(store, ids)
    })

    const selectSummaries = SqlSchema.findOne({
      Request: Schema.Struct({ store: StoreId, ids: Schema.String }),
      Result: Schema.Struct({ items: Schema.String }),
      execute: ({ ids, store }) => sql`
        select '[' || coalesce(string_agg(${SUMMARY}, ',' order by id), '') || ']' as items
        from products where store_id = ${store} and id = any(${ids}::uuid[])
      `
    })

    const insertProducts = (store: StoreId, rows: ReadonlyArray<ProductRow>) => sql`
      insert into products (store_id, id, slug, document, schema_hash, bytes, version, bytes_of, facets, description)
      select ${store}, id, slug, document::json, ${SCHEMA_HASH}, bytes, version, version, facets::jsonb, description
      from ${rowList("entry", rows, PRODUCT_COLUMNS)}
    `

    const insertKeys = (store: StoreId, rows: ReadonlyArray<ProductRow>) => sql`
      insert into product_keys (store_id, id, price, stock, sku, barcode, terms)
      select ${store}, id, price, stock, sku, barcode, terms::uuid[] from ${rowList("entry", rows, KEY_COLUMNS)}
    `

    // The list of ids limits an update to these rows, whatever statistics the planner has. It is in a subquery, which hides
    // its length: PostgreSQL would plan the statement anew for each list that is short.
    const isListed = (id: Fragment, rows: ReadonlyArray<ProductRow>) =>
      rows.length === 1
        ? sql`true`
        : sql`${id} = any((select ${plainArray(rows.map(({ product }) => product.id))}::uuid[])::uuid[])`

    const updateProducts = (store: StoreId, rows: ReadonlyArray<ProductRow>) => sql`
      update products p
      set slug = entry.slug, document = entry.document::json, schema_hash = ${SCHEMA_HASH}, bytes = entry.bytes,
        version = entry.version, bytes_of = entry.version, facets = entry.facets::jsonb, description = entry.description
      from ${rowList("entry", rows, PRODUCT_COLUMNS)}
      where p.store_id = ${store} and p.id = entry.id and ${isListed(sql`p.id`, rows)}
    `

    // PostgreSQL writes no index entry for a column whose value stays the same.
    const updateKeys = (store: StoreId, rows: ReadonlyArray<ProductRow>) => sql`
      update product_keys k
      set price = entry.price, stock = entry.stock, sku = entry.sku, barcode = entry.barcode,
        terms = coalesce(entry.terms::uuid[], k.terms)
      from ${rowList("entry", rows, KEY_COLUMNS)}
      where k.store_id = ${store} and k.id = entry.id and ${isListed(sql`k.id`, rows)}
    `

    return {
      listPage: traced("ProductRepository.listPage")(
        (store: StoreId, request: CatalogRequest<ProductId>) =>
          readPage(selectProducts(sql, store, request, journalDays)),
        orDefect
      ),

      findById: traced("ProductRepository.findById")(
        (store: StoreId, id: ProductId) =>
          Effect.map(
            find({ store, id }),
            Option.map((found) => ({ ...found, json: completeMarked(ProductDocument, found.json) }))
          ),
        orDefect
      ),

      /** Returns summaries of products as a JSON array. */
      summarize: traced("ProductRepository.summarize")(function* (store: StoreId, ids: ReadonlyArray<ProductId>) {
        const { items } = yield* selectSummaries({ store, ids: plainArray(ids) })
        return items
      }, orDefect),

      /** Locks a product, and returns it with the instant of its next change in microseconds. */
      lock: traced("ProductRepository.lock")(function* (store: StoreId, id: ProductId) {
        const row = yield* lockRow({ store, id })
        return Option.map(row, ({ clock, json }) => ({ clock, stored: parse(json) }))
      }, orDefect),

      /** Locks a product for deletion, and returns it with what refers to it, by its id. */
      lockToDelete: traced("ProductRepository.lockToDelete")(function* (store: StoreId, id: ProductId) {
        const rows = yield* lockDocuments({ store, ids: plainArray([id]) })
        return rows.map(({ json, externalId, memberships }): readonly [ProductId, StoredProduct] => [
          id,
          { ...parse(json), references: { externalId, memberships } }
        ])
      }, orDefect),

      /** Locks products for deletion, in the order of their ids, and returns what refers to each. */
      lockReferences: traced("ProductRepository.lockReferences")(function* (
        store: StoreId,
        ids: ReadonlyArray<ProductId>
      ) {
        const rows = yield* lockReferences({ store, ids: plainArray(ids) })
        return new Map(
          rows.map(({ externalId, id, memberships }): readonly [ProductId, ProductReferences] => [
            id,
            { externalId, memberships }
          ])
        )
      }, orDefect),

      /** Returns which of these products exist. They cannot be deleted until the transaction ends. */
      lockExisting: traced("ProductRepository.lockExisting")(function* (store: StoreId, ids: ReadonlyArray<ProductId>) {
        const rows = yield* lockKeys({ store, ids: plainArray(ids) })
        return new Set(rows.map(({ id }) => id))
      }, orDefect),

      /** Returns the products with these external ids, locked until the transaction ends. */
      lockByExternalIds: traced("ProductRepository.lockByExternalIds")(function* (
        store: StoreId,
        externalIds: ReadonlyArray<ExternalId>
      ) {
        const rows = yield* lockImported({ store, externalIds })
        return new Map(rows.map(({ externalId, json }) => [externalId, parse(json)] as const))
      }, orDefect),

      /** Returns products by their ids. Unknown ids are omitted. Locks them until the transaction ends, in the order of their ids. */
      lockAll: traced("ProductRepository.lockAll")(function* (store: StoreId, ids: ReadonlyArray<ProductId>) {
        return parseAll(yield* lockListed({ store, ids: plainArray(ids) }))
      }, orDefect),

      /** Returns products by their ids, like `lockAll` but without locks. */
      findAll: traced("ProductRepository.findAll")(function* (store: StoreId, ids: ReadonlyArray<ProductId>) {
        return parseAll(yield* findListed({ store, ids: plainArray(ids) }))
      }, orDefect),

      /** Makes the statements that insert products with their keys. */
      insertStatements: (store: StoreId, rows: ReadonlyArray<ProductRow>): ReadonlyArray<Statement> =>
        rows.length === 0 ? [] : [insertProducts(store, rows), insertKeys(store, rows)],

      /** Makes the statements that update products with their keys. */
      updateStatements: (store: StoreId, rows: ReadonlyArray<ProductRow>): ReadonlyArray<Statement> =>
        rows.length === 0 ? [] : [updateProducts(store, rows), updateKeys(store, rows)],

      /** Makes the statement that deletes products. */
      deleteStatement: (store: StoreId, ids: ReadonlyArray<ProductId>): Statement =>
        sql`delete from products where store_id = ${store} and id = any((select ${plainArray(ids)}::uuid[])::uuid[])`
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
