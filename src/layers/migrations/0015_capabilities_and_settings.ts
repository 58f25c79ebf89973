import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What apps declare and are granted beside scopes, and what a store says of itself. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table apps add column capabilities text[] not null default '{}'`
  yield* sql`alter table installations add column capabilities text[] not null default '{}'`
  yield* sql`
    alter table stores
      add column domain text,
      add column timezone text not null default 'UTC',
      add column locale text not null default 'en',
      add column country text,
      add column weight_unit text not null default 'kg'
  `
})
