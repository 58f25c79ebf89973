import { Effect } from "effect"
import { buildIndex, OutsideTransaction } from "../database/IndexMigration.ts"

/** Finds the entries of one resource, and those of one actor. */
export default new OutsideTransaction({
  steps: Effect.andThen(
    buildIndex({ name: "journal_by_resource", table: "journal", definition: "(store_id, resource_id, id)" }),
    buildIndex({ name: "journal_by_actor", table: "journal", definition: "(store_id, actor_id, id)" })
  )
})
