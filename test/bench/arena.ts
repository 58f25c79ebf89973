import { Effect, type Scope } from "effect"
import type Pg from "pg"
import { connection, freshDatabase, settle } from "./cluster.ts"
import { postmasterOf } from "./cpu.ts"
import { OURS, seed, THEIRS } from "./seed.ts"
import { BASELINE, type RunningServer, SERVICE, type Side, startServer } from "./servers.ts"

/** A server beside a connection of the benchmark's own to its database. */
export interface Contender extends RunningServer {
  readonly db: Pg.Client
  readonly postmaster: number | undefined
}

export type Arena = Readonly<Record<Side, Contender>>

export const say = (line: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${line}\n`)
  })

/** A server in its own process on its own database, until the scope ends. It makes its tables when it starts. */
export const enter = (server: string, side: Side, bundle: string) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase(server, side)
    const running = yield* startServer(bundle, url)
    const db = yield* connection(url)
    yield* Effect.promise(() => db.query("create extension pg_walinspect"))
    return { ...running, db, postmaster: yield* Effect.promise(() => postmasterOf(db)) } satisfies Contender
  })

/** Both servers, freshly seeded, until the scope ends: ours, and the baseline or `against`, another build of ours. */
export const openArena = (server: string, against?: string): Effect.Effect<Arena, never, Scope.Scope> =>
  Effect.gen(function* () {
    const ours = yield* enter(server, "ours", SERVICE)
    const baseline = yield* enter(server, "baseline", against ?? BASELINE)
    const startedAt = Date.now()
    yield* Effect.promise(() =>
      seed([
        [ours.db, OURS],
        [baseline.db, against === undefined ? THEIRS : OURS]
      ])
    )
    yield* settle(ours.db)
    yield* settle(baseline.db)
    yield* say(`Seeded both databases in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`)
    return { ours, baseline }
  })
