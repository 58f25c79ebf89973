import { Clock, Effect, type Redacted } from "effect"
import { setTimeout } from "node:timers/promises"
import { migrate, migrations } from "../../src/layers/Migrations.ts"
import { postgres } from "../../src/layers/database/Postgres.ts"

/** A database at that number. */
export const migratedTo = (number: number) => migrate(Object.fromEntries(Object.entries(migrations).slice(0, number)))

/** By a clock on which every pause is short. */
const hurried = Effect.withClock(Object.assign(Clock.make(), { sleep: () => Effect.promise(() => setTimeout(10)) }))

/** As a start of the service migrates. */
export const start = (url: Redacted.Redacted, wanted: Parameters<typeof migrate>[0] = migrations) =>
  hurried(Effect.provide(migrate(wanted), postgres({ url, maxConnections: 2, isPatient: true })))
