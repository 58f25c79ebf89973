import { Effect, Option, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import { type Facets, facetsJson, facetsOf } from "../../domain/catalog/Facets.ts"
import { Product, ProductId } from "../../domain/catalog/Product.ts"
import { codeOf } from "../../domain/catalog/SearchWords.ts"
import { compileStoredDecoder } from "../../domain/json/Decoder.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { PAGE_BYTES, type PageRequest } from "../../domain/Page.ts"
import { StoreId } from "../../domain/Store.ts"
import { deferToCommit } from "../sql/Transaction.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { pageReader, START } from "../sql/Pages.ts"
import { type ChangeStamp, stampOf } from "./Allocation.ts"
import { DOCUMENT_BYTES, SUMMARY } from "./Columns.ts"
import { hasSameTerms, type Indexer, type SearchValue } from "./Terms.ts"
import { insertWords, markStored } from "./Vocabulary.ts"

/*
 * Queries of products, without permissions, limits and events.
 */

const decode = compileStoredDecoder(Product)

/** Decodes a stored document. It was validated when it was written, perhaps by rules less strict than today's. */
export const productOf = (document: JsonText, id: ProductId): Product => ({ ...decode(JSON.parse(document)), id })

const nullableCode = (text: string | null) => (text === null ? null : codeOf(text) || null)

/** Returns SKU and barcode in the form in which they are searched. */
export const codesOf = ({ barcode, sku }: Product) => [nullableCode(sku), nullableCode(barcode)] as const

const readPage = pageReader(ProductId)

/** A product that no other transaction can change until this one ends, with the stamp of its next change. */
export interface LockedProduct extends ChangeStamp {
  readonly product: Product
  readonly document: JsonText
}

/** A product locked for deletion: no other transaction can add it to a collection. */
export interface ProductToDelete extends LockedProduct {
  /** Manual collections that contain the product, as JSON; null if they are too many to store. */
  readonly memberships: JsonText | null
  readonly externalId: string | null
}

const Key = Schema.Struct({ store: StoreId, id: ProductId })

export const makeProductRepository = (sql: SqlClient.SqlClient) => {
  /** Documents are decompressed only up to the end of the page. */
  const selectPage = (store: StoreId, cursor: string, limit: number) => sql`
    with page as (
      select id, document,
        count(*) over before < ${limit} and coalesce(sum(${DOCUMENT_BYTES}) over before, 0) < ${PAGE_BYTES} as fits
      from products where store_id = ${store} and id > ${cursor}
      window before as (order by id rows between unbounded preceding and 1 preceding)
      order by id limit ${limit} + 1
    )
    select
      '[' || coalesce(string_agg(document::text, ',' order by id) filter (where fits), '') || ']' as items,
      case when not bool_and(fits) then max(id::text) filter (where fits) end as "nextCursor"
    from page
  `

  const find = SqlSchema.findOneOption({
    Request: Key,
    Result: Schema.Struct({ id: Schema.toType(ProductId), version: Schema.Int, json: Schema.String }),
    execute: ({ id, store }) => sql`
      select id, version, document::text as json from products where store_id = ${store} and id = ${id}
    `
  })

  const lockRow = SqlSchema.findOneOption({
    Request: Key,
    Result: Schema.Struct({ document: Schema.String, clock: Schema.NumberFromString }),
    execute: ({ id, store }) => sql`
      with locked as materialized (
        select document from products where store_id = ${store} and id = ${id} for no key update
      )
      select document::text as document, change_clock(${store}) as clock from locked
    `
  })

  const lockRowForDeletion = SqlSchema.findOneOption({
    Request: Key,
    Result: Schema.Struct({
      document: Schema.String,
      clock: Schema.NumberFromString,
      memberships: Schema.NullOr(Schema.String),
      externalId: Schema.NullOr(Schema.String)
    }),
    execute: ({ id, store }) => sql`
      with locked as materialized (
        select document from products where store_id = ${store} and id = ${id} for update
      )
      select
        document::text as document, change_clock(${store}) as clock, memberships_of(${store}, ${id}) as memberships,
        (select external_id from external_ids where store_id = ${store} and resource_id = ${id}) as "externalId"
      from locked
    `
  })

  const summaries = SqlSchema.findOne({
    Request: Schema.Struct({ store: StoreId, ids: Schema.String }),
    Result: Schema.Struct({ items: Schema.String }),
    execute: ({ ids, store }) => sql`
      select '[' || coalesce(string_agg(${SUMMARY}, ',' order by id), '') || ']' as items
      from products where store_id = ${store} and id = any(${ids}::uuid[])
    `
  })

  const insertProduct = (store: StoreId, { id, slug, version }: Product, document: JsonText, facets: Facets) => sql`
    insert into products (store_id, id, slug, document, bytes, version, bytes_of, facets, description)
    values (
      ${store}, ${id}, ${slug}, ${document}, ${Buffer.byteLength(document)}, ${version}, ${version},
      ${facetsJson(facets)}, ${facets.description}
    )
  `

  const updateProduct = (store: StoreId, { id, slug, version }: Product, document: JsonText, facets: Facets) => sql`
    update products
    set slug = ${slug}, document = ${document}, bytes = ${Buffer.byteLength(document)}, version = ${version},
      bytes_of = ${version}, facets = ${facetsJson(facets)}, description = ${facets.description}
    where store_id = ${store} and id = ${id}
  `

  const insertKeys = (store: StoreId, product: Product, terms: ReadonlyArray<string>) => {
    const [sku, barcode] = codesOf(product)
    return sql`
      insert into product_keys (store_id, id, price, stock, sku, barcode, terms)
      values (
        ${store}, ${product.id}, ${JSON.stringify(product.price)}, ${JSON.stringify(product.stock)}, ${sku}, ${barcode},
        ${plainArray(terms)}
      )
    `
  }

  const updateKeys = (store: StoreId, product: Product, terms: ReadonlyArray<string>) => {
    const [sku, barcode] = codesOf(product)
    return sql`
      update product_keys
      set price = ${JSON.stringify(product.price)}, stock = ${JSON.stringify(product.stock)}, sku = ${sku},
        barcode = ${barcode}, terms = ${plainArray(terms)}
      where store_id = ${store} and id = ${product.id}
    `
  }

  const updateNumbers = (store: StoreId, { id, price, stock }: Product) => sql`
    update product_keys set price = ${JSON.stringify(price)}, stock = ${JSON.stringify(stock)}
    where store_id = ${store} and id = ${id}
  `

  /** Inserts words that may not be in the vocabulary yet. */
  const storeWords = Effect.fnUntraced(function* (store: StoreId, unstored: ReadonlyArray<SearchValue>) {
    if (unstored.length === 0) return
    yield* deferToCommit(...insertWords(sql, store, unstored))
    yield* sql.afterCommit(Effect.sync(() => markStored(unstored)))
  })

  return {
    listPage: (store: StoreId, { cursor, limit }: PageRequest<ProductId>) =>
      readPage(selectPage(store, cursor ?? START, limit)),

    findById: (store: StoreId, id: ProductId) => find({ store, id }),

    /** Returns summaries of products as a JSON array. */
    summarize: (store: StoreId, ids: ReadonlyArray<ProductId>) =>
      Effect.map(summaries({ store, ids: plainArray(ids) }), ({ items }) => items),

    lock: Effect.fnUntraced(function* (store: StoreId, id: ProductId) {
      const row = yield* lockRow({ store, id })
      return Option.map(row, ({ clock, document }): LockedProduct => ({
        product: productOf(document, id),
        document,
        ...stampOf(clock)
      }))
    }),

    lockForDeletion: Effect.fnUntraced(function* (store: StoreId, id: ProductId) {
      const row = yield* lockRowForDeletion({ store, id })
      return Option.map(row, ({ clock, document, externalId, memberships }): ProductToDelete => ({
        product: productOf(document, id),
        document,
        externalId,
        memberships,
        ...stampOf(clock)
      }))
    }),

    /** Returns which of these products exist. They cannot be deleted until the transaction ends. */
    lockExisting: Effect.fnUntraced(function* (store: StoreId, ids: ReadonlyArray<ProductId>) {
      const rows = yield* sql<{ readonly id: ProductId }>`
        select id from products where store_id = ${store} and id = any(${plainArray(ids)}::uuid[]) for key share
      `
      return new Set(rows.map(({ id }) => id))
    }),

    /** Inserts a product with its facets, keys and search terms at the end of the write. */
    insert: Effect.fnUntraced(function* (indexFacets: Indexer, store: StoreId, product: Product, document: JsonText) {
      const facets = facetsOf(product)
      const { terms, unstored } = indexFacets(store, facets)
      yield* deferToCommit(insertProduct(store, product, document, facets), insertKeys(store, product, terms))
      yield* storeWords(store, unstored)
    }),

    /** Updates a product at the end of the write. Unchanged terms are not written, which spares their index. */
    update: Effect.fnUntraced(function* (
      indexFacets: Indexer,
      store: StoreId,
      before: Product,
      product: Product,
      document: JsonText
    ) {
      const facets = facetsOf(product)
      yield* deferToCommit(updateProduct(store, product, document, facets))
      if (hasSameTerms(before, product)) return yield* deferToCommit(updateNumbers(store, product))
      const { terms, unstored } = indexFacets(store, facets)
      yield* deferToCommit(updateKeys(store, product, terms))
      yield* storeWords(store, unstored)
    }),

    /** Makes the statement that deletes a product. */
    deleteById: (store: StoreId, id: ProductId) => sql`delete from products where store_id = ${store} and id = ${id}`
  }
}

export type ProductRepository = ReturnType<typeof makeProductRepository>
