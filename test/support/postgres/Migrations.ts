import { Clock, Duration, Effect, Record, type Redacted } from "effect"
import { setTimeout } from "node:timers/promises"
import { migrate, migrations } from "../../../src/layers/Migrations.ts"
import hashes from "../../../src/layers/migrations/hashes.json" with { type: "json" }
import { postgres } from "../../../src/layers/sql/Postgres.ts"

/** Shortens the pauses of a migration, but not the time limits of connections. */
const hurried = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Clock.clockWith((clock) =>
    Effect.provideService(work, Clock.Clock, {
      currentTimeMillis: clock.currentTimeMillis,
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
      currentTimeNanos: clock.currentTimeNanos,
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      sleep: (pause) => (Duration.toSeconds(pause) > 5 ? clock.sleep(pause) : Effect.promise(() => setTimeout(10)))
    })
  )

type Migrations = Parameters<typeof migrate>[0]

/** Applies the migrations of a release, in which the additional ones of a test have their names as hashes. */
export const migrateTo = (release: Migrations) => {
  const known: Readonly<Record<string, string>> = hashes
  return migrate(
    release,
    Record.map(release, (_, key) => known[key] ?? key)
  )
}

/** Migrates as the service does at its start. */
export const start = (url: Redacted.Redacted, release: Migrations = migrations) =>
  hurried(Effect.provide(migrateTo(release), postgres({ url, maxConnections: 2, withoutTimeouts: true })))
