import { Clock, Duration, Effect, type Redacted } from "effect"
import { setTimeout } from "node:timers/promises"
import { migrate, migrations } from "../../../src/layers/Migrations.ts"
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

/** Migrates as the service does at its start. */
export const start = (url: Redacted.Redacted, expected: Parameters<typeof migrate>[0] = migrations) =>
  hurried(Effect.provide(migrate(expected), postgres({ url, maxConnections: 2, withoutTimeouts: true })))
