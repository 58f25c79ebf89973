import { Effect, Option, Schema } from "effect"
import { type Facets, facetsJson, facetsOf } from "../../domain/catalog/Facets.ts"
import { Product, ProductId } from "../../domain/catalog/Product.ts"
import { codeOf } from "../../domain/catalog/SearchWords.ts"
import { compileStoredDecoder, compileTrustedDecoder } from "../../domain/Decoder.ts"
import type { Document, DocumentPage, JsonText } from "../../domain/Document.ts"
import { parse, stringify } from "../../domain/Json.ts"
import { PAGE_BYTES, type PageRequest } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { afterCommit, answerOf, firstOf, deferToCommit, type Step } from "../sql/Plan.ts"
import { sql } from "../sql/Statement.ts"
import { listOf } from "../Lists.ts"
import { pageOf, START } from "../Pages.ts"
import { type ChangeStamp, stampOf } from "./Allocation.ts"
import { DOCUMENT_BYTES } from "./Columns.ts"
import { type SearchValue, type Indexer, hasSameTerms } from "./Terms.ts"
import { insertWords, markStored } from "./Vocabulary.ts"

/*
 * SQL for products, and nothing else: no permissions, no limits, no events.
 */

const decode = compileStoredDecoder(Product)

/** What a document says. Whether it may was seen when it was written, by the rules of that day, which may since be stricter. */
export const productOf = (document: JsonText, id: ProductId): Product => ({ ...decode(parse(document)), id })

/** Documents are read, and so taken out of their compression, only as far as the page goes. */
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

export const makeProductPage = (database: DatabaseOf) => {
  const page = pageOf(database, ProductId)
  return (store: StoreId, { cursor, limit }: PageRequest<ProductId>): Effect.Effect<DocumentPage<ProductId>> =>
    page(selectPage(store, cursor ?? START, limit))
}

const selectProduct = (store: StoreId, id: ProductId) =>
  sql`select id, version, document::text as json from products where store_id = ${store} and id = ${id}`

const ProductRow = Schema.Struct({ id: Schema.toType(ProductId), version: Schema.Int, json: Schema.String })

export const makeProductRead = ({ first }: DatabaseOf) => {
  const productOf = first(ProductRow)
  return (store: StoreId, id: ProductId): Effect.Effect<Option.Option<Document<ProductId>>> =>
    productOf(selectProduct(store, id))
}

/** Columns of `products`. */
interface ProductColumns {
  readonly id: ProductId
  readonly slug: string
  readonly document: JsonText
  readonly bytes: number
  readonly version: number
  readonly facets: string
  readonly description: unknown
}

/** Columns of `product_keys`. */
interface KeyColumns {
  readonly price: string
  readonly stock: string
  readonly sku: string | null
  readonly barcode: string | null
  readonly terms: string
}

const insertProduct = (store: StoreId, product: ProductColumns) => sql`
  insert into products (store_id, id, slug, document, bytes, version, bytes_of, facets, description)
  values (
    ${store}, ${product.id}, ${product.slug}, ${product.document}, ${product.bytes}, ${product.version},
    ${product.version}, ${product.facets}, ${product.description}
  )
`
const insertKeys = (store: StoreId, id: ProductId, { barcode, price, sku, stock, terms }: KeyColumns) => sql`
  insert into product_keys (store_id, id, price, stock, sku, barcode, terms)
  values (${store}, ${id}, ${price}, ${stock}, ${sku}, ${barcode}, ${terms})
`

const updateProduct = (store: StoreId, product: ProductColumns) => sql`
  update products
  set slug = ${product.slug}, document = ${product.document}, bytes = ${product.bytes}, version = ${product.version},
    bytes_of = ${product.version}, facets = ${product.facets}, description = ${product.description}
  where store_id = ${store} and id = ${product.id}
`
const updateNumbers = (store: StoreId, id: ProductId, price: string, stock: string) =>
  sql`update product_keys set price = ${price}, stock = ${stock} where store_id = ${store} and id = ${id}`
const updateKeys = (store: StoreId, id: ProductId, { barcode, price, sku, stock, terms }: KeyColumns) => sql`
  update product_keys set price = ${price}, stock = ${stock}, sku = ${sku}, barcode = ${barcode}, terms = ${terms}
  where store_id = ${store} and id = ${id}
`

export const deleteProduct = (store: StoreId, id: ProductId) =>
  sql`delete from products where store_id = ${store} and id = ${id}`

const columnsOf = (product: Product, document: JsonText, facets: Facets): ProductColumns => ({
  id: product.id,
  slug: product.slug,
  document,
  bytes: Buffer.byteLength(document),
  version: product.version,
  facets: facetsJson(facets),
  description: facets.description
})

const nullableCode = (text: string | null) => (text === null ? null : codeOf(text) || null)

