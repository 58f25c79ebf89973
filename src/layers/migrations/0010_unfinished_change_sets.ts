import { buildIndex, OutsideTransaction } from "../sql/IndexMigration.ts"

/** Indexes the few unfinished change sets of a store, which each open dashboard lists every few seconds. */
export default new OutsideTransaction({
  steps: buildIndex({
    name: "change_sets_unfinished",
    table: "change_sets",
    definition: "(store_id, id) where state in ('previewing', 'ready', 'scheduled', 'applying')"
  })
})
