import { Effect, Schema, Struct } from "effect"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import { ProductSummary } from "../../domain/catalog/ProductSummary.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { sql } from "../sql/Statement.ts"
import { listOf } from "../Lists.ts"

const members = Struct.keys(ProductSummary.fields)

/** The small form of a product's `document` as JSON text, its numbers with all of their digits, in order of its members. */
export const SUMMARY = sql.literal(`(
  select row_to_json(d)::text from json_to_record(document) as d (${members.map((name) => `"${name}" json`).join(", ")})
)`)

const selectSummaries = (store: StoreId, ids: string) => sql`
  select '[' || coalesce(string_agg(${SUMMARY}, ',' order by id), '') || ']' as items
  from products where store_id = ${store} and id = any(${ids}::uuid[])
`

/** Products that are known by their ids. */
export const makeSummaries = ({ one }: DatabaseOf) => {
  const itemsOf = one(Schema.Struct({ items: Schema.String }))

  return {
    summarizeProducts: Effect.fn("Catalog.summarizeProducts")((store, ids) =>
      Effect.map(itemsOf(selectSummaries(store, listOf(ids))), ({ items }) => items)
    )
  } satisfies Partial<typeof Catalog.Service>
}
