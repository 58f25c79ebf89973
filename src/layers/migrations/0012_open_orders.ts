import { buildIndex, OutsideTransaction } from "../sql/IndexMigration.ts"

/** Indexes open orders by their date, so that the oldest ones are found without reading all that are completed. */
export default new OutsideTransaction({
  steps: buildIndex({
    name: "open_orders_by_date",
    table: "orders",
    definition: `(store_id, (((opening || '}')::json ->> 'placedAt') collate "C"), id)
      where ((opening || '}')::json ->> 'status') = 'open'`
  })
})
