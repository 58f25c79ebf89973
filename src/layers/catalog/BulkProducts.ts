import { Effect, Schema } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import { type Facets, facetsJson, facetsOf } from "../../domain/catalog/Facets.ts"
import { type Product, ProductId } from "../../domain/catalog/Product.ts"
import type { JsonText } from "../../domain/Document.ts"
import { stringify } from "../../domain/Json.ts"
import type { ExternalId } from "../../domain/imports/Put.ts"
import type { StoreId } from "../../domain/Store.ts"
import { isText } from "../../domain/Text.ts"
import { answerOf, type Step } from "../sql/Plan.ts"
import { sql, type Statement } from "../sql/Statement.ts"
import { namedBy } from "../imports/ExternalIds.ts"
import { arrayOf, linesOf, listOf } from "../Lists.ts"
import { codesOf, productOf } from "./ProductRepository.ts"
import type { SearchValue, SearchIndex, Indexer } from "./Terms.ts"
import { insertWords } from "./Vocabulary.ts"

/*
 * The SQL of `ProductRepo.ts` for many products at once, each column of theirs a list.
 */

/** Columns of products, each as a list. */
interface ProductLists {
  readonly ids: string
  readonly slugs: string
  readonly documents: string
  readonly bytes: string
  readonly versions: string
  readonly facets: string
  readonly descriptions: string
}

/** Columns of their keys, each as a list. */
interface KeyLists {
  readonly ids: string
  readonly prices: string
  readonly stocks: string
  readonly skus: string
  readonly barcodes: string
  readonly terms: string
}

const givenProducts = (lists: ProductLists) => sql`
  unnest(
    ${lists.ids}::uuid[], ${lists.slugs}::text[], string_to_array(${lists.documents}, E'\\n', ''),
    ${lists.bytes}::integer[], ${lists.versions}::integer[], string_to_array(${lists.facets}, E'\\n', ''),
    ${lists.descriptions}::text[]
  ) as given (id, slug, document, bytes, version, facets, description)
`

const givenKeys = (lists: KeyLists) => sql`
  unnest(
    ${lists.ids}::uuid[], ${lists.prices}::numeric[], ${lists.stocks}::numeric[], ${lists.skus}::text[],
    ${lists.barcodes}::text[], string_to_array(${lists.terms}, E'\\n', '')
  ) as given (id, price, stock, sku, barcode, terms)
`

const insertProducts = (store: StoreId, lists: ProductLists) => sql`
  insert into products (store_id, id, slug, document, bytes, version, bytes_of, facets, description)
  select ${store}, id, slug, document::json, bytes, version, version, facets::jsonb, description
  from ${givenProducts(lists)}
`

const insertKeys = (store: StoreId, lists: KeyLists) => sql`
  insert into product_keys (store_id, id, price, stock, sku, barcode, terms)
  select ${store}, id, price, stock, sku, barcode, terms::uuid[] from ${givenKeys(lists)}
`

// The ids once more as a list: whatever the planner takes the tables to be, it finds no other rows than these.
const updateProducts = (store: StoreId, lists: ProductLists) => sql`
  update products p
  set slug = given.slug, document = given.document::json, bytes = given.bytes, version = given.version,
    bytes_of = given.version, facets = given.facets::jsonb, description = given.description
  from ${givenProducts(lists)}
  where p.store_id = ${store} and p.id = given.id and p.id = any(${lists.ids}::uuid[])
`

const updateKeys = (store: StoreId, lists: KeyLists) => sql`
  update product_keys k
  set price = given.price, stock = given.stock, sku = given.sku, barcode = given.barcode, terms = given.terms::uuid[]
  from ${givenKeys(lists)}
  where k.store_id = ${store} and k.id = given.id and k.id = any(${lists.ids}::uuid[])
`

/** A product as it is written. */
export interface StoredProduct {
  readonly product: Product
  readonly json: JsonText
}

/** A product, what rules can ask of it, and what it is found by. */
interface Row extends StoredProduct {
  readonly facets: Facets
  readonly index: SearchIndex
}

/** Writes what the two tables hold of the products, by a statement for each. */
const rowsOf = (
  writeProducts: typeof insertProducts,
  writeKeys: typeof insertKeys,
  store: StoreId,
  rows: ReadonlyArray<Row>
): ReadonlyArray<Statement> => {
  if (rows.length === 0) return []
  const products = rows.map(({ product }) => product)
  const ids = listOf(products.map(({ id }) => id))
  const codes = products.map(codesOf)
  return [
    writeProducts(store, {
      ids,
      slugs: listOf(products.map(({ slug }) => slug)),
      documents: linesOf(rows.map(({ json }) => json)),
      bytes: listOf(rows.map(({ json }) => Buffer.byteLength(json))),
      versions: listOf(products.map(({ version }) => version)),
      facets: linesOf(rows.map(({ facets }) => facetsJson(facets))),
      descriptions: arrayOf(rows.map(({ facets: { description } }) => (isText(description) ? description : null)))
    }),
    writeKeys(store, {
      ids,
      prices: listOf(products.map(({ price }) => stringify(price))),
      stocks: listOf(products.map(({ stock }) => stringify(stock))),
      skus: arrayOf(codes.map(([sku]) => sku)),
      barcodes: arrayOf(codes.map(([, barcode]) => barcode)),
      terms: linesOf(rows.map(({ index }) => listOf(index.terms)))
    })
  ]
}

/** Writes products that are new and products that have changed, and those of their words that `isNew` says are not entered yet. */
export const writesOfMany = (
  store: StoreId,
  indexOf: Indexer,
  isNew: (found: SearchValue) => boolean,
  created: ReadonlyArray<StoredProduct>,
  updated: ReadonlyArray<StoredProduct>
): ReadonlyArray<Statement> => {
  const toRow = (written: StoredProduct): Row => {
    const facets = facetsOf(written.product)
    return { ...written, facets, index: indexOf(store, facets) }
  }
  const [inserted, changed] = [created.map(toRow), updated.map(toRow)]
  return [
    ...rowsOf(insertProducts, insertKeys, store, inserted),
    ...rowsOf(updateProducts, updateKeys, store, changed),
    ...insertWords(
      store,
      [...inserted, ...changed].flatMap(({ index }) => index.unstored.filter(isNew))
    )
  ]
}

const holdNamed = (store: StoreId, externalIds: ReadonlyArray<ExternalId>) => sql`
  select wanted.external_id as "externalId", held.id, held.document::text as document
  from ${namedBy(store, "product", externalIds)}, lateral (
    select p.id, p.document from products p where p.store_id = ${store} and p.id = named.id for no key update
  ) as held
`
const decodeNamed = compileTrustedDecoder(
  Schema.Array(Schema.Struct({ externalId: Schema.String, id: Schema.toType(ProductId), document: Schema.String }))
)

/** Of these external ids the products that there are, which nobody else changes until the transaction ends. */
export const holdNamedProducts = Effect.fnUntraced(function* (
  store: StoreId,
  externalIds: ReadonlyArray<ExternalId>
): Step<ReadonlyMap<string, StoredProduct>> {
  const { rows } = yield* answerOf(holdNamed(store, externalIds))
  return new Map(
    decodeNamed(rows).map(({ document, externalId, id }) => [
      externalId,
      { product: productOf(document, id), json: document }
    ])
  )
})
