import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Clocks in microseconds, and the ids that are made of their times. */
export const createClocks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // RFC 9562, section 6.2, method 3: the microseconds fill the 12 bits behind the milliseconds, so that a later
  // microsecond always gives a greater id. `uuidv7()` of PostgreSQL 18 accepts no time.
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

  // The time of a change, from which its id is made. Writers share the advisory lock, so no writer waits. Readers of the
  // change stream use it to find transactions that still run and may commit an older id (layers/Changes.ts). The lock is
  // taken before the clock is read. The body is one expression, so PostgreSQL inlines it.
  yield* sql`
    create function change_clock(store uuid) returns bigint language sql volatile as $$
      select case when pg_try_advisory_xact_lock_shared(72101, uuid_hash(store)) then clock_micros() end
    $$
  `
})
