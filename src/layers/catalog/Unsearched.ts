import { Effect, Schema } from "effect"
import { facetsOf } from "../../domain/catalog/Facets.ts"
import { ProductId } from "../../domain/catalog/Product.ts"
import { StoreId } from "../../domain/Store.ts"
import type { DatabaseOf } from "../database/Database.ts"
import { constant, sql } from "../database/Statement.ts"
import { listOf } from "../Lists.ts"
import { codesOf, productOf } from "./ProductRepo.ts"
import { type Found, indexOf } from "./Terms.ts"
import { entersOf } from "./Vocabulary.ts"

/** Products that are made findable by one transaction. */
const BATCH = 100

// Nothing is waited for: what somebody writes now is taken the next time. One that is gone comes without its document.
const takeUnsearched = sql`
  with next as materialized (
    select store_id, id from unsearched_products limit ${constant(BATCH)} for update skip locked
  ), held as materialized (
    select p.store_id, p.id, p.document from next, lateral (
      select * from products p where p.store_id = next.store_id and p.id = next.id for no key update skip locked
    ) as p
  ), taken as (
    delete from unsearched_products u using next
    where u.store_id = next.store_id and u.id = next.id and (
      exists (select 1 from held where held.store_id = u.store_id and held.id = u.id)
      or not exists (select 1 from products p where p.store_id = u.store_id and p.id = u.id)
    )
    returning u.store_id, u.id
  )
  select taken.store_id as "storeId", taken.id, held.document::text as document
  from taken left join held on held.store_id = taken.store_id and held.id = taken.id
`
const Unsearched = Schema.Struct({
  storeId: Schema.toType(StoreId),
  id: Schema.toType(ProductId),
  document: Schema.NullOr(Schema.String)
})

const updateKeys = (store: StoreId, id: ProductId, sku: string | null, barcode: string | null, terms: string) =>
  sql`update product_keys set sku = ${sku}, barcode = ${barcode}, terms = ${terms} where store_id = ${store} and id = ${id}`

/** Enters the words of products that were written without, some of them. */
export const makeCatchUp = ({ count, rows, transaction }: DatabaseOf): Effect.Effect<number> => {
  const takenOf = rows(Unsearched)

  return transaction(
    Effect.gen(function* () {
      const taken = yield* takenOf(takeUnsearched)
      const unentered = new Map<StoreId, Array<Found>>()
      for (const { document, id, storeId } of taken) {
        if (document === null) continue
        const product = productOf(document, id)
        const index = indexOf(storeId, facetsOf(product))
        yield* count(updateKeys(storeId, id, ...codesOf(product), listOf(index.terms)))
        unentered.set(storeId, [...(unentered.get(storeId) ?? []), ...index.unentered])
      }
      for (const [storeId, its] of unentered) yield* Effect.forEach(entersOf(storeId, its), count, { discard: true })
      return taken.length
    })
  )
}