/** SKU and barcode as they are found. */
export const codesOf = ({ barcode, sku }: Product) => [nullableCode(sku), nullableCode(barcode)] as const

const keysOf = (product: Product, terms: ReadonlyArray<string>): KeyColumns => {
  const [sku, barcode] = codesOf(product)
  return { price: stringify(product.price), stock: stringify(product.stock), sku, barcode, terms: listOf(terms) }
}

/** Leaves words that may not be in the vocabulary yet. */
const enter = Effect.fnUntraced(function* (store: StoreId, unentered: ReadonlyArray<SearchValue>): Step<void> {
  if (unentered.length === 0) return
  yield* deferToCommit(...insertWords(store, unentered))
  yield* afterCommit(() => markStored(unentered))
})

/** Leaves the product, what rules ask most of it, and the words that it is found by. */
export const leaveNew = Effect.fnUntraced(function* (
  indexOf: Indexer,
  store: StoreId,
  product: Product,
  document: JsonText
): Step<void> {
  const facets = facetsOf(product)
  const { terms, unstored } = indexOf(store, facets)
  yield* deferToCommit(
    insertProduct(store, columnsOf(product, document, facets)),
    insertKeys(store, product.id, keysOf(product, terms))
  )
  yield* enter(store, unstored)
})

/** The same of a product that there is; terms that stay need not be made, nor looked up in their index. */
export const leaveChanged = Effect.fnUntraced(function* (
  indexOf: Indexer,
  store: StoreId,
  before: Product,
  product: Product,
  document: JsonText
): Step<void> {
  const facets = facetsOf(product)
  const { id } = product
  yield* deferToCommit(updateProduct(store, columnsOf(product, document, facets)))
  if (hasSameTerms(before, product)) {
    return yield* deferToCommit(updateNumbers(store, id, stringify(product.price), stringify(product.stock)))
  }
  const { terms, unstored } = indexOf(store, facets)
  yield* deferToCommit(updateKeys(store, id, keysOf(product, terms)))
  yield* enter(store, unstored)
})

const lockRow = (store: StoreId, id: ProductId) => sql`
  with held as materialized (
    select document from products where store_id = ${store} and id = ${id} for no key update
  )
  select document::text as document, change_clock(${store}) as clock from held
`
const lockedOf = firstOf(Schema.Struct({ document: Schema.String, clock: Schema.NumberFromString }))

/** A product that nobody else changes until the transaction ends, with the time and an id for its event. */
export interface Held extends ChangeStamp {
  readonly product: Product
  readonly document: JsonText
}

export const lockProduct = Effect.fnUntraced(function* (store: StoreId, id: ProductId): Step<Option.Option<Held>> {
  const held = yield* lockedOf(lockRow(store, id))
  return Option.map(held, ({ clock, document }) => ({
    product: productOf(document, id),
    document,
    ...stampOf(clock)
  }))
})

const lockLeaving = (store: StoreId, id: ProductId) => sql`
  with held as materialized (
    select document from products where store_id = ${store} and id = ${id} for update
  )
  select
    document::text as document, change_clock(${store}) as clock, memberships_of(${store}, ${id}) as memberships,
    (select external_id from external_ids where store_id = ${store} and resource_id = ${id}) as "externalId"
  from held
`
const leavingOf = firstOf(
  Schema.Struct({
    document: Schema.String,
    clock: Schema.NumberFromString,
    memberships: Schema.NullOr(Schema.String),
    externalId: Schema.NullOr(Schema.String)
  })
)

/** A product that is to go, which nobody puts into a collection any more, what holds it, and what it is called elsewhere. */
export interface Leaving extends Held {
  readonly memberships: JsonText | null
  readonly externalId: string | null
}

export const lockLeavingProduct = Effect.fnUntraced(function* (
  store: StoreId,
  id: ProductId
): Step<Option.Option<Leaving>> {
  const held = yield* leavingOf(lockLeaving(store, id))
  return Option.map(held, ({ clock, document, ...kept }) => ({
    product: productOf(document, id),
    document,
    ...kept,
    ...stampOf(clock)
  }))
})

const holdRows = (store: StoreId, ids: string) =>
  sql`select id from products where store_id = ${store} and id = any(${ids}::uuid[]) for key share`
const idsOf = compileTrustedDecoder(Schema.Array(Schema.Struct({ id: Schema.String })))

/** Of these ids the ones that are products of the store, which stay until the transaction ends. */
export const holdProducts = Effect.fnUntraced(function* (
  store: StoreId,
  ids: ReadonlyArray<ProductId>
): Step<ReadonlySet<string>> {
  const { rows } = yield* answerOf(holdRows(store, listOf(ids)))
  return new Set(idsOf(rows).map(({ id }) => id))
})
