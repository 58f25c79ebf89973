import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { buildIndex, OutsideTransaction } from "../sql/IndexMigration.ts"

/** Finds objects whose bytes are to be deleted, and those that are kept for an undo. */
export default new OutsideTransaction({
  steps: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* buildIndex({
      name: "media_objects_expiring",
      table: "media_objects",
      definition: "(unused_since) where unused_since is not null and kept_until is null"
    })
    yield* buildIndex({
      name: "media_objects_kept",
      table: "media_objects",
      definition: "(kept_until) where kept_until is not null"
    })
    yield* sql`drop index if exists media_objects_unused`
  })
})
