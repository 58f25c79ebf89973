import { buildIndex, OutsideTransaction } from "../database/IndexMigration.ts"

/** Pages through the installations of one app, for its developer. */
export default new OutsideTransaction({
  steps: buildIndex({ name: "installations_of_app", table: "installations", definition: "(app_id, id)" })
})
