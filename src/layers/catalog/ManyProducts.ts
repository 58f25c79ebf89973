import { Effect, Schema } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import { type Facets, facetsJson, facetsOf } from "../../domain/catalog/Facets.ts"
import { type Product, ProductId } from "../../domain/catalog/Product.ts"
import type { JsonText } from "../../domain/Document.ts"
import { stringify } from "../../domain/Json.ts"
import type { ExternalId } from "../../domain/imports/Put.ts"
import type { StoreId } from "../../domain/Store.ts"
import { isText } from "../../domain/Text.ts"
import { answerOf, type Step } from "../database/Plan.ts"
import { type Statement, statement } from "../database/Statement.ts"
import { namedBy, wantedOf } from "../imports/ExternalIds.ts"
import { arrayOf, fromLines, linesOf, listOf } from "../Lists.ts"
import { codesOf, productOf } from "./ProductRepo.ts"
import type { Found, Index, IndexOf } from "./Terms.ts"
import { entersOf } from "./Vocabulary.ts"

/*
 * The SQL of `ProductRepo.ts` for many products at once, each column of theirs a list.
 */

const PRODUCTS = `
  unnest(
    $2::uuid[], $3::text[], ${fromLines("$4")}, $5::integer[], $6::integer[], ${fromLines("$7")}, $8::text[]
  ) as given (id, slug, document, bytes, version, facets, description)
`
const KEYS = `
  unnest($2::uuid[], $3::numeric[], $4::numeric[], $5::text[], $6::text[], ${fromLines("$7")})
    as given (id, price, stock, sku, barcode, terms)
`

const insertProducts = statement(`
  insert into products (store_id, id, slug, document, bytes, version, bytes_of, facets, description)
  select $1, id, slug, document::json, bytes, version, version, facets::jsonb, description from ${PRODUCTS}
`)
const insertKeys = statement(`
  insert into product_keys (store_id, id, price, stock, sku, barcode, terms)
  select $1, id, price, stock, sku, barcode, terms::uuid[] from ${KEYS}
`)

// The ids once more as a list: whatever the planner takes the tables to be, it finds no other rows than these.
const updateProducts = statement(`
  update products p
  set slug = given.slug, document = given.document::json, bytes = given.bytes, version = given.version,
    bytes_of = given.version, facets = given.facets::jsonb, description = given.description
  from ${PRODUCTS} where p.store_id = $1 and p.id = given.id and p.id = any($2::uuid[])
`)
const updateKeys = statement(`
  update product_keys k
  set price = given.price, stock = given.stock, sku = given.sku, barcode = given.barcode, terms = given.terms::uuid[]
  from ${KEYS} where k.store_id = $1 and k.id = given.id and k.id = any($2::uuid[])
`)

/** A product as it is written. */
export interface Written {
  readonly product: Product
  readonly json: JsonText
}

/** A product, what rules can ask of it, and what it is found by. */
interface Row extends Written {
  readonly facets: Facets
  readonly index: Index
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
    writeProducts(
      store,
      ids,
      listOf(products.map(({ slug }) => slug)),
      linesOf(rows.map(({ json }) => json)),
      listOf(rows.map(({ json }) => Buffer.byteLength(json))),
      listOf(products.map(({ version }) => version)),
      linesOf(rows.map(({ facets }) => facetsJson(facets))),
      arrayOf(rows.map(({ facets: { description } }) => (isText(description) ? description : null)))
    ),
    writeKeys(
      store,
      ids,
      listOf(products.map(({ price }) => stringify(price))),
      listOf(products.map(({ stock }) => stringify(stock))),
      arrayOf(codes.map(([sku]) => sku)),
      arrayOf(codes.map(([, barcode]) => barcode)),
      linesOf(rows.map(({ index }) => listOf(index.terms)))
    )
  ]
}

/** Writes products that are new and products that have changed, and those of their words that `isNew` says are not entered yet. */
export const writesOfMany = (
  store: StoreId,
  indexOf: IndexOf,
  isNew: (found: Found) => boolean,
  created: ReadonlyArray<Written>,
  updated: ReadonlyArray<Written>
): ReadonlyArray<Statement> => {
  const toRow = (written: Written): Row => {
    const facets = facetsOf(written.product)
    return { ...written, facets, index: indexOf(store, facets) }
  }
  const [inserted, changed] = [created.map(toRow), updated.map(toRow)]
  return [
    ...rowsOf(insertProducts, insertKeys, store, inserted),
    ...rowsOf(updateProducts, updateKeys, store, changed),
    ...entersOf(
      store,
      [...inserted, ...changed].flatMap(({ index }) => index.unentered.filter(isNew))
    )
  ]
}

const holdNamed = statement(`
  select wanted.external_id as "externalId", held.id, held.document::text as document
  from ${namedBy("product", "$2", "$3")}, lateral (
    select p.id, p.document from products p where p.store_id = $1 and p.id = named.id for no key update
  ) as held
`)
const decodeNamed = compileTrustedDecoder(
  Schema.Array(Schema.Struct({ externalId: Schema.String, id: Schema.toType(ProductId), document: Schema.String }))
)

/** Of these external ids the products that there are, which nobody else changes until the transaction ends. */
export const holdNamedProducts = Effect.fnUntraced(function* (
  store: StoreId,
  externalIds: ReadonlyArray<ExternalId>
): Step<ReadonlyMap<string, Written>> {
  const { rows } = yield* answerOf(holdNamed(store, ...wantedOf(externalIds)))
  return new Map(
    decodeNamed(rows).map(({ document, externalId, id }) => [
      externalId,
      { product: productOf(document, id), json: document }
    ])
  )
})
