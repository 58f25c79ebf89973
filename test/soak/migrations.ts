import { Effect, Redacted } from "effect"
import { createDatabase, openConnection } from "../bench/database.ts"
import { migrateUnderWrites } from "../support/postgres/FilledDatabase.ts"
import type { Sizes } from "./options.ts"
import { makeInvariants } from "./report.ts"

/** Migrates filled tables while sessions write to them. */
export const filledMigrations = (server: string, { "migration-rows": rows }: Sizes) =>
  Effect.gen(function* () {
    const invariants = makeInvariants("migrations")
    const url = yield* createDatabase(server, "soak")
    const started = performance.now()
    const waits = yield* migrateUnderWrites(Redacted.make(url), rows, openConnection(url))
    invariants.fact("rows of each table", String(rows))
    invariants.fact("seconds", ((performance.now() - started) / 1000).toFixed(0))
    for (const [table, wait] of waits) invariants.atMost(`longest write to ${table}`, wait, 2_000, " ms")
    return invariants.all
  }).pipe(Effect.scoped, Effect.orDie)
