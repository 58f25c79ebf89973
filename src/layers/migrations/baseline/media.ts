import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates files, the objects that hold their bytes, and the sizes of pictures. */
export const createMedia = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Bytes of a store. used: of objects that files name, which the plan limits. stored: of all objects.
  yield* sql`
    create table media_usage (
      store_id uuid primary key references stores on delete cascade,
      used bigint not null default 0 check (used >= 0),
      stored bigint not null default 0 check (stored >= 0)
    )
  `

  // Bytes that are stored, or about to be. key: of the object storage. unused_since: time from which no file names the
  // object, renewed by uploads of the same bytes; null while files name it. was_used: true if a file named the
  // object, so that its bytes are stored. kept_until: time until which an undo can bring back a file of an unused object;
  // such objects do not count in media_usage.stored. color, is_opaque: of a picture.
  yield* sql`
    create table media_objects (
      store_id uuid not null references stores on delete cascade,
      hash text not null,
      key text not null,
      content_type text not null,
      bytes integer not null,
      width integer,
      height integer,
      color text,
      is_opaque boolean not null default false,
      unused_since timestamptz,
      was_used boolean not null default false,
      kept_until timestamptz,
      primary key (store_id, hash)
    )
  `
  // Finds the object of a public URL, whose hash no other store has.
  yield* sql`create index media_objects_by_hash on media_objects (hash)`
  // Finds objects whose bytes are to be deleted.
  yield* sql`
    create index media_objects_expiring on media_objects (unused_since)
    where unused_since is not null and kept_until is null
  `
  // Finds objects that are kept for an undo.
  yield* sql`create index media_objects_kept on media_objects (kept_until) where kept_until is not null`

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

  // Files of stores.
  // url_name: the end of the URL. terms: name and alt for the search, without case. source: URL from which an import copied
  // the picture.
  yield* sql`
    create table files (
      store_id uuid not null references stores on delete cascade,
      id uuid not null,
      hash text not null,
      name text not null,
      url_name text not null,
      alt text not null,
      terms text not null,
      source text,
      created_at timestamptz not null,
      primary key (store_id, id),
      foreign key (store_id, hash) references media_objects
    )
  `
  // Serves the foreign key, and finds objects without files.
  yield* sql`create index files_by_hash on files (store_id, hash)`
  // Finds the copy of a picture by its URL. A hash, because an entry of an index is too small for a long URL.
  yield* sql`create index files_by_source on files (store_id, md5(source)) where source is not null`

  // Keys whose bytes are to be deleted. No key is used again, so several processes may delete the same bytes at any time.
  yield* sql`create table media_deletions (key text primary key)`
})
