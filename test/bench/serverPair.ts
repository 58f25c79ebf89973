import { Effect, type Scope } from "effect"
import type Pg from "pg"
import { openConnection, createDatabase, vacuumAndCheckpoint } from "./database.ts"
import { findPostmaster } from "./measure/cpu.ts"
import { type Output, printLine, step } from "./output.ts"
import { SERVICE_SEEDING, seed, BASELINE_SEEDING } from "./seed/seed.ts"
import { BASELINE, type RunningServer, SERVICE, type Side, startServer } from "./servers.ts"

/** A running server, with a connection of the benchmark to its database. */
export interface BenchmarkServer extends RunningServer {
  readonly db: Pg.Client
  readonly postmaster: number | undefined
}

export type ServerPair = Readonly<Record<Side, BenchmarkServer>>

/** Starts a server on a new database until the scope ends. The server creates its tables. */
export const startBenchmarkServer = (server: string, side: Side, bundle: string) =>
  Effect.gen(function* () {
    const url = yield* createDatabase(server, side)
    const running = yield* startServer(bundle, url)
    const db = yield* openConnection(url)
    yield* Effect.promise(() => db.query("create extension pg_walinspect"))
    return { ...running, db, postmaster: yield* Effect.promise(() => findPostmaster(db)) } satisfies BenchmarkServer
  })

/** Starts the service and the baseline, or the other build `against`, with seeded databases until the scope ends. One step. */
export const startServerPair = (
  server: string,
  against?: string
): Effect.Effect<ServerPair, never, Output | Scope.Scope> =>
  Effect.gen(function* () {
    yield* step("seeding both databases")
    const service = yield* startBenchmarkServer(server, "service", SERVICE)
    const baseline = yield* startBenchmarkServer(server, "baseline", against ?? BASELINE)
    const startedAt = Date.now()
    yield* Effect.promise(() =>
      seed([
        [service.db, SERVICE_SEEDING],
        [baseline.db, against === undefined ? BASELINE_SEEDING : SERVICE_SEEDING]
      ])
    )
    yield* vacuumAndCheckpoint(service.db)
    yield* vacuumAndCheckpoint(baseline.db)
    yield* printLine(`Seeded both databases in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`)
    return { service, baseline }
  })
