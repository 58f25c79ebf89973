import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AdmissionPool } from "../../../src/layers/sql/Postgres.ts"

/** Flushes the statistics of the sessions. By default PostgreSQL flushes them seconds later, in another measurement. */
export const flushStatistics = Effect.gen(function* () {
  const [sql, admission] = [yield* SqlClient.SqlClient, yield* AdmissionPool]
  yield* Effect.orDie(sql`select pg_stat_force_next_flush()`)
  yield* Effect.orDie(admission.sql`select pg_stat_force_next_flush()`)
})

/** Pages of tables and indexes that all sessions have read so far, and rows read by sequential scans. */
export const costSoFar = Effect.gen(function* () {
  yield* flushStatistics
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* Effect.orDie(sql<{ readonly cost: string }>`
    select (
      select sum(
        heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0)
        + coalesce(toast_blks_hit + toast_blks_read + tidx_blks_hit + tidx_blks_read, 0)
      ) from pg_statio_user_tables
    ) + (select sum(seq_tup_read) from pg_stat_user_tables) as cost
  `)
  return Number(row?.cost)
})

/** Tolerance for differences in size of a table and its indexes between rounds. */
export const maxCost = (fresh: number): number => 1.25 * fresh + 12

/**
 * The lower cost of two runs. A plan costs the same again; one-time work, such as a look of the planner at the end of
 * an index with deleted rows, does not.
 */
export const lowerCosts = (once: ReadonlyMap<string, number>, again: ReadonlyMap<string, number>) =>
  [...once].map(([name, cost]) => [name, Math.min(cost, again.get(name) ?? cost)] as const)
