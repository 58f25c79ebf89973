import { buildIndex, OutsideTransaction } from "../sql/IndexMigration.ts"

/** Finds the copy of a picture by its URL. A hash, because an entry of an index is too small for a long URL. */
export default new OutsideTransaction({
  steps: buildIndex({
    name: "files_by_source",
    table: "files",
    definition: "(store_id, md5(source)) where source is not null"
  })
})
