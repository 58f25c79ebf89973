import { ConfigProvider, Effect, Redacted } from "effect"
import type { CellName } from "../../../src/domain/cells/Cells.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { moveStore } from "../../../src/layers/storeMove/StoreMove.ts"
import { Databases } from "./CellsTest.ts"

/** Runs an effect with the settings of the installation under test, as a command has them. */
export const withSettings = <A, E, R>(command: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Databases, ({ main, settings }) =>
    Effect.provide(
      command,
      ConfigProvider.layer(
        ConfigProvider.fromEnv({
          env: { ...settings, DATABASE_URL: Redacted.value(main) },
          preserveEmptyStrings: true
        })
      )
    )
  )

/** Moves a store in this process. `during` runs at each line that the command prints. */
export const moveTo = (
  cell: CellName,
  store: StoreId,
  during: (line: string) => Effect.Effect<void> = () => Effect.void
) => withSettings(moveStore({ store, cell, method: "replication", cleanAfter: 0 }, during))
