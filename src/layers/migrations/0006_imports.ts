import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Lets change sets be imports. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // import: how the rows of a file are read and written (domain/imports/ImportFile.ts). created: rows that were created, of the changed ones.
  yield* sql`alter table change_sets add column import json, add column created integer not null default 0`

  // Place of the row in the file, and its id there.
  yield* sql`alter table change_set_results add column line integer, add column external_id text`
})
