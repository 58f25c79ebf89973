import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Keeps bytes of deleted files that an undo can bring back. was_used: true if a file named the object, so that its bytes are
 * stored. kept_until: time until which an undo can bring back a file of an unused object; such objects do not count in
 * media_usage.stored.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The default fills existing rows without a rewrite. Uploads that failed in the last day count as used.
  yield* sql`
    alter table media_objects add column was_used boolean not null default true, add column kept_until timestamptz
  `
  yield* sql`alter table media_objects alter column was_used set default false`
})
