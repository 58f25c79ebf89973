import { Effect, Option, Schema } from "effect"
import { type Facets, facetsJson, facetsOf } from "../../domain/catalog/Facets.ts"
import { Product, ProductId } from "../../domain/catalog/Product.ts"
import { codeOf } from "../../domain/catalog/Words.ts"
import { compileStoredDecoder, compileTrustedDecoder } from "../../domain/Decoder.ts"
import type { Document, DocumentPage, JsonText } from "../../domain/Document.ts"
import { parse, stringify } from "../../domain/Json.ts"
import { PAGE_BYTES, type PageRequest } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { DatabaseOf } from "../database/Database.ts"
import { afterCommit, answerOf, firstOf, leave, type Step } from "../database/Plan.ts"
import { statement } from "../database/Statement.ts"
import { listOf } from "../Lists.ts"
import { pageOf, pageQuery, START } from "../Pages.ts"
import { type Moment, momentOf } from "./Allocation.ts"
import { BYTES } from "./Sizes.ts"
import { type Found, type IndexOf, isFoundAs } from "./Terms.ts"
import { entersOf, knowEntered } from "./Vocabulary.ts"

/*
 * SQL for products, and nothing else: no permissions, no limits, no events.
 */

const decode = compileStoredDecoder(Product)

/** What a document says. Whether it may was seen when it was written, by the rules of that day, which may since be stricter. */
export const productOf = (document: JsonText, id: ProductId): Product => ({ ...decode(parse(document)), id })

const selectPage = statement(
  pageQuery({
    columns: "document",
    text: "document::text",
    bytes: `${BYTES}`,
    rows: "products where store_id = $1 and id > $4"
  })
)

export const makeProductPage = (database: DatabaseOf) => {
  const page = pageOf(database, ProductId)
  return (store: StoreId, { cursor, limit }: PageRequest<ProductId>): Effect.Effect<DocumentPage<ProductId>> =>
    page(selectPage(store, limit, PAGE_BYTES, cursor ?? START))
}

const selectProduct = statement(
  "select id, version, document::text as json from products where store_id = $1 and id = $2"
)

const ProductRow = Schema.Struct({ id: Schema.toType(ProductId), version: Schema.Int, json: Schema.String })

export const makeProductRead = ({ first }: DatabaseOf) => {
  const productOf = first(ProductRow)
  return (store: StoreId, id: ProductId): Effect.Effect<Option.Option<Document<ProductId>>> =>
    productOf(selectProduct(store, id))
}

const insertProduct = statement(`
  insert into products (store_id, id, slug, document, bytes, version, bytes_of, facets, description)
  values ($1, $2, $3, $4, $5, $6, $6, $7, $8)
`)
const insertKeys = statement(
  "insert into product_keys (store_id, id, price, stock, sku, barcode, terms) values ($1, $2, $3, $4, $5, $6, $7)"
)

const updateProduct = statement(`
  update products
  set slug = $3, document = $4, bytes = $5, version = $6, bytes_of = $6, facets = $7, description = $8
  where store_id = $1 and id = $2
`)
const updateNumbers = statement("update product_keys set price = $3, stock = $4 where store_id = $1 and id = $2")
const updateKeys = statement(
  "update product_keys set price = $3, stock = $4, sku = $5, barcode = $6, terms = $7 where store_id = $1 and id = $2"
)

export const deleteProduct = statement("delete from products where store_id = $1 and id = $2")

const columnsOf = (product: Product, document: JsonText, facets: Facets) => [
  product.id,
  product.slug,
  document,
  Buffer.byteLength(document),
  product.version,
  facetsJson(facets),
  facets.description
]

const numbersOf = ({ price, stock }: Product) => [stringify(price), stringify(stock)]

const nullableCode = (text: string | null) => (text === null ? null : codeOf(text) || null)

/** SKU and barcode as they are found. */
export const codesOf = ({ barcode, sku }: Product) => [nullableCode(sku), nullableCode(barcode)] as const

/** Leaves words that may not be in the vocabulary yet. */
const enter = Effect.fnUntraced(function* (store: StoreId, unentered: ReadonlyArray<Found>): Step<void> {
  if (unentered.length === 0) return
  yield* leave(...entersOf(store, unentered))
  yield* afterCommit(() => knowEntered(unentered))
})

/** Leaves the product, what rules ask most of it, and the words that it is found by. */
export const leaveNew = Effect.fnUntraced(function* (
  indexOf: IndexOf,
  store: StoreId,
  product: Product,
  document: JsonText
): Step<void> {
  const facets = facetsOf(product)
  const { terms, unentered } = indexOf(store, facets)
  yield* leave(
    insertProduct(store, ...columnsOf(product, document, facets)),
    insertKeys(store, product.id, ...numbersOf(product), ...codesOf(product), listOf(terms))
  )
  yield* enter(store, unentered)
})

/** The same of a product that there is; terms that stay need not be made, nor looked up in their index. */
export const leaveChanged = Effect.fnUntraced(function* (
  indexOf: IndexOf,
  store: StoreId,
  before: Product,
  product: Product,
  document: JsonText
): Step<void> {
  const facets = facetsOf(product)
  const { id } = product
  yield* leave(updateProduct(store, ...columnsOf(product, document, facets)))
  if (isFoundAs(before, product)) return yield* leave(updateNumbers(store, id, ...numbersOf(product)))
  const { terms, unentered } = indexOf(store, facets)
  yield* leave(updateKeys(store, id, ...numbersOf(product), ...codesOf(product), listOf(terms)))
  yield* enter(store, unentered)
})

const lockRow = statement(`
  with held as materialized (
    select document from products where store_id = $1 and id = $2 for no key update
  )
  select document::text as document, change_clock($1) as clock from held
`)
const lockedOf = firstOf(Schema.Struct({ document: Schema.String, clock: Schema.NumberFromString }))

/** A product that nobody else changes until the transaction ends, with the time and an id for its event. */
export interface Held extends Moment {
  readonly product: Product
  readonly document: JsonText
}

export const lockProduct = Effect.fnUntraced(function* (store: StoreId, id: ProductId): Step<Option.Option<Held>> {
  const held = yield* lockedOf(lockRow(store, id))
  return Option.map(held, ({ clock, document }) => ({
    product: productOf(document, id),
    document,
    ...momentOf(clock)
  }))
})

const lockLeaving = statement(`
  with held as materialized (
    select document from products where store_id = $1 and id = $2 for update
  )
  select
    document::text as document, change_clock($1) as clock, memberships_of($1, $2) as memberships,
    (select external_id from external_ids where store_id = $1 and resource_id = $2) as "externalId"
  from held
`)
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
    ...momentOf(clock)
  }))
})

const holdRows = statement("select id from products where store_id = $1 and id = any($2::uuid[]) for key share")
const idsOf = compileTrustedDecoder(Schema.Array(Schema.Struct({ id: Schema.String })))

/** Of these ids the ones that are products of the store, which stay until the transaction ends. */
export const holdProducts = Effect.fnUntraced(function* (
  store: StoreId,
  ids: ReadonlyArray<ProductId>
): Step<ReadonlySet<string>> {
  const { rows } = yield* answerOf(holdRows(store, `{${ids.join(",")}}`))
  return new Set(idsOf(rows).map(({ id }) => id))
})
