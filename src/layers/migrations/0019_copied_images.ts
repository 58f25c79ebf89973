import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds the URLs from which imports copied pictures, and the pictures that they could not copy. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table files add column source text`
  yield* sql`
    alter table change_sets
      add column images_copied integer not null default 0, add column images_failed integer not null default 0
  `
  // Pictures that an import leaves at their URLs. error: type of the error. digest: of the URL,
  // which can be too long for an index.
  yield* sql`
    create table import_image_failures (
      store_id uuid not null,
      change_set_id uuid not null,
      url text not null,
      error text not null,
      reason text not null,
      digest text not null generated always as (md5(url)) stored,
      primary key (store_id, change_set_id, digest),
      foreign key (store_id, change_set_id) references change_sets on delete cascade
    )
  `
})
