import { Effect, Redacted } from "effect"
import { CellName } from "../../../src/domain/cells/Cells.ts"
import { addCell } from "../../../src/layers/cells/GlobalTables.ts"
import { removeSubscription } from "../../support/cells/Subscriptions.ts"
import { migrateDatabase } from "../../../src/layers/Migrations.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { SECRET_KEY } from "../../support/SecretKey.ts"
import { createDatabase, openConnection } from "../database.ts"
import { temporaryFolder } from "../servers.ts"
import { CELLS, type Databases } from "./scaleStores.ts"

/** Cells with their settings, and a connection to the database of each. */
export const makeCells = (server: string) =>
  Effect.gen(function* () {
    const main = yield* createDatabase(server, "scale_main")
    yield* migrateDatabase.pipe(
      Effect.provide(postgres({ url: Redacted.make(main), maxConnections: 2, withoutTimeouts: true }))
    )
    const urls: Record<string, string> = { main }
    const names = CELLS.filter((cell) => cell !== "main")
    for (const cell of names) {
      const url = yield* createDatabase(server, `scale_${cell}`)
      const name = CellName.make(cell)
      yield* Effect.acquireRelease(
        addCell({ name, setting: "CELL_URL", url: Redacted.make(url), source: Redacted.make(main) }).pipe(
          Effect.provide(postgres({ url: Redacted.make(main), maxConnections: 2 }))
        ),
        () =>
          removeSubscription(name).pipe(
            Effect.provide(postgres({ url: Redacted.make(url), maxConnections: 2 })),
            Effect.orDie
          )
      )
      urls[cell] = url
    }
    const connect = (cell: (typeof CELLS)[number]) => openConnection(urls[cell] ?? "")
    const dbs: Databases = {
      north: yield* connect("north"),
      south: yield* connect("south"),
      east: yield* connect("east"),
      main: yield* connect("main")
    }
    const settings = {
      CELLS: names.join(","),
      ...Object.fromEntries(names.map((name) => [`CELL_${name.toUpperCase()}_URL`, urls[name] ?? ""])),
      SECRET_KEY,
      DATA_DIR: yield* temporaryFolder,
      WEBHOOK_WORKERS: "0",
      JOB_RUNNERS: "0"
    }
    return { main, settings, dbs }
  })
