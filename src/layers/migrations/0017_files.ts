import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates files, the objects that hold their bytes, and the limit of bytes of plans. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Plans that operators added get 1 GiB.
  yield* sql`alter table plans add column media_limit bigint not null default ${sql.literal(String(1024 ** 3))}`
  yield* sql`
    update plans set media_limit = limits.mib * 1024 * 1024
    from (values ('free', 200::bigint), ('growth', 10240), ('scale', 102400)) as limits (name, mib)
    where plans.name = limits.name
  `

  // Bytes of a store. used: of objects that files name, which the plan limits. stored: of all objects.
  yield* sql`
    create table media_usage (
      store_id uuid primary key references stores on delete cascade,
      used bigint not null default 0 check (used >= 0),
      stored bigint not null default 0 check (stored >= 0)
    )
  `

  // Bytes that are stored, or about to be. key: of the object storage. unused_since: time from which no file names the
  // object, renewed by uploads of the same bytes; null while files name it.
  yield* sql`
    create table media_objects (
      store_id uuid not null references stores on delete cascade,
      hash text not null,
      key text not null,
      content_type text not null,
      bytes integer not null,
      width integer,
      height integer,
      unused_since timestamptz,
      primary key (store_id, hash)
    )
  `
  // Finds the object of a public URL, whose hash no other store has.
  yield* sql`create index media_objects_by_hash on media_objects (hash)`
  // Finds objects for the purge.
  yield* sql`create index media_objects_unused on media_objects (unused_since) where unused_since is not null`

  // url_name: the end of the URL. terms: name and alt for the search, without case.
  yield* sql`
    create table files (
      store_id uuid not null references stores on delete cascade,
      id uuid not null,
      hash text not null,
      name text not null,
      url_name text not null,
      alt text not null,
      terms text not null,
      created_at timestamptz not null,
      primary key (store_id, id),
      foreign key (store_id, hash) references media_objects
    )
  `
  // Serves the foreign key, and finds objects without files.
  yield* sql`create index files_by_hash on files (store_id, hash)`

  // Keys whose bytes are to be deleted. No key is used again, so several processes may delete the same bytes at any time.
  yield* sql`create table media_deletions (key text primary key)`
})
