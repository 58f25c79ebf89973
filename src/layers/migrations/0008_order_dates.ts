import { buildIndex, OutsideTransaction } from "../sql/IndexMigration.ts"

/** Indexes orders by their date, so that the newest ones are read without parsing all. */
export default new OutsideTransaction({
  steps: buildIndex({
    name: "orders_by_date",
    table: "orders",
    definition: `(store_id, (((opening || '}')::json ->> 'placedAt') collate "C"), id)`
  })
})
