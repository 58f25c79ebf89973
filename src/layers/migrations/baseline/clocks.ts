import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates clocks in microseconds, and the function that makes ids from their times. */
export const createClocks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Makes a UUIDv7 (RFC 9562, section 6.2, method 3). The microseconds fill the 12 bits after the milliseconds, so a
  // later microsecond always gives a greater id. `uuidv7()` of PostgreSQL 18 accepts no time.
  yield* sql`
    create function uuid_v7(micros bigint) returns uuid language sql volatile parallel safe as $$
      select (
        lpad(to_hex(micros / 1000), 12, '0')
        || '7' || lpad(to_hex((micros % 1000) * 4096 / 1000), 3, '0')
        || right(gen_random_uuid()::text, 17)
      )::uuid
    $$
  `
  yield* sql`
    create function clock_micros() returns bigint language sql volatile parallel safe as $$
      select (extract(epoch from clock_timestamp()) * 1000000)::bigint
    $$
  `

  // Returns the time of a change, from which its id is made. Writers share an advisory lock, so they do not wait for
  // each other. By this lock, readers of the change stream find running transactions that may still commit an older id
  // (layers/journal/Changes.ts). The lock precedes the reading of the clock. The body is one expression, so PostgreSQL
  // inlines it.
  yield* sql`
    create function change_clock(store uuid) returns bigint language sql volatile as $$
      select case when pg_advisory_xact_lock_shared(72101, uuid_hash(store)) is not null then clock_micros() end
    $$
  `
})
