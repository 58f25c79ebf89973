import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Keeps bytes of deleted files that an undo can bring back. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // was_used: true if a file named the object, so that its bytes are stored. kept_until: time until which an undo can bring
  // back a file of an unused object; such objects do not count in media_usage.stored.
  yield* sql`
    alter table media_objects add column was_used boolean not null default false, add column kept_until timestamptz
  `
  yield* sql`update media_objects set was_used = true where unused_since is null`
  // Finds objects for the purge.
  yield* sql`drop index media_objects_unused`
  yield* sql`
    create index media_objects_unused on media_objects (unused_since)
    where unused_since is not null and kept_until is null
  `
  yield* sql`create index media_objects_kept on media_objects (kept_until) where kept_until is not null`
})
