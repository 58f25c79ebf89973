import { Effect } from "effect"
import type { ExportContent, ProductFilter } from "../../domain/exports/Export.ts"
import type { StoreId } from "../../domain/Store.ts"
import { collectionConditions } from "../catalog/CollectionReads.ts"
import { makeProductFilter } from "../catalog/ProductQueries.ts"
import { joinTables } from "../catalog/RuleSql.ts"
import { customerConditions } from "../records/Customers.ts"
import { orderConditions } from "../records/Orders.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { sql } from "../sql/Statement.ts"
import type { RowFilter } from "./Rows.ts"

/** Members of the store, who alone export, see personal data. */
const VISIBLE = { isPersonal: true }

const filterOf = (table: string, conditions: RowFilter["conditions"]): RowFilter => ({
  table: sql.literal(table),
  name: sql.literal(table),
  conditions
})

/** Makes the function that compiles the filter of an export, as the lists do. */
export const makeExportFilter = Effect.gen(function* () {
  const productFilter = yield* makeProductFilter

  const products = Effect.fnUntraced(function* (store: StoreId, { ids, ...request }: ProductFilter) {
    const { conditions, tables } = yield* productFilter(store, request)
    const named = ids === undefined ? [] : [sql`id in (select unnest(${plainArray(ids)}::uuid[]))`]
    return {
      table: joinTables({ ...tables, products: true }),
      name: sql`product_keys`,
      conditions: [...named, ...conditions]
    }
  })

  return Effect.fnUntraced(function* (store: StoreId, content: ExportContent) {
    switch (content.kind) {
      case "products":
        return yield* products(store, content.where ?? {})
      case "collections":
        return filterOf("collections", collectionConditions(content.where ?? {}))
      case "orders":
        return filterOf("orders", orderConditions(content.where ?? {}, VISIBLE))
      case "customers":
        return filterOf("customers", customerConditions(content.where ?? {}, VISIBLE))
    }
  })
})
