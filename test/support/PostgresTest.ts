import { Effect, Layer } from "effect"
import { MigrationsLive } from "../../src/layers/Migrations.ts"
import { postgres } from "../../src/layers/database/Postgres.ts"
import { freshDatabase } from "./Postgres.ts"

/** A migrated database of its own. */
export const PostgresTest = Layer.unwrapScoped(
  Effect.map(freshDatabase, (url) => Layer.provideMerge(MigrationsLive, postgres({ url, maxConnections: 10 })))
).pipe(Layer.orDie)
