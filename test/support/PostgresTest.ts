import { Effect, Layer } from "effect"
import { postgres } from "../../src/layers/database/Postgres.ts"
import { migratedDatabase } from "./Postgres.ts"

const postgresOf = (maxConnections: number) =>
  Layer.unwrapScoped(Effect.map(migratedDatabase, (url) => postgres({ url, maxConnections })))

/** A migrated database of its own. */
export const PostgresTest = postgresOf(10)

/** The same on one connection: what a statement read is counted in its session, and told when that is asked to tell. */
export const OneConnectionTest = postgresOf(1)
