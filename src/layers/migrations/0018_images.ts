import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds the colours of pictures, and the sizes in which they were made. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table media_objects add column color text, add column is_opaque boolean not null default false`

  // Sizes of a picture. key: of the object storage. bytes: null until they are stored. failed_at: last time that the size
  // could not be made. They do not count as usage.
  yield* sql`
    create table media_sizes (
      store_id uuid not null,
      hash text not null,
      width integer not null,
      content_type text not null,
      key text not null,
      bytes integer,
      failed_at timestamptz,
      primary key (store_id, hash, width, content_type),
      foreign key (store_id, hash) references media_objects on delete cascade
    )
  `
})
