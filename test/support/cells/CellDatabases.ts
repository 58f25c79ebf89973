import { Effect, Redacted, type Scope } from "effect"
import { CellName } from "../../../src/domain/cells/Cells.ts"
import { addCell } from "../../../src/layers/cells/GlobalTables.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import type { InstallationDatabases } from "../http/Installation.ts"
import { removeSubscription } from "./Subscriptions.ts"
import { migratedDatabase } from "../postgres/Postgres.ts"

/** Databases of an installation. Those of the cells have copies of the global tables of `main`. */
export interface CellDatabases extends InstallationDatabases {
  readonly cells: ReadonlyArray<{ readonly name: CellName; readonly url: Redacted.Redacted }>
}

interface Databases {
  /** Database of `main`. Default: a new one. */
  readonly main?: Redacted.Redacted
  /** Makes the database of a cell. */
  readonly cell?: Effect.Effect<Redacted.Redacted, never, Scope.Scope>
}

/** Creates the databases of an installation with cells. They are dropped with the scope. */
export const cellDatabases = Effect.fn(function* (
  names: ReadonlyArray<string>,
  given: Databases = {}
): Effect.fn.Return<CellDatabases, never, Scope.Scope> {
  const main = given.main ?? (yield* migratedDatabase)
  const cells: Array<CellDatabases["cells"][number]> = []
  for (const text of names) {
    const name = CellName.make(text)
    const url = yield* given.cell ?? migratedDatabase
    yield* Effect.acquireRelease(
      addCell({ name, setting: "CELL_URL", url, source: main }).pipe(
        Effect.provide(postgres({ url: main, maxConnections: 2, withoutTimeouts: true })),
        Effect.orDie
      ),
      () => removeSubscription(name).pipe(Effect.provide(postgres({ url, maxConnections: 2 })), Effect.orDie)
    )
    cells.push({ name, url })
  }
  const settings = {
    CELLS: names.join(","),
    ...Object.fromEntries(cells.map(({ name, url }) => [`CELL_${name.toUpperCase()}_URL`, Redacted.value(url)]))
  }
  return { main, settings, cells }
})
