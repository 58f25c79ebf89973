import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { type Facets, facetsJson, facetsOf } from "../../domain/catalog/Facets.ts"
import { type Product, ProductId } from "../../domain/catalog/Product.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import type { ExternalId } from "../../domain/imports/Put.ts"
import type { StoreId } from "../../domain/Store.ts"
import { isText } from "../../domain/Text.ts"
import { resolveExternalIds } from "../imports/ExternalIds.ts"
import { textArray, joinLines, plainArray } from "../sql/ArrayLiterals.ts"
import { codesOf, productOf } from "./ProductRepository.ts"
import type { Indexer, SearchIndex, SearchValue } from "./Terms.ts"
import { insertWords } from "./Vocabulary.ts"

/*
 * Queries of `ProductRepository.ts` for many products at once. Each column is a list.
 */

/** A product and its document. */
export interface StoredProduct {
  readonly product: Product
  readonly json: JsonText
}

/** A product with the values of all its columns. */
interface Row extends StoredProduct {
  readonly facets: Facets
  readonly index: SearchIndex
}

/** Encodes columns of `products` as lists. */
const productLists = (rows: ReadonlyArray<Row>) => ({
  ids: plainArray(rows.map(({ product }) => product.id)),
  slugs: plainArray(rows.map(({ product }) => product.slug)),
  documents: joinLines(rows.map(({ json }) => json)),
  bytes: plainArray(rows.map(({ json }) => Buffer.byteLength(json))),
  versions: plainArray(rows.map(({ product }) => product.version)),
  facets: joinLines(rows.map(({ facets }) => facetsJson(facets))),
  descriptions: textArray(rows.map(({ facets: { description } }) => (isText(description) ? description : null)))
})

/** Encodes columns of `product_keys` as lists. */
const keyLists = (rows: ReadonlyArray<Row>) => {
  const codes = rows.map(({ product }) => codesOf(product))
  return {
    ids: plainArray(rows.map(({ product }) => product.id)),
    prices: plainArray(rows.map(({ product }) => JSON.stringify(product.price))),
    stocks: plainArray(rows.map(({ product }) => JSON.stringify(product.stock))),
    skus: textArray(codes.map(([sku]) => sku)),
    barcodes: textArray(codes.map(([, barcode]) => barcode)),
    terms: joinLines(rows.map(({ index }) => plainArray(index.terms)))
  }
}

const decodeNamed = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ externalId: Schema.String, id: Schema.toType(ProductId), document: Schema.String }))
)

/** Makes the queries of products for an import. */
export const makeBulkProducts = (sql: SqlClient.SqlClient) => {
  const insertProducts = (store: StoreId, rows: ReadonlyArray<Row>) => {
    const { bytes, descriptions, documents, facets, ids, slugs, versions } = productLists(rows)
    return sql`
      insert into products (store_id, id, slug, document, bytes, version, bytes_of, facets, description)
      select ${store}, id, slug, document::json, bytes, version, version, facets::jsonb, description
      from unnest(
        ${ids}::uuid[], ${slugs}::text[], string_to_array(${documents}, E'\\n', ''), ${bytes}::integer[],
        ${versions}::integer[], string_to_array(${facets}, E'\\n', ''), ${descriptions}::text[]
      ) as entry (id, slug, document, bytes, version, facets, description)
    `
  }

  const insertKeys = (store: StoreId, rows: ReadonlyArray<Row>) => {
    const { barcodes, ids, prices, skus, stocks, terms } = keyLists(rows)
    return sql`
      insert into product_keys (store_id, id, price, stock, sku, barcode, terms)
      select ${store}, id, price, stock, sku, barcode, terms::uuid[]
      from unnest(
        ${ids}::uuid[], ${prices}::numeric[], ${stocks}::numeric[], ${skus}::text[], ${barcodes}::text[],
        string_to_array(${terms}, E'\\n', '')
      ) as entry (id, price, stock, sku, barcode, terms)
    `
  }

  // The list of ids limits the update to these rows, whatever statistics the planner has.
  const updateProducts = (store: StoreId, rows: ReadonlyArray<Row>) => {
    const { bytes, descriptions, documents, facets, ids, slugs, versions } = productLists(rows)
    return sql`
      update products p
      set slug = entry.slug, document = entry.document::json, bytes = entry.bytes, version = entry.version,
        bytes_of = entry.version, facets = entry.facets::jsonb, description = entry.description
      from unnest(
        ${ids}::uuid[], ${slugs}::text[], string_to_array(${documents}, E'\\n', ''), ${bytes}::integer[],
        ${versions}::integer[], string_to_array(${facets}, E'\\n', ''), ${descriptions}::text[]
      ) as entry (id, slug, document, bytes, version, facets, description)
      where p.store_id = ${store} and p.id = entry.id and p.id = any(${ids}::uuid[])
    `
  }

  const updateKeys = (store: StoreId, rows: ReadonlyArray<Row>) => {
    const { barcodes, ids, prices, skus, stocks, terms } = keyLists(rows)
    return sql`
      update product_keys k
      set price = entry.price, stock = entry.stock, sku = entry.sku, barcode = entry.barcode, terms = entry.terms::uuid[]
      from unnest(
        ${ids}::uuid[], ${prices}::numeric[], ${stocks}::numeric[], ${skus}::text[], ${barcodes}::text[],
        string_to_array(${terms}, E'\\n', '')
      ) as entry (id, price, stock, sku, barcode, terms)
      where k.store_id = ${store} and k.id = entry.id and k.id = any(${ids}::uuid[])
    `
  }

  return {
    /** Makes the statements that insert and update products, and insert words of values for which `isNew` is true. */
    writeProducts: (
      store: StoreId,
      indexFacets: Indexer,
      isNew: (value: SearchValue) => boolean,
      created: ReadonlyArray<StoredProduct>,
      updated: ReadonlyArray<StoredProduct>
    ): ReadonlyArray<Statement.Statement<unknown>> => {
      const toRow = (stored: StoredProduct): Row => {
        const facets = facetsOf(stored.product)
        return { ...stored, facets, index: indexFacets(store, facets) }
      }
      const [inserts, updates] = [created.map(toRow), updated.map(toRow)]
      const unstored = [...inserts, ...updates].flatMap(({ index }) => index.unstored.filter(isNew))
      return [
        ...(inserts.length === 0 ? [] : [insertProducts(store, inserts), insertKeys(store, inserts)]),
        ...(updates.length === 0 ? [] : [updateProducts(store, updates), updateKeys(store, updates)]),
        ...insertWords(sql, store, unstored)
      ]
    },

    /** Returns the products with these external ids, locked until the transaction ends. */
    lockNamed: Effect.fnUntraced(function* (store: StoreId, externalIds: ReadonlyArray<ExternalId>) {
      const rows = yield* decodeNamed(
        yield* sql`
          select requested.external_id as "externalId", locked.id, locked.document::text as document
          from ${resolveExternalIds(store, "product", externalIds)}, lateral (
            select p.id, p.document from products p
            where p.store_id = ${store} and p.id = resolved.id for no key update
          ) as locked
        `
      )
      return new Map(
        rows.map(({ document, externalId, id }): readonly [string, StoredProduct] => [
          externalId,
          { product: productOf(document, id), json: document }
        ])
      )
    })
  }
}
