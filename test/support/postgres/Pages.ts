import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AdmissionPool } from "../../../src/layers/sql/Postgres.ts"

/** Table and index pages that all sessions have read so far. Sessions flush their counts seconds later by default. */
const pagesSoFar = Effect.gen(function* () {
  const [sql, admission] = [yield* SqlClient.SqlClient, yield* AdmissionPool]
  yield* sql`select pg_stat_force_next_flush()`
  yield* admission.sql`select pg_stat_force_next_flush()`
  const [row] = yield* sql<{ readonly pages: string }>`
    select sum(
      heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0)
      + coalesce(toast_blks_hit + toast_blks_read + tidx_blks_hit + tidx_blks_read, 0)
    ) as pages from pg_statio_user_tables
  `
  return Number(row?.pages)
})

/** Returns the result of `work` and the number of table and index pages that it read. Needs a single connection. */
export const pagesOf = Effect.fn(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const before = yield* pagesSoFar
  const answer = yield* work
  return { answer, pages: (yield* pagesSoFar) - before }
})
