import { Effect } from "effect"
import { buildIndex, OutsideTransaction } from "../database/IndexMigration.ts"

/** Finds products by a code of theirs. Rows from before have none until they are written again. */
export default new OutsideTransaction({
  steps: Effect.andThen(
    buildIndex({
      name: "product_keys_by_sku",
      table: "product_keys",
      definition: "(store_id, sku, id) where sku is not null"
    }),
    buildIndex({
      name: "product_keys_by_barcode",
      table: "product_keys",
      definition: "(store_id, barcode, id) where barcode is not null"
    })
  )
})
