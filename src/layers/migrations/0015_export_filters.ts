import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds the form of the file and the filter of exports. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // format, filter: see domain/exports/Export.ts. The filter is JSON of the fields of the list.
  yield* sql`alter table exports add column format text not null default 'jsonl', add column filter text not null default '{}'`
})
