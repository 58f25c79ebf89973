import { Effect } from "effect"
import type Pg from "pg"
import type { Contender } from "./arena.ts"
import { cpuSeconds, databaseCpuSeconds } from "./cpu.ts"
import type { Measured } from "./job.ts"

/** What one request costs. */
export interface Cost {
  /** Microseconds of processor time of the server; as the next, NaN where the database's processes cannot be seen. */
  readonly server: number
  /** The same of the database. */
  readonly database: number
  /** Bytes of the database's write-ahead log. */
  readonly wal: number
}

const NOT_MEASURED = { server: Number.NaN, database: Number.NaN }

const cpuOf = ({ pid, postmaster }: Contender) =>
  postmaster === undefined
    ? NOT_MEASURED
    : { server: cpuSeconds(pid) * 1_000_000, database: databaseCpuSeconds(postmaster) * 1_000_000 }

/** The end of the log. What comes after it is kept until it was counted, whether or not a checkpoint is done with it. */
const endOfLog = async (db: Pg.Client): Promise<string> => {
  await db.query("select pg_create_physical_replication_slot(current_database()::name, true, true)")
  const { rows } = await db.query<{ lsn: string }>("select pg_current_wal_lsn()::text as lsn")
  return rows[0]?.lsn ?? ""
}

/**
 * Bytes of the records since then, without images of pages. The first change of a page after a checkpoint adds one, so
 * how many a request has depends on how many requests come between two checkpoints, and so on the machine.
 */
const bytesSince = async (db: Pg.Client, lsn: string): Promise<number> => {
  const { rows } = await db.query<{ bytes: number }>(
    "select sum(record_size)::float8 as bytes from pg_get_wal_stats($1, pg_current_wal_flush_lsn())",
    [lsn]
  )
  await db.query("select pg_drop_replication_slot(current_database()::name)")
  return rows[0]?.bytes ?? 0
}

/** A round with what each of its requests cost. All that the database's server does meanwhile counts for this side. */
export const costed = <E>(contender: Contender, round: Effect.Effect<Measured, E>) =>
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
    } satisfies Cost & Measured
  })
