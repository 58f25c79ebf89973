import { Effect } from "effect"
import type Pg from "pg"
import type { BenchmarkServer } from "../serverPair.ts"
import { cpuSeconds, databaseCpuSeconds } from "./cpu.ts"
import type { LoadResult } from "../load/job.ts"

/** Cost of one request. */
export interface Cost {
  /** CPU time of the server in microseconds; NaN if `/proc` does not show the database's processes. */
  readonly server: number
  /** CPU time of the database, likewise. */
  readonly database: number
  /** Bytes in the write-ahead log. */
  readonly wal: number
}

const NOT_MEASURED = { server: Number.NaN, database: Number.NaN }

const cpuOf = ({ pid, postmaster }: BenchmarkServer) =>
  postmaster === undefined
    ? NOT_MEASURED
    : { server: cpuSeconds(pid) * 1_000_000, database: databaseCpuSeconds(postmaster) * 1_000_000 }

/** Returns the end of the log. A replication slot keeps the following records until they are counted. */
const endOfLog = async (db: Pg.Client): Promise<string> => {
  await db.query("select pg_create_physical_replication_slot(current_database()::name, true, true)")
  const { rows } = await db.query<{ lsn: string }>("select pg_current_wal_lsn()::text as lsn")
  return rows[0]?.lsn ?? ""
}

/**
 * Sums the bytes of the records since then, without page images. The first change of a page after a checkpoint adds an
 * image, so their number depends on the speed of the machine.
 */
const bytesSince = async (db: Pg.Client, lsn: string): Promise<number> => {
  const { rows } = await db.query<{ bytes: number }>(
    "select sum(record_size)::float8 as bytes from pg_get_wal_stats($1, pg_current_wal_flush_lsn())",
    [lsn]
  )
  await db.query("select pg_drop_replication_slot(current_database()::name)")
  return rows[0]?.bytes ?? 0
}

/** Runs a round and measures the cost per request. All activity of the database server counts. */
export const measureCost = <E>(contender: BenchmarkServer, round: Effect.Effect<LoadResult, E>) =>
  Effect.gen(function* () {
    const lsn = yield* Effect.promise(() => endOfLog(contender.db))
    const before = cpuOf(contender)
    const measured = yield* round
    const after = cpuOf(contender)
    const bytes = yield* Effect.promise(() => bytesSince(contender.db, lsn))
    const each = (used: number) => used / measured.requests
    return {
      ...measured,
      server: each(after.server - before.server),
      database: each(after.database - before.database),
      wal: each(bytes)
    } satisfies Cost & LoadResult
  })
