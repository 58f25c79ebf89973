import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Product, ProductId } from "../../domain/catalog/Product.ts"
import type { StoreId } from "../../domain/Store.ts"
import { foldCase } from "../../domain/Text.ts"
import { nullableCode } from "../catalog/ProductRows.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"

/** Maximum number of products that are examined for one SKU. Their SKUs may differ in case and accents. */
const MAX_PER_SKU = 20

/** Maximum number of products that are examined for the SKUs of their variants. */
const MAX_BY_VARIANTS = 1_000

/** A product with a SKU, or the variant that has it. */
export interface SkuOwner {
  readonly id: ProductId
  readonly variantId: string | undefined
}

/** Returns which of a product and its variants have a SKU. */
export const ownersOf = ({ id, sku: own, variants }: Product, sku: string): ReadonlyArray<SkuOwner> => {
  const byVariant = variants.flatMap((variant) => (variant.sku === sku ? [{ id, variantId: variant.id }] : []))
  return byVariant.length === 0 && own === sku ? [{ id, variantId: undefined }] : byVariant
}

const readIds = rowsReader(Schema.Struct({ id: Schema.toType(ProductId) }))

/** Finds products by SKUs. */
export class Skus extends Context.Service<Skus>()("layers/changeSets/Skus", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Finds products by their own SKUs, at most {@link MAX_PER_SKU} for each, compared as a search does. */
    const findByProducts = (store: StoreId, skus: ReadonlyArray<string>) =>
      readIds(sql`
        select distinct k.id
        from unnest(${textArray([...new Set(skus.flatMap((sku) => nullableCode(sku) ?? []))])}::text[]) as requested (sku),
          lateral (
            select id from product_keys where store_id = ${store} and sku = requested.sku limit ${constant(MAX_PER_SKU)}
          ) as k
      `)

    /** Finds products of which a variant has one of the SKUs. There is no index, so all products of the store are read. */
    const findByVariants = (store: StoreId, skus: ReadonlyArray<string>) =>
      readIds(sql`
        select id from products
        where store_id = ${store} and facets -> 'variant.sku' ?| ${textArray(skus.map(foldCase))}::text[] limit ${constant(MAX_BY_VARIANTS)}
      `)

    return {
      /** Returns products that may have one of the SKUs, or a variant with it. */
      find: Effect.fn("Skus.find")(function* (store: StoreId, skus: ReadonlyArray<string>) {
        const found = [...(yield* findByProducts(store, skus)), ...(yield* findByVariants(store, skus))]
        return [...new Set(found.map(({ id }) => id))]
      }, orDefect)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
