import { Effect } from "effect"
import { buildIndex, OutsideTransaction } from "../database/IndexMigration.ts"

/** Finds agents that have ended for the purge, and installations whose app data is to be purged. */
export default new OutsideTransaction({
  steps: Effect.andThen(
    buildIndex({
      name: "agents_in_order",
      table: "agents",
      definition: "((coalesce(revoked_at, ends_at))) where coalesce(revoked_at, ends_at) is not null"
    }),
    buildIndex({
      name: "installations_to_empty",
      table: "installations",
      definition: "(uninstalled_at) where uninstalled_at is not null and uninstalled_at is distinct from emptied_for"
    })
  )
})
